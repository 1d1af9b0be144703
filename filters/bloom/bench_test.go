package bloom

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// forms of the benchmarks: every variant, with 7 hash functions or near, in
// sizes that no power of two is near to.
var (
	benchForms = []struct {
		name string
		p    Params
	}{
		{"standard", Params{K: 7}},
		{"rational", Params{K: 6.64, Variant: Rational}},
		{"blocks", Params{K: 7, Variant: Blocks}},
		{"fractional blocks", Params{K: 6.64, Variant: Blocks}},
	}
	benchSizes = []struct {
		name string
		bits uint64
	}{
		{"16KiB", 8<<14 - 12345},
		{"1MiB", 8<<20 - 12345},
		{"128MiB", 8<<27 - 12345},
	}
)

const chunk = 2048 // rows that SQL hands over at once

// each runs fn for every form and size over many chunks of hashed keys, on a
// filter that is half full of the keys asked for, or of others.
func each(b *testing.B, present bool, fn func(s *Sketch, h1s, h2s []uint64)) {
	for _, size := range benchSizes {
		for _, form := range benchForms {
			b.Run(fmt.Sprintf("%s/%s", size.name, form.name), func(b *testing.B) {
				p := form.p
				p.Bits = size.bits
				s := mustNew(b, p)
				n := int(s.Capacity())
				vs := make([]uint64, min(n, chunk*512)/chunk*chunk)
				r := rand.New(rand.NewPCG(1, 1))
				for i := range vs {
					vs[i] = r.Uint64()
				}
				h1s, h2s := make([]uint64, len(vs)), make([]uint64, len(vs))
				key.HashUint64s(0, vs, h1s, h2s)
				if present {
					s.AddHashes(h1s, h2s, nil)
					n -= len(vs)
				}
				random(s, r, n)
				done := 0
				b.ResetTimer()
				for b.Loop() {
					at := done % len(h1s)
					fn(s, h1s[at:at+chunk], h2s[at:at+chunk])
					done += chunk
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(done), "ns/key")
			})
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	each(b, true, func(s *Sketch, h1s, h2s []uint64) {
		for i, h1 := range h1s {
			s.Add(h1, h2s[i], 1)
		}
	})
}

func BenchmarkAddHashes(b *testing.B) {
	each(b, true, func(s *Sketch, h1s, h2s []uint64) { s.AddHashes(h1s, h2s, nil) })
}

func benchContains(b *testing.B, present bool) {
	yes := 0
	each(b, present, func(s *Sketch, h1s, h2s []uint64) {
		for i, h1 := range h1s {
			if s.Contains(h1, h2s[i]) {
				yes++
			}
		}
	})
}

func benchContainsHashes(b *testing.B, present bool) {
	dst := make([]bool, chunk)
	each(b, present, func(s *Sketch, h1s, h2s []uint64) { s.ContainsHashes(dst, h1s, h2s) })
}

func BenchmarkContains(b *testing.B)             { benchContains(b, true) }
func BenchmarkContainsAbsent(b *testing.B)       { benchContains(b, false) }
func BenchmarkContainsHashes(b *testing.B)       { benchContainsHashes(b, true) }
func BenchmarkContainsHashesAbsent(b *testing.B) { benchContainsHashes(b, false) }

// A column of small filters, each asked once.
func BenchmarkViewContains(b *testing.B) {
	for _, form := range benchForms {
		b.Run(form.name, func(b *testing.B) {
			p := form.p
			p.Bits = 1000
			blob := mustNew(b, p).Blob()
			for b.Loop() {
				v, err := NewView(blob)
				if err != nil || v.Contains(1, 1) {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPlan(b *testing.B) {
	for b.Loop() {
		newPlan(8<<20-12345, 8<<20-12345, 6*one+one/3)
	}
}

func BenchmarkUnionBlob(b *testing.B) {
	s := mustNew(b, Params{Bits: 8 << 20})
	blob := s.Blob()
	b.SetBytes(int64(len(blob)))
	for b.Loop() {
		if err := s.UnionBlob(blob); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFPP(b *testing.B) {
	for _, form := range benchForms {
		b.Run(form.name, func(b *testing.B) {
			p := form.p
			p.Bits = 8<<20 - 12345
			s := mustNew(b, p)
			b.SetBytes(int64(s.Bytes()))
			for b.Loop() {
				s.FPP()
			}
		})
	}
}
