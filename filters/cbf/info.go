package cbf

import (
	"math"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// Info describes a filter without its keys.
type Info struct {
	keyed.Common          // Saturated is true if Stuck is not 0
	Capacity, Counters, K uint64
	CounterBits           uint64
	Variant               Variant
	Increment             uint64 // L, 1 for Plain
	VariableLength        bool
	Alpha                 float64 // 0 without VariableLength
	Halves                bool    // counters are in halves now

	Load float64 // Total/Capacity; +Inf if the total is not known
	Fill float64 // fraction of the counters, or halves, that are not 0

	Stuck      uint64  // counters, or halves, at their ceiling
	FPP        float64 // probability that an absent key is found, from the present counters
	BitsPerKey float64 // bits of the body per Capacity
}

// Info describes the filter. It reads the whole body, for Fill, Stuck and FPP. O(len(blob)).
func (v *View) Info() Info {
	in := Info{
		Common:   v.Common(),
		Capacity: v.capacity, Counters: v.counters(), K: v.k, CounterBits: v.width, Variant: v.variant, Increment: v.inc,
		VariableLength: v.variable, Alpha: v.alpha, Halves: v.halves,
		Load:       math.Inf(1),
		BitsPerKey: float64(8*len(v.body)) / float64(v.capacity),
	}
	if in.TotalKnown {
		in.Load = float64(in.Total) / float64(v.capacity)
	}
	in.Fill, in.FPP, in.Stuck = v.measure()
	return in
}

// measure reads all counters. The probability that one hash function lets an absent key through is
// exact: the mean over all that its hash can choose. For fpp, K of them in as many words are taken as
// independent.
func (f *filter) measure() (fill, fpp float64, stuck uint64) {
	g := &f.kernel
	perWord := 64 / g.bits
	used, pass := uint64(0), 0.0
	for i := range f.words {
		w := f.at(i)
		if w == 0 {
			continue
		}
		used += perWord - uint64(bits.OnesCount64(g.zeros(w)))
		stuck += uint64(bits.OnesCount64(g.stuck(w)))
		var half [2]float64
		for at := uint64(0); at < 64; at += g.bits {
			half[(at&(g.width-1))/g.bits] += g.passes(w, at)
		}
		if g.halves {
			pass += half[0] * half[1] / float64(f.perWord())
		} else {
			pass += half[0]
		}
	}
	n := float64(f.counters())
	return float64(used) / float64(f.words*perWord), math.Pow(pass/n, float64(f.k)), stuck
}

// passes returns the fraction of all increments and signatures that the counter at bit at of the word
// does not rule out.
func (g *kernel) passes(word, at uint64) float64 {
	c := word >> at & g.ceiling
	if c < g.inc {
		return 0
	}
	l := float64(g.inc)
	if g.isNote(word >> (at ^ g.width) & g.ceiling) {
		return 1 / (3 * l * (l - 1))
	}
	if c < 2*g.inc {
		return 1 / l
	}
	return float64(min(g.inc, c-2*g.inc+1)) / l // v <= c-L
}

// Rows returns the counters in one row, each as the number in its bits. If counters are in halves, it
// returns two numbers for each, the lower half first. It returns the error of keyed.Listable.
func (v *View) Rows() ([][]uint64, error) {
	v.MustBeMade()
	g := &v.kernel
	if err := keyed.Listable(v.words * (64 / g.bits)); err != nil {
		return nil, err
	}
	row := make([]uint64, 0, v.words*(64/g.bits))
	for i := range v.words {
		for at := uint64(0); at < 64; at += g.bits {
			row = append(row, v.at(i)>>at&g.ceiling)
		}
	}
	return [][]uint64{row}, nil
}
