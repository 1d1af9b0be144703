package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// This file measures how often filters of any family find absent keys.

// container is a filter that looks up many keys at once.
type container interface {
	ContainsHashes(dst []bool, h1s, h2s []uint64)
}

// positives returns how many of n consecutive numbers a filter may contain, according to itself. It
// does not keep all hashes in memory.
func positives(c container, seed, first uint64, n int) (hits int) {
	var dst [pieceLen]bool
	for from := 0; from < n; from += pieceLen {
		part := numbers(seed, first+uint64(from), min(pieceLen, n-from))
		c.ContainsHashes(dst[:part.len()], part.h1, part.h2)
		hits += report.Count(dst[:part.len()], func(yes bool) bool { return yes })
	}
	return hits
}

// tally counts lookups of absent keys that were found, over several filters, with their expected
// number.
type tally struct {
	hits, asked        int
	expected, variance float64 // mean and variance of the number of hits by the formula
}

// add adds lookups of one filter. rate is the filter's false positive rate by the formula.
func (t *tally) add(hits, asked int, rate float64) {
	t.merge(tally{hits, asked, float64(asked) * rate, float64(asked) * rate * (1 - rate)})
}

func (t *tally) merge(o tally) {
	*t = tally{t.hits + o.hits, t.asked + o.asked, t.expected + o.expected, t.variance + o.variance}
}

func (t tally) rate() float64    { return float64(t.hits) / float64(t.asked) }
func (t tally) formula() float64 { return t.expected / float64(t.asked) }
func (t tally) z() float64       { return (float64(t.hits) - t.expected) / math.Sqrt(t.variance) }

// figures returns the rate with its interval, the formula, and their distance in standard errors.
// The distance is 0 if the variance is 0.
func (t tally) figures() report.Figures {
	z := t.z()
	if t.variance == 0 {
		z = 0
	}
	lo, hi := report.Wilson(t.hits, t.asked)
	return report.Figures{"hits": float64(t.hits), "asked": float64(t.asked), "rate": t.rate(), "formula": t.formula(), "z": z, "far": math.Abs(z),
		"lo": lo, "hi": hi}
}

// tallies looks up absent keys in filters with different seeds, and adds up the results.
func tallies(seeds, asked int, build func(i int) (c container, rate float64)) (sum tally) {
	for _, t := range report.Parallel(seeds, func(i int) (t tally) {
		c, rate := build(i)
		t.add(positives(c, seedOf(i), absent, asked), asked, rate)
		return t
	}) {
		sum.merge(t)
	}
	return sum
}

// filter is a sketch of any family that looks up keys.
type filter struct {
	family keyed.Any
	keyed.Sketch
}

func (f filter) add(h hashes) { report.Check(f.family.Add(f.Sketch, h.h1, h.h2, nil)) }

// ContainsHashes implements container. A key with a count above 0 is contained.
func (f filter) ContainsHashes(dst []bool, h1s, h2s []uint64) {
	if c, yesOrNo := f.Sketch.(container); yesOrNo {
		c.ContainsHashes(dst, h1s, h2s)
		return
	}
	for i, n := range counts(f.Sketch.(counter), hashes{h1s, h2s}) {
		dst[i] = n > 0
	}
}

// remove removes keys.
func (f filter) remove(h hashes) {
	s := f.Sketch.(interface{ Remove(h1, h2, n uint64) error })
	for i := range h.h1 {
		report.Check(s.Remove(h.h1[i], h.h2[i], 1))
	}
}

// info returns the first of these fields that the family's X_info has.
func (f filter) info(names ...string) (v sketch.Value, known bool) {
	r := f.family.Reader()
	report.Check(r.Open(f.Blob()))
	for _, name := range names {
		if i := slices.IndexFunc(f.family.InfoFields(), func(of keyed.InfoField) bool { return of.Name == name }); i >= 0 {
			return r.Info(nil)[i], true
		}
	}
	return v, false
}

func (f filter) bits() int {
	if n, known := f.info("bits"); known {
		return int(n.Whole)
	}
	return 8 * f.Bytes()
}

// form is a variant of a family. make returns an empty filter for a capacity.
type form struct {
	family, name string
	make         func(capacity, seed uint64) filter
}

// formOf returns a form. make adds the seed and the capacity to the parameters or, if bits is
// given, the bits per key of the capacity.
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

// forms are the variants of all families that return whether or how often a key occurs.
var forms = []form{
	formOf(bloom.Family, "standard", bloom.Params{}),
	formOf(bloom.Family, "rational, k 3.4, by hash", bloom.Params{K: 3.4, Variant: bloom.Rational}, 3.4/math.Ln2),
	formOf(bloom.Family, "rational, k 3.4, by position", bloom.Params{K: 3.4, Variant: bloom.Rational, Activation: bloom.ByPosition}, 3.4/math.Ln2),
	formOf(bloom.Family, "blocks", bloom.Params{Variant: bloom.Blocks}),
	formOf(bloom.Family, "blocks, k 3.4", bloom.Params{K: 3.4, Variant: bloom.Blocks}, 3.4/math.Ln2),
	formOf(cbf.Family, "plain", cbf.Params{}),
	formOf(cbf.Family, "plain, variable length", cbf.Params{VariableLength: true}),
	formOf(cbf.Family, "increment", cbf.Params{Variant: cbf.Increment}),
	formOf(cbf.Family, "increment, variable length", cbf.Params{Variant: cbf.Increment, VariableLength: true}),
	formOf(cbf.Family, "tandem", cbf.Params{Variant: cbf.Tandem}),
	formOf(cbf.Family, "tandem, variable length", cbf.Params{Variant: cbf.Tandem, VariableLength: true}),
	formOf(cuckoo.Family, "plain", cuckoo.Params{FingerprintBits: 10}),
	formOf(cuckoo.Family, "plain, variable length", cuckoo.Params{FingerprintBits: 10, VariableLength: true}),
	formOf(cuckoo.Family, "tagged", cuckoo.Params{FingerprintBits: 10, Variant: cuckoo.Tagged}),
	formOf(cuckoo.Family, "tagged, variable length", cuckoo.Params{FingerprintBits: 10, Variant: cuckoo.Tagged, VariableLength: true}),
	formOf(sbf.Family, "ms", sbf.Params{}),
	formOf(sbf.Family, "ms, blocked", sbf.Params{Blocked: true}),
	formOf(sbf.Family, "mi", sbf.Params{Method: sbf.MI}),
	formOf(sbf.Family, "rm", sbf.Params{Method: sbf.RM}),
	formOf(sbf.Family, "trm", sbf.Params{Method: sbf.TRM}),
}

// loads are the fractions of the capacity at which filters are measured.
var loads = []float64{0.25, 0.5, 0.75, 0.9, 1}

// rates compares the false positive rate of every form with its formula.
func rates(c report.Scale, s *report.Section) {
	seeds, capacity, asked := report.Pick(c, 1, 4, 20), report.Pick(c, 1000, 20_000, 30_000), report.Pick(c, 500, 100_000, 500_000)
	s.Set("capacity", capacity, "seeds", seeds, "asked", asked, "rate of sbf", bloomRate(spectralK/spectralGamma, 1, spectralK))
	for i, all := range report.Parallel(len(forms), func(i int) []loaded {
		return atLoads(seeds, loads, func(seed uint64) (filter, int) { return forms[i].make(uint64(capacity), seed), capacity }, func(float64) int { return asked })
	}) {
		bits := all[len(loads)-1].bits
		for l, at := range all {
			of := at.figures()
			of["bytes"], of["bits"] = float64(bits/8), float64(bits)/float64(capacity)
			s.Record(report.At{"family": forms[i].family, "variant": forms[i].name, "load": loads[l]}, of)
		}
	}
	s.Set("farthest", leastOf(s.By("family", "variant", "load"), func(at *report.Data) float64 { return -at.First("far") }))
}

// loaded has the lookups in filters with a number of keys, and the bits of the first one.
type loaded struct {
	tally
	keys, bits int
	empty      int // bits of the first one without keys
}

// atLoads adds keys to filters with several seeds, up to each load of their capacity, and looks up absent
// keys there. asked returns how many, for a rate by the formula.
func atLoads(seeds int, loads []float64, build func(seed uint64) (f filter, capacity int), asked func(rate float64) int) []loaded {
	all := make([]loaded, len(loads))
	for i := range seeds {
		f, capacity := build(seedOf(i))
		h, from, empty := numbers(seedOf(i), 0, capacity), 0, f.bits()
		for l, load := range loads {
			to := int(load * float64(capacity))
			f.add(h.slice(from, to))
			from = to
			rate, _ := f.info("fpp", "error_rate") // the false positive rate by the filter's own formula in its state
			n := asked(rate.Number)
			all[l].add(positives(f, seedOf(i), absent, n), n, rate.Number)
			if i == 0 {
				all[l].keys, all[l].bits, all[l].empty = to, f.bits(), empty
			}
		}
	}
	return all
}

// countMin compares the estimates of Count-Min with its bound.
func countMin(c report.Scale, s *report.Section) {
	seeds, draws, distinct := report.Pick(c, 2, 5, 20), report.Pick(c, 2000, 200_000, 1_000_000), report.Pick(c, 500, 20_000, 100_000)
	s.Set("draws", draws, "distinct", distinct, "seeds", seeds)
	for _, skew := range []float64{0, 0.5, 1, 1.5} {
		z := newZipf(distinct, skew)
		for _, rule := range []string{"plain", "conservative"} {
			s.Record(report.At{"skew": skew, "rule": rule}, report.Parallel(seeds, func(i int) report.Figures {
				seed := seedOf(i)
				sk := report.Must(cms.New(cms.Params{Conservative: rule == "conservative", Seed: seed}))
				truth, keys := make([]uint64, distinct), numbers(seed, 0, distinct)
				for _, i := range z.stream(random(seed, 8), draws) {
					sk.Add(keys.h1[i], keys.h2[i], 1)
					truth[i]++
				}
				of := report.Figures{"beyond": 0, "below": 0, "most": 0}
				if i == 0 {
					of["bytes"] = float64(len(sk.Blob()))
				}
				seen := report.Count(truth, func(n uint64) bool { return n > 0 })
				for i, got := range counts(sk, keys) {
					if truth[i] > 0 {
						over := (float64(got) - float64(truth[i])) / (cms.DefaultEpsilon * float64(draws))
						of["beyond"] += yesNo(over > 1) / float64(seen)
						report.Require(over >= 0, "a key that occurs %d times counts %d", truth[i], got)
						of["excess"] += over / float64(seen)
						of["most"] = max(of["most"], over)
					}
				}
				return of
			})...)
		}
	}
}
