package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
)

// maker makes a filter of about so many slots or keys at a step, and says how many.
type maker func(size, step int, variable bool, seed uint64) (f filter, capacity int)

// pair is a filter and its variable-length form at equal bits.
type pair struct {
	name string
	grid []int // of fingerprint bits, or of hash functions
	what string
	make maker
	// published is the mean reduction of the rate; 0 where there is none, and
	// the pair is no part of the means.
	published float64
	byDefault bool // the variant is the default of cuckoo_agg or cbf_agg
}

// ofSlots makes cuckoo filters of so many slots in all.
func ofSlots(v cuckoo.Variant, removable bool) maker {
	return func(size, step int, variable bool, seed uint64) (filter, int) {
		// A capacity is less than 95% of the slots.
		s := report.Must(cuckoo.New(cuckoo.Params{Capacity: uint64(size) * 945 / 1000, FingerprintBits: uint64(step), Slots: 4, Variant: v, VariableLength: variable, Duplicates: removable, Seed: seed}))
		return cuckooFilter{s}, int(s.Buckets()) * 4
	}
}

// ofCounters makes counting filters of k N / ln 2 counters. increment is L of
// the fixed and of the variable form.
func ofCounters(v cbf.Variant, width uint64, increment [2]uint64) maker {
	return func(size, step int, variable bool, seed uint64) (filter, int) {
		p := cbf.Params{
			Capacity: uint64(size), Counters: uint64(math.Ceil(float64(size*step) / math.Ln2)), K: uint64(step), CounterBits: width,
			Variant: v, Increment: increment[0], VariableLength: variable, Seed: seed,
		}
		if variable {
			p.Increment = increment[1]
		}
		return countingFilter{report.Must(cbf.New(p))}, size
	}
}

var pairs = []pair{
	{name: "cuckoo", grid: []int{8, 10, 12, 14, 16}, what: "fingerprint bits", make: ofSlots(cuckoo.Plain, false), published: 0.4498},
	{name: "tagged", grid: []int{8, 10, 12, 14, 16}, what: "fingerprint bits", make: ofSlots(cuckoo.Tagged, false), published: 0.4553},
	{name: "counting", grid: []int{2, 3, 4, 5, 6}, what: "k", make: ofCounters(cbf.Plain, 4, [2]uint64{}), published: 0.2494},
	{name: "increment", grid: []int{2, 3, 4, 5, 6}, what: "k", make: ofCounters(cbf.Increment, 8, [2]uint64{4, 4}), published: 0.4941},
	{name: "tandem", grid: []int{2, 3, 4, 5, 6}, what: "k", make: ofCounters(cbf.Tandem, 8, [2]uint64{4, 4}), published: 0.4973},
	{name: "increment, L 8 when plain", grid: []int{2, 3, 4, 5, 6}, what: "k", make: ofCounters(cbf.Increment, 8, [2]uint64{8, 4})},
	{name: "tandem, L 8 when plain", grid: []int{2, 3, 4, 5, 6}, what: "k", make: ofCounters(cbf.Tandem, 8, [2]uint64{8, 4})},
}

// defaultCounting makes a counting filter of variable length with default
// options, or a plain one of as many bits.
func defaultCounting(v cbf.Variant, capacity uint64, variable bool, seed uint64) *cbf.Sketch {
	p := cbf.Params{Capacity: capacity, Variant: v, VariableLength: true, Seed: seed}
	s := report.Must(cbf.New(p))
	if variable {
		return s
	}
	i := countingFilter{s}.info()
	p.VariableLength, p.Counters, p.CounterBits = false, i.Counters, i.CounterBits
	return report.Must(cbf.New(p))
}

func ofDefaults(v cbf.Variant) maker {
	return func(size, _ int, variable bool, seed uint64) (filter, int) {
		return countingFilter{defaultCounting(v, uint64(size), variable, seed)}, size
	}
}

// defaultPairs are the pairs of the means with default options.
var defaultPairs = []pair{
	{name: "cuckoo", grid: []int{cuckoo.DefaultFingerprintBits}, make: ofSlots(cuckoo.Plain, false), byDefault: true},
	{name: "tagged", grid: []int{cuckoo.DefaultFingerprintBits}, make: ofSlots(cuckoo.Tagged, false)},
	{name: "counting", grid: []int{0}, make: ofDefaults(cbf.Plain), byDefault: true},
	{name: "increment", grid: []int{0}, make: ofDefaults(cbf.Increment)},
	{name: "tandem", grid: []int{0}, make: ofDefaults(cbf.Tandem)},
}

var varlenLoads = []float64{0.25, 0.5, 0.75, 0.9}

// varlenPoint is a filter of a pair at one load.
type varlenPoint struct {
	tally
	bits float64 // per key of the capacity
}

// leastHits is how many show a rate.
const leastHits = 50

// best is the measured rate, or where fewer hits than leastHits make it, the
// formula's.
func (p varlenPoint) best() (rate float64, measured bool) {
	if p.hits >= leastHits {
		return p.rate(), true
	}
	return p.formula(), false
}

// varlenOutcome is a pair at one step with one seed: the plain form and that of
// variable length at every load, and their bytes.
type varlenOutcome struct {
	at    [2][]varlenPoint
	bytes int
}

// varlenOutcomeOf asks no more than most absent keys of filters of so many slots or keys.
func varlenOutcomeOf(p pair, step, size, most int, seed uint64) (o varlenOutcome) {
	h := numbers(seed, 0, size)
	for form := range 2 {
		f, capacity := p.make(size, step, form == 1, seed)
		o.bytes = f.bits() / 8
		from := 0
		for _, load := range varlenLoads {
			to := int(load * float64(capacity))
			f.add(h.slice(from, to))
			from = to
			rate := f.predicted()
			// What no number of keys shows is asked little.
			asked := min(most, 100_000)
			if float64(most)*rate >= leastHits/2 {
				asked = int(min(float64(most), max(10_000/rate, 100_000)))
			}
			point := varlenPoint{bits: float64(f.bits()) / float64(to)}
			point.add(falsePositives(f, seed, asked), asked, rate)
			o.at[form] = append(o.at[form], point)
		}
	}
	return o
}

// recordPairs measures pairs at all their steps and loads: a row for each, of all seeds
// together. A reduction is that of the rate by variable length.
func recordPairs(s *report.Section, options string, pairs []pair, size, most, seeds int) {
	type job struct{ pair, step, seed int }
	var jobs []job
	for i, p := range pairs {
		for _, step := range p.grid {
			for seed := range seeds {
				jobs = append(jobs, job{i, step, seed})
			}
		}
	}
	outcomes := report.Parallel(len(jobs), func(i int) varlenOutcome {
		j := jobs[i]
		return varlenOutcomeOf(pairs[j.pair], j.step, size, most, seedOf(j.seed))
	})
	for bySeed := range slices.Chunk(outcomes, seeds) {
		p, step := pairs[jobs[0].pair], jobs[0].step
		jobs = jobs[seeds:]
		for l, load := range varlenLoads {
			of := report.Figures{"bytes": float64(bySeed[0].bytes)}
			var best [2]float64
			for form, name := range []string{"plain", "variable"} {
				sum := bySeed[0].at[form][l]
				for _, o := range bySeed[1:] {
					sum.merge(o.at[form][l].tally)
				}
				var seen bool
				best[form], seen = sum.best()
				of[name], of[name+" bits"] = best[form], sum.bits
				if seen {
					of[name+" far"] = math.Abs(sum.z())
					of["far"] = max(of["far"], math.Abs(sum.z()))
				}
			}
			of["reduction"], of["per key"] = 1-best[1]/best[0], of["plain bits"]*load
			s.Record(report.At{"options": options, "filter": p.name, "what": p.what, "published": p.published, "in mean": p.published != 0, "default": p.byDefault, "step": step, "middle": slices.Index(p.grid, step) == middle, "load": load}, of)
		}
	}
}

// middle is the step whose filters stand for a pair where one figure is asked:
// 12 bits or k = 4, as the paper's examples have them.
const middle = 2

// variableLength compares each filter with its variable-length form.
func variableLength(c report.Config, s *report.Section) {
	size := report.Pick(c, 1<<12, 1<<17, 1<<20)
	most := report.Pick(c, 2000, 1_000_000, 4_000_000)
	seeds := report.Pick(c, 1, 1, 2)
	s.Set("size", size, "seeds", seeds, "most", most, "least hits", leastHits)
	recordPairs(s, "paper's", pairs, size, most, seeds)
	recordPairs(s, "defaults", defaultPairs, size, most, seeds)
	for l, published := range []float64{0.8815, 0.681, 0.1105, 0.0438} {
		s.Record(report.At{"at load": varlenLoads[l]}, report.Figures{"mean": published})
	}
	defaults := s.Where("options", "defaults")
	byDefault := 0.0 // the largest mean reduction at a load
	for _, at := range defaults.By("load", "default", "filter") {
		if at.At["default"] == true {
			byDefault = max(byDefault, at.Mean("reduction"))
		}
	}
	s.Set("largest by default", byDefault, "default bytes", defaults.Sum("bytes", "default", true, "load", 0.9), "paper's bytes", s.Sum("bytes", "in mean", true, "middle", true, "load", 0.9, "options", "paper's"))
	varlenTheorems(s, size)
	varlenAlpha(s, min(size, 1<<16))
	var panels []report.Panel
	for _, at := range s.Where("options", "paper's").By("load") {
		p := report.Panel{Title: fmt.Sprintf("load %g%%", 100*at.At["load"].(float64)), X: "bits per key inserted", Y: "false positive rate", LogY: true}
		for i, of := range at.By("filter", "published") {
			if of.At["published"] != 0. {
				p.Series = append(p.Series, report.Series{Label: pairs[i].name, Style: i, X: of.All("plain bits"), Y: of.All("plain")},
					report.Series{Style: i, Dashed: true, X: of.All("variable bits"), Y: of.All("variable")})
			}
		}
		panels = append(panels, p)
	}
	panels[0].Legend = report.BottomLeft
	s.Plot("rate", panels[:2], panels[2:])
}
