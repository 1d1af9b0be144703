package sbf

import (
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// Info describes a sketch without its keys.
type Info struct {
	keyed.Common
	Method         Method
	K              int
	Counters       uint64 // number of counters of the first filter
	SecondCounters uint64 // number of counters of the second filter; 0 unless RM or TRM

	Marker   bool
	Encoding Encoding
	Blocked  bool
	Range    Range // the zero Range where there is none
	Product  bool

	Keys float64 // about how many different keys, or nodes, are there.
	Load float64 // gamma: Keys*K/Counters; about 0.7 at the capacity.
	Fill float64 // fraction of the first filter's counters that are not 0.

	ErrorRate   float64 // probability that an absent key has a count
	SecondFill  float64 // as Fill, for the second filter
	Traps       int
	Largest     uint64  // largest counter of both filters
	CounterBits float64 // bits of a counter in the BLOB, the mean over both filters
}

// Info describes the sketch. It reads the whole body. O(len(blob)).
func (v *View) Info() Info {
	i := Info{
		Common: v.Common(),
		Method: v.method, K: v.k, Counters: v.m, SecondCounters: v.secondM,
		Marker: v.marker, Encoding: v.encoding, Blocked: v.blocked, Range: v.span,
		Product: v.product, Traps: len(v.trapTable) / trapBytes,
	}
	m := float64(v.m)
	var used uint64
	var rows [MaxK]uint64 // for each row, its counters that are not 0; unless blocked
	at := uint64(0)
	for _, vs := range words.Blocks(v.first.source()) { // one block of the layout at a time
		n := 0
		for _, c := range vs {
			i.Largest = max(i.Largest, c)
			if c != 0 {
				n++
				if !v.blocked {
					rows[at/v.width()]++
				}
			}
			at++
		}
		used += uint64(n)
		all := 1.0 // probability that k different counters of this block are all not 0
		for j := range v.k {
			all *= float64(max(n-j, 0)) / float64(len(vs)-j)
		}
		i.ErrorRate += all * float64(len(vs)) / m
	}
	i.Fill = float64(used) / m
	if !v.blocked {
		i.ErrorRate = 1
		for _, n := range rows[:v.k] {
			i.ErrorRate *= float64(n) / float64(v.width())
		}
	}
	// fill = 1 - exp(-n*k/m), section 2.1. If all counters are used, the number of keys is
	// not known: Load and Keys are +Inf.
	i.Load = -math.Log1p(-i.Fill)
	i.Keys = i.Load * m / float64(v.k)
	i.CounterBits = 8 * float64(v.counterBytes) / (m + float64(v.secondM))
	if v.method.recurring() {
		used, largest := words.Used(v.second.source())
		i.SecondFill = float64(used) / float64(v.secondM)
		i.Largest = max(i.Largest, largest)
	}
	return i
}

func median(vs []float64) float64 {
	slices.Sort(vs)
	n := len(vs)
	return (vs[(n-1)/2] + vs[n/2]) / 2
}
