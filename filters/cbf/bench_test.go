package cbf

import (
	"fmt"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// benchShapes are the three variants at the same bits, of fixed and of variable
// length, small enough for the fastest caches or far too large for them.
func benchShapes(b *testing.B, fn func(b *testing.B, s *Sketch, h1s, h2s []uint64)) {
	for _, size := range []uint64{1 << 12, 1 << 22} {
		for _, variant := range []Variant{Plain, Increment, Tandem} {
			for _, variable := range []bool{false, true} {
				p := Params{Capacity: size, Counters: 5 * size, K: 4, CounterBits: 8, Variant: variant, VariableLength: variable}
				b.Run(fmt.Sprintf("%d/%v/variable=%v", size, variant, variable), func(b *testing.B) {
					s := mustNew(b, p)
					h1s, h2s := hashes(0, 0, size)
					s.AddHashes(h1s[:size/4], h2s[:size/4], nil)
					b.ReportAllocs()
					b.ResetTimer()
					fn(b, s, h1s, h2s)
				})
			}
		}
	}
}

const chunk = 2048 // rows that SQL hands over at once

func perKey(b *testing.B, keys int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(keys), "ns/key")
}

func BenchmarkAddHashes(b *testing.B) {
	benchShapes(b, func(b *testing.B, s *Sketch, h1s, h2s []uint64) {
		empty, n := s.Blob(), 0
		for b.Loop() {
			at := n % len(h1s)
			if at == 0 { // stays at half its capacity or below
				b.StopTimer()
				s, _ = Decode(empty)
				n = len(h1s) / 4
				at = n
				b.StartTimer()
			}
			s.AddHashes(h1s[at:][:chunk/4], h2s[at:][:chunk/4], nil)
			if n += chunk / 4; n >= len(h1s)/2 {
				n = 0
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(chunk/4), "ns/key")
	})
}

func BenchmarkContainsHashes(b *testing.B) {
	dst := make([]bool, chunk)
	benchShapes(b, func(b *testing.B, s *Sketch, h1s, h2s []uint64) {
		n := 0
		for b.Loop() {
			at := n % len(h1s)
			s.ContainsHashes(dst, h1s[at:at+chunk], h2s[at:at+chunk])
			n += chunk
		}
		perKey(b, n)
	})
}

// hashes are those of n keys from the given one on.
func hashes(seed, from, n uint64) (h1s, h2s []uint64) {
	h1s, h2s = make([]uint64, n), make([]uint64, n)
	for i := range n {
		h1s[i], h2s[i] = key.HashUint64(seed, from+i)
	}
	return h1s, h2s
}
