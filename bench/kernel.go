package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// kernel measures puts into one layer of 16-bit counters with k = 8, from the
// coordinates' keys on, hash included, beside the loop that one would write.
func kernel(o options) error {
	n := points(o, 4_000_000)
	r := rand.New(rand.NewPCG(1, 2))
	xs, ys := make([]float64, n), make([]float64, n)
	for i := range xs {
		xs[i], ys[i] = float64(r.IntN(1<<20)), float64(r.IntN(1<<20))
	}
	for _, bits := range []int{20, 24} {
		for _, mode := range []ccbf.Mode{ccbf.Standard, ccbf.MinimalIncrement} {
			c, err := ccbf.New(ccbf.Params{Res: 1, Dense: true, K: 8, Mode: mode, Widths: []int{16, 16}, Counters: []uint64{1 << bits, 1 << (bits - 4)}})
			if err != nil {
				return err
			}
			keys := make([]uint64, n)
			if got := c.Keys(keys, xs, ys); got != n {
				return fmt.Errorf("only %d keys of %d", got, n)
			}
			var ours, plain, ratios []float64
			for range o.rounds {
				start := time.Now()
				b := ccbf.NewBuilder(c, nil)
				for chunk := range slices.Chunk(keys, 2048) {
					if err := b.AddKeys(chunk); err != nil {
						return err
					}
				}
				if _, err := b.Sketch(); err != nil {
					return err
				}
				ours = append(ours, float64(time.Since(start).Nanoseconds())/float64(n))
				counters := make([]uint16, 1<<bits)
				start = time.Now()
				plainLoop(counters, mode, xs, ys)
				plain = append(plain, float64(time.Since(start).Nanoseconds())/float64(n))
				ratios = append(ratios, ours[len(ours)-1]/plain[len(plain)-1])
			}
			slices.Sort(ours)
			slices.Sort(plain)
			slices.Sort(ratios)
			fmt.Printf("%-44s ours %.1f ns, plain loop %.1f ns, ratio %.2f (%.2f to %.2f)\n", fmt.Sprintf("%v, k = 8, 2^%d counters of 16 bits", mode, bits),
				ours[len(ours)/2], plain[len(plain)/2], ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1])
		}
	}
	return nil
}

// plainLoop is the textbook's put, one key after the other, in one layer whose
// counters simply stop.
func plainLoop(counters []uint16, mode ccbf.Mode, xs, ys []float64) {
	mask := uint64(len(counters) - 1)
	for i := range xs {
		h1, h2 := key.HashCell(0, int64(xs[i]), int64(ys[i]))
		if mode == ccbf.Standard {
			for j := uint64(1); j <= 8; j++ {
				if c := &counters[(h1+j*h2)&mask]; *c < 1<<16-1 {
					*c++
				}
			}
			continue
		}
		least := uint16(1<<16 - 1)
		for j := uint64(1); j <= 8; j++ {
			least = min(least, counters[(h1+j*h2)&mask])
		}
		if least == 1<<16-1 {
			continue
		}
		for j := uint64(1); j <= 8; j++ {
			c := &counters[(h1+j*h2)&mask]
			*c = max(*c, least+1)
		}
	}
}
