package sbf

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

const chunk = 2048 // rows that SQL hands over at once

func hashes(n int) (h1s, h2s []uint64) {
	vs := make([]uint64, n)
	h1s, h2s = make([]uint64, n), make([]uint64, n)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range vs {
		vs[i] = r.Uint64()
	}
	key.HashUint64s(0, vs, h1s, h2s)
	return h1s, h2s
}

// each runs fn over many chunks of hashed keys, enough of them that a chunk's
// counters left the cache when it comes again.
func each(b *testing.B, fn func(h1s, h2s []uint64)) {
	h1s, h2s := hashes(chunk * 1024)
	b.ReportAllocs()
	b.ResetTimer()
	n := 0
	for b.Loop() {
		at := n % len(h1s)
		fn(h1s[at:at+chunk], h2s[at:at+chunk])
		n += chunk
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/key")
}

// sizes of the tables: one that stays in the cache, and 64 MiB.
var sizes = []uint64{13_595, 64 << 20}

var forms = []struct {
	name string
	p    Params
}{
	{"ms", Params{}}, {"mi", Params{Method: MI}}, {"ms/blocked", Params{Blocked: true}}, {"mi/blocked", Params{Method: MI, Blocked: true}},
	{"rm", Params{Method: RM}}, {"trm", Params{Method: TRM}}, {"ms/index", Params{Encoding: Index}},
}

func BenchmarkAddHashes(b *testing.B) {
	for _, m := range sizes {
		for _, f := range forms {
			b.Run(fmt.Sprintf("%d/%s", m, f.name), func(b *testing.B) {
				f.p.Counters = m
				s, _ := New(f.p)
				each(b, func(h1s, h2s []uint64) { s.AddHashes(h1s, h2s, nil) })
			})
		}
		for _, conservative := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/cms/%v", m, conservative), func(b *testing.B) {
				s, _ := cms.New(cms.Params{Width: m / 5, Depth: 5, Conservative: conservative})
				each(b, func(h1s, h2s []uint64) { s.AddHashes(h1s, h2s, nil) })
			})
		}
	}
}

func BenchmarkCountHashes(b *testing.B) {
	dst := make([]uint64, chunk)
	for _, m := range sizes {
		for _, f := range forms {
			b.Run(fmt.Sprintf("%d/%s", m, f.name), func(b *testing.B) {
				f.p.Counters = m
				s, _ := New(f.p)
				h1s, h2s := hashes(chunk * 1024)
				s.AddHashes(h1s, h2s, nil)
				each(b, func(h1s, h2s []uint64) { s.CountHashes(dst, h1s, h2s) })
			})
		}
		b.Run(fmt.Sprintf("%d/cms", m), func(b *testing.B) {
			s, _ := cms.New(cms.Params{Width: m / 5, Depth: 5})
			h1s, h2s := hashes(chunk * 1024)
			s.AddHashes(h1s, h2s, nil)
			each(b, func(h1s, h2s []uint64) { s.CountHashes(dst, h1s, h2s) })
		})
	}
}
