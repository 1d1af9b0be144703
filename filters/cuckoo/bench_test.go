package cuckoo

import (
	"fmt"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

func benchKeys(n int, from uint64) (h1s, h2s []uint64) {
	vs := make([]uint64, n)
	h1s, h2s = make([]uint64, n), make([]uint64, n)
	for i := range vs {
		vs[i] = from + uint64(i)
	}
	key.HashUint64s(0, vs, h1s, h2s)
	return h1s, h2s
}

func forms(b *testing.B, dup bool, fn func(b *testing.B, p Params)) {
	for _, variant := range []Variant{Plain, Tagged} {
		for _, variable := range []bool{false, true} {
			p := Params{Capacity: 996_000, Variant: variant, VariableLength: variable, Duplicates: dup}
			b.Run(fmt.Sprintf("%v/variable=%v", variant, variable), func(b *testing.B) { fn(b, p) })
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	for _, load := range []int{50, 90} {
		b.Run(fmt.Sprint(load), func(b *testing.B) {
			forms(b, false, func(b *testing.B, p Params) {
				n := int(p.Capacity) * load / 100
				h1s, h2s := benchKeys(n, 0)
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					s, _ := New(p)
					b.StartTimer()
					if err := s.AddHashes(h1s, h2s, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
			})
		})
	}
}

func BenchmarkContains(b *testing.B) {
	for _, load := range []int{50, 90} {
		for _, from := range []uint64{0, 1 << 40} {
			b.Run(fmt.Sprintf("%d/positive=%v", load, from == 0), func(b *testing.B) {
				forms(b, false, func(b *testing.B, p Params) {
					n := int(p.Capacity) * load / 100
					h1s, h2s := benchKeys(n, 0)
					s, _ := New(p)
					_ = s.AddHashes(h1s, h2s, nil)
					h1s, h2s = benchKeys(n, from)
					dst := make([]bool, n)
					for b.Loop() {
						s.ContainsHashes(dst, h1s, h2s)
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
				})
			})
		}
	}
}

func BenchmarkRemove(b *testing.B) {
	for _, load := range []int{50, 90} {
		b.Run(fmt.Sprint(load), func(b *testing.B) {
			forms(b, true, func(b *testing.B, p Params) {
				n := int(p.Capacity) * load / 100
				h1s, h2s := benchKeys(n, 0)
				full, _ := New(p)
				_ = full.AddHashes(h1s, h2s, nil)
				for b.Loop() {
					b.StopTimer()
					s := full.Clone()
					b.StartTimer()
					for k, h1 := range h1s {
						if err := s.Remove(h1, h2s[k], 1); err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
			})
		})
	}
}

func BenchmarkBlob(b *testing.B) {
	forms(b, false, func(b *testing.B, p Params) {
		n := int(p.Capacity) * 9 / 10
		h1s, h2s := benchKeys(n, 0)
		s, _ := New(p)
		_ = s.AddHashes(h1s, h2s, nil)
		b.Run("encode", func(b *testing.B) {
			for b.Loop() {
				s.Blob()
			}
		})
		blob := s.Blob()
		b.Run("decode", func(b *testing.B) {
			for b.Loop() {
				_, _ = Decode(blob)
			}
		})
	})
}
