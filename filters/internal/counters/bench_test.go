package counters

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// raised is n counters after 10 n random increments, the paper's workload
// (section 6.4), in random order.
func raised(e Encoding, n int) (Array, []uint64) {
	r := rand.New(rand.NewPCG(uint64(n), 6))
	vs := make([]uint64, n)
	for range 10 * n {
		vs[r.IntN(n)]++
	}
	a := New(e, n)
	a.Update(func(at int, block []uint64) { copy(block, vs[at:]) })
	return a, vs
}

// places are where to look, in random order, a power of two of them.
func places(n int) []uint32 {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	is := make([]uint32, 1<<16)
	for k := range is {
		is[k] = uint32(r.IntN(n))
	}
	return is
}

var sink uint64

func BenchmarkAt(b *testing.B) {
	for _, n := range []int{1e3, 1e4, 1e5, 1e6} {
		is := places(n)
		for _, e := range all {
			a, _ := raised(e, n)
			b.Run(fmt.Sprintf("%v/%d", e, n), func(b *testing.B) {
				for k := range b.N {
					sink += a.At(int(is[k%len(is)]))
				}
			})
			v, _ := Open(e, n, a.Append(nil))
			b.Run(fmt.Sprintf("%v/%d/view", e, n), func(b *testing.B) {
				for k := range b.N {
					sink += v.At(int(is[k%len(is)]))
				}
			})
		}
		_, vs := raised(Plain, n)
		b.Run(fmt.Sprintf("slice/%d", n), func(b *testing.B) {
			for k := range b.N {
				sink += vs[is[k%len(is)]]
			}
		})
	}
}

// The paper's workload from the first increment on: 10 n of them.
func BenchmarkIncrement(b *testing.B) {
	for _, n := range []int{1e3, 1e4, 1e5, 1e6} {
		for _, e := range all {
			b.Run(fmt.Sprintf("%v/%d", e, n), func(b *testing.B) {
				r := rand.New(rand.NewPCG(8, 8))
				for range b.N {
					a := New(e, n)
					for range 10 * n {
						i := r.IntN(n)
						a.Set(i, a.At(i)+1)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(10*n), "ns/increment")
			})
		}
	}
}

func BenchmarkUnpack(b *testing.B) {
	const n = 1e5
	for _, e := range all {
		a, _ := raised(e, n)
		b.Run(e.String(), func(b *testing.B) {
			dst := make([]uint64, n)
			for range b.N {
				a.Unpack(0, dst)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/counter")
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	const n = 1e5
	for _, e := range all {
		a, _ := raised(e, n)
		b.Run(e.String(), func(b *testing.B) {
			var body []byte
			for range b.N {
				body = a.Append(body[:0])
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/counter")
		})
	}
}

func BenchmarkUpdate(b *testing.B) {
	const n = 1e5
	for _, e := range all {
		a, _ := raised(e, n)
		b.Run(e.String(), func(b *testing.B) {
			for range b.N {
				a.Update(func(_ int, block []uint64) { block[0] ^= 1 })
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/counter")
		})
	}
}
