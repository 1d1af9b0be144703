package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Filters of any family, and how often they find keys that are absent.

// container answers for many keys.
type container interface {
	ContainsHashes(dst []bool, h1s, h2s []uint64)
}

// positives counts the keys that a filter says it may hold.
func positives(c container, h hashes) (hits int) {
	var dst [pieceLen]bool
	for from := 0; from < h.len(); from += pieceLen {
		part := h.slice(from, min(from+pieceLen, h.len()))
		c.ContainsHashes(dst[:part.len()], part.h1, part.h2)
		hits += report.Count(dst[:part.len()], func(yes bool) bool { return yes })
	}
	return hits
}

// falsePositives counts, of n absent keys, those that a filter says it may
// hold, without keeping all their hashes.
func falsePositives(c container, seed uint64, n int) int {
	hits := 0
	for from := 0; from < n; from += 1 << 16 {
		hits += positives(c, numbers(seed, absent+uint64(from), min(1<<16, n-from)))
	}
	return hits
}

// tally is hits of absent keys over several filters, with what was expected of
// each.
type tally struct {
	hits, asked        int
	expected, variance float64 // of the hits
}

func (t *tally) add(hits, asked int, rate float64) {
	t.merge(tally{hits, asked, float64(asked) * rate, float64(asked) * rate * (1 - rate)})
}

func (t *tally) merge(o tally) {
	*t = tally{t.hits + o.hits, t.asked + o.asked, t.expected + o.expected, t.variance + o.variance}
}

func (t tally) rate() float64    { return float64(t.hits) / float64(t.asked) }
func (t tally) formula() float64 { return t.expected / float64(t.asked) }
func (t tally) z() float64       { return (float64(t.hits) - t.expected) / math.Sqrt(t.variance) }

// figures are the tally's, with the distance of the rate from the formula in standard
// errors, 0 where nothing is left to chance, and the interval of the rate.
func (t tally) figures() report.Figures {
	z := t.z()
	if t.variance == 0 {
		z = 0
	}
	lo, hi := report.Wilson(t.hits, t.asked)
	return report.Figures{"hits": float64(t.hits), "asked": float64(t.asked), "rate": t.rate(), "formula": t.formula(), "z": z, "far": math.Abs(z),
		"lo": lo, "hi": hi}
}

// tallies asks filters, each with a seed of its own, for absent keys, and sums up.
func tallies(seeds, asked int, build func(i int) (c container, rate float64)) (sum tally) {
	for _, t := range report.Parallel(seeds, func(i int) (t tally) {
		c, rate := build(i)
		t.add(falsePositives(c, seedOf(i), asked), asked, rate)
		return t
	}) {
		sum.merge(t)
	}
	return sum
}

// filter is a filter of any family.
type filter struct {
	family keyed.Any
	keyed.Sketch
}

func (f filter) add(h hashes) { report.Check(f.family.Add(f.Sketch, h.h1, h.h2, nil)) }

// ContainsHashes takes a key for there when it has a count.
func (f filter) ContainsHashes(dst []bool, h1s, h2s []uint64) {
	if c, yesOrNo := f.Sketch.(container); yesOrNo {
		c.ContainsHashes(dst, h1s, h2s)
		return
	}
	for i, n := range counts(f.Sketch.(counter), hashes{h1s, h2s}) {
		dst[i] = n > 0
	}
}

// remove takes keys away again.
func (f filter) remove(h hashes) {
	s := f.Sketch.(interface{ Remove(h1, h2, n uint64) error })
	for i := range h.h1 {
		report.Check(s.Remove(h.h1[i], h.h2[i], 1))
	}
}

// info is what X_info has of these names, the first that the family knows.
func (f filter) info(names ...string) (v sketch.Value, known bool) {
	r := f.family.Reader()
	report.Check(r.Open(f.Blob()))
	defer r.Close()
	for _, name := range names {
		if i := slices.IndexFunc(f.family.InfoFields(), func(of keyed.InfoField) bool { return of.Name == name }); i >= 0 {
			return r.Info(nil)[i], true
		}
	}
	return v, false
}

// predicted is the rate that the filter's own formula gives for its state.
func (f filter) predicted() float64 {
	rate, _ := f.info("fpp", "error_rate")
	return rate.Number
}

func (f filter) bits() int {
	if n, known := f.info("bits"); known {
		return int(n.Whole)
	}
	return 8 * f.Bytes()
}

// form is one variant of one family.
type form struct {
	family, name string
	make         func(capacity, seed uint64) filter
}

// formOf is a family with parameters to which the seed comes, and the capacity or, where
// they are given, the bits for each key of it.
func formOf[P comparable, S keyed.Mergeable[S], V any](f *keyed.Family[P, S, V], name string, p P, bits ...float64) form {
	return form{f.About().Name, name, func(capacity, seed uint64) filter {
		size := fmt.Sprintf(`"Capacity": %d`, capacity)
		if bits != nil {
			size = fmt.Sprintf(`"Bits": %.0f`, math.Floor(bits[0]*float64(capacity)))
		}
		p := p
		report.Check(json.Unmarshal(fmt.Appendf(nil, `{"Seed": %d, %s}`, seed, size), &p))
		return filter{f, report.Must(f.New(p))}
	}}
}
