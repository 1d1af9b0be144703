package cms

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// shapes of the benchmarks: the default's width at depth 5, and 64 MiB of
// counters of one, two or four bytes.
var shapes = []struct {
	name  string
	width uint64
	size  int
}{
	{"cache", 2719, 2},
	{"64MB/2bytes", 64 << 20 / 5 / 2, 2},
	{"64MB/1byte", 64 << 20 / 5, 1},
}

const chunk = 2048 // rows that SQL hands over at once

func hashes(n int) (vs, h1s, h2s []uint64) {
	vs, h1s, h2s = make([]uint64, n), make([]uint64, n), make([]uint64, n)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range vs {
		vs[i] = r.Uint64()
	}
	key.HashUint64s(0, vs, h1s, h2s)
	return vs, h1s, h2s
}

func benchSketch(b *testing.B, width uint64, size int, conservative bool) *Sketch {
	s, err := New(Params{Width: width, Depth: 5, Conservative: conservative})
	if err != nil {
		b.Fatal(err)
	}
	s.c.Table = s.c.Resize(uint8(bits.TrailingZeros(uint(size))))
	return s
}

// each runs fn for a shape and a rule over many chunks of hashed keys. There are so many that a chunk's
// counters have left the cache when its turn comes again.
func each(b *testing.B, rules []bool, fn func(b *testing.B, s *Sketch, vs, h1s, h2s []uint64)) {
	vs, h1s, h2s := hashes(chunk * 1024)
	for _, shape := range shapes {
		for _, conservative := range rules {
			rule := "plain"
			if conservative {
				rule = "conservative"
			}
			b.Run(fmt.Sprintf("%s/%s", shape.name, rule), func(b *testing.B) {
				s := benchSketch(b, shape.width, shape.size, conservative)
				b.ReportAllocs()
				b.ResetTimer()
				n := 0
				for b.Loop() {
					at := n % len(vs)
					fn(b, s, vs[at:at+chunk], h1s[at:at+chunk], h2s[at:at+chunk])
					n += chunk
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/key")
			})
		}
	}
}

var both = []bool{false, true}

func BenchmarkAddHashes(b *testing.B) {
	each(b, both, func(_ *testing.B, s *Sketch, _, h1s, h2s []uint64) { s.AddHashes(h1s, h2s, nil) })
}

func BenchmarkAdd(b *testing.B) {
	each(b, both, func(_ *testing.B, s *Sketch, _, h1s, h2s []uint64) {
		for i, h1 := range h1s {
			s.Add(h1, h2s[i], 1)
		}
	})
}

func BenchmarkAddKey8Bytes(b *testing.B) {
	var buf [8]byte
	each(b, both[:1], func(_ *testing.B, s *Sketch, vs, _, _ []uint64) {
		for _, v := range vs {
			s.AddKey(key.AppendInt64(buf[:0], int64(v)), 1)
		}
	})
}

func BenchmarkCountHashes(b *testing.B) {
	dst := make([]uint64, chunk)
	each(b, both[:1], func(_ *testing.B, s *Sketch, _, h1s, h2s []uint64) { s.CountHashes(dst, h1s, h2s) })
}

func BenchmarkCount(b *testing.B) {
	var sink uint64
	each(b, both[:1], func(_ *testing.B, s *Sketch, _, h1s, h2s []uint64) {
		for i, h1 := range h1s {
			sink += s.Count(h1, h2s[i])
		}
	})
}
