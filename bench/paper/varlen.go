package main

import (
	"fmt"
	"math"

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

var (
	varlenLoads     = []float64{0.25, 0.5, 0.75, 0.9}
	varlenPublished = []float64{0.8815, 0.681, 0.1105, 0.0438}
)

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

// varlenJob is a pair at one step, with one seed.
type varlenJob struct{ pair, step, seed int }

// varlenOutcome is what a job gives: the plain form and that of variable
// length at every load, and their bytes.
type varlenOutcome struct {
	at    [2][]varlenPoint
	bytes int
}

// varlenOutcomes measures pairs at all their steps; the results have seed 0 in
// place of all seeds. Of filters of so many slots or keys no more than most
// absent keys are asked.
func varlenOutcomes(pairs []pair, size, most, seeds int) map[varlenJob]varlenOutcome {
	var jobs []varlenJob
	for i, p := range pairs {
		for _, step := range p.grid {
			for seed := range seeds {
				jobs = append(jobs, varlenJob{i, step, seed})
			}
		}
	}
	outcomes := report.Parallel(len(jobs), func(i int) varlenOutcome {
		j := jobs[i]
		var o varlenOutcome
		h := numbers(seedOf(j.seed), 0, size)
		for form := range 2 {
			f, capacity := pairs[j.pair].make(size, j.step, form == 1, seedOf(j.seed))
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
				p := varlenPoint{bits: float64(f.bits()) / float64(to)}
				p.add(falsePositives(f, seedOf(j.seed), asked), asked, rate)
				o.at[form] = append(o.at[form], p)
			}
		}
		return o
	})
	merged := map[varlenJob]varlenOutcome{}
	for i, j := range jobs {
		j.seed = 0
		o, there := merged[j]
		if !there {
			merged[j] = outcomes[i]
			continue
		}
		for form := range 2 {
			for l := range o.at[form] {
				o.at[form][l].merge(outcomes[i].at[form][l].tally)
			}
		}
	}
	return merged
}

// reduction is that of the rate by variable length, at one load.
func (o varlenOutcome) reduction(load int) float64 {
	plain, _ := o.at[0][load].best()
	variable, _ := o.at[1][load].best()
	return 1 - variable/plain
}

// meanReduction is that over the steps of a pair, at one load.
func meanReduction(merged map[varlenJob]varlenOutcome, pairs []pair, pair, load int) float64 {
	sum := 0.0
	for _, step := range pairs[pair].grid {
		sum += merged[varlenJob{pair, step, 0}].reduction(load)
	}
	return sum / float64(len(pairs[pair].grid))
}

// variableLength compares each filter with its variable-length form.
func variableLength(c report.Config, s *report.Section) {
	size := report.Pick(c, 1<<12, 1<<17, 1<<20)
	most := report.Pick(c, 2000, 1_000_000, 4_000_000)
	seeds := report.Pick(c, 1, 1, 2)
	s.Text("The variable-length framework (its sections III to VI): at equal bits, a filter that is not full remembers more of each key. "+
		"Cuckoo filters have %d slots, four a bucket. Counting filters have as many keys as capacity, m = k n / ln 2 counters, alpha 0.5 and k extra hash functions; plain ones have 4 bits a counter, "+
		"increments and tandem 8 bits and increments of 4 to 7, the most that half a counter takes. (The paper: 2^27; the rates do not depend on it.) "+
		"%d seeds with as many absent keys each as give 10,000 hits, but %d at most. "+
		"A reduction is 1 - rate(variable) / rate(plain), at equal bits. Where a rate shows in fewer than %d hits, the filter's own formula stands in for it, marked with ~; the section on rates holds the "+
		"formulas to measurement. Our defaults are `cuckoo_agg(key, {variable_length: true})` and `cbf_agg` alike, or with the filter's variant and nothing else, beside plain filters of as many bits.", size, seeds, most, leastHits)
	merged := varlenOutcomes(pairs, size, most, seeds)
	reductions(s, merged, varlenOutcomes(defaultPairs, size, most, seeds))
	varlenTheorems(s, merged, size)
	varlenAlpha(s, min(size, 1<<16))
	s.Text("Where variable length costs: half a counter holds increments of 4 to 7 at most, a whole one of 8 bits would best have 8 to 15. The two last rows and columns, and our defaults, compare " +
		"with a plain filter of the same bits that does. Below half of the capacity variable length still gains; above it, the filter keeps the smaller " +
		"increments for ever, and its rate is higher. Who fills a filter of increments to more than alpha is better off without variable length. " +
		"Counting filters gain nothing past alpha by design: the framework turns them into the plain form there, so that published means above 0 at 75 and 90%% can only " +
		"come from the cuckoo filters.")
	varlenDetail(s, merged)
}

// varlenDetail is every point of figures 4 and 5.
func varlenDetail(s *report.Section, merged map[varlenJob]varlenOutcome) {
	farthest := 0.0
	head := []string{"filter", "step", "bits per key of the capacity"}
	panels := make([]report.Panel, len(varlenLoads))
	for l, load := range varlenLoads {
		head = append(head, report.Percent(load)+": plain", "variable length", "reduction")
		panels[l] = report.Panel{Title: fmt.Sprintf("load %g%%", 100*load), X: "bits per key inserted", Y: "false positive rate", LogY: true}
	}
	panels[0].Legend = report.BottomLeft
	detail := report.NewTable(head...)
	for i, p := range pairs {
		lines := make([][2]report.Series, len(varlenLoads))
		for _, step := range p.grid {
			o := merged[varlenJob{i, step, 0}]
			row := []any{p.name, fmt.Sprintf("%d %s", step, p.what), fmt.Sprintf("%.1f", o.at[0][0].bits*varlenLoads[0])}
			for l := range varlenLoads {
				for form := range 2 {
					point := o.at[form][l]
					rate, seen := point.best()
					mark := "~"
					if seen {
						mark = ""
						farthest = math.Max(farthest, math.Abs(point.z()))
					}
					row = append(row, mark+report.Num(rate))
					x := &lines[l][form]
					x.X, x.Y = append(x.X, point.bits), append(x.Y, rate)
				}
				row = append(row, report.Percent(o.reduction(l)))
			}
			detail.Row(row...)
		}
		for l := range varlenLoads {
			for form, x := range lines[l] {
				x.Label, x.Style, x.Dashed = p.name, i, form == 1
				if form == 1 {
					x.Label = ""
				}
				if p.published != 0 {
					panels[l].Series = append(panels[l].Series, x)
				}
			}
		}
	}
	s.Text("Every point (largest |z| of the rates with at least %d hits: %.1f; \"step\" is what changes the bits):", leastHits, farthest)
	s.Add(detail)
	half := len(panels) / 2
	s.Figure("rate", "Rate over bits per key at four loads: whole lines plain, dotted lines variable length (figures 4 and 5 of the paper).", panels[:half], panels[half:])
}
