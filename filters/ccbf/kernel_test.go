package ccbf

import (
	"fmt"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

func BenchmarkInsert(b *testing.B) {
	for _, mode := range []Mode{Standard, MinimalIncrement} {
		for _, bits := range []int{20, 24} {
			b.Run(fmt.Sprintf("%v/2^%d counters", mode, bits), func(b *testing.B) {
				c, err := New(Params{Res: 1, K: 8, Mode: mode, Widths: []int{16, 16}, Counters: []uint64{1 << bits, 1 << (bits - 4)}})
				if err != nil {
					b.Fatal(err)
				}
				d := newDense(c.shape)
				const keys = 1 << 12
				h1, h2 := make([]uint64, keys), make([]uint64, keys)
				x := int64(0)
				for b.Loop() {
					for i := range h1 {
						x++
						h1[i], h2[i] = key.HashCell(0, x, x>>1)
					}
					d.insert(mode, h1, h2, nil)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/keys, "ns/put")
			})
		}
	}
}
