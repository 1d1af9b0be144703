package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
)

// pair is a filter and its variable-length form at equal bits.
type pair struct {
	name string
	grid []int // of fingerprint bits, or of hash functions
	what string
	// make makes a filter of about so many slots or keys, and says how many.
	make func(size, step int, variable bool, seed uint64) (f filter, capacity int, err error)
	// published is the mean reduction of the rate; 0 where there is none, and
	// the pair is no part of the means.
	published float64
}

// ofSlots makes cuckoo filters of so many slots in all.
func ofSlots(v cuckoo.Variant) func(size, step int, variable bool, seed uint64) (filter, int, error) {
	return func(size, step int, variable bool, seed uint64) (filter, int, error) {
		// A capacity is less than 95% of the slots.
		s, err := cuckoo.New(cuckoo.Params{Capacity: uint64(size) * 945 / 1000, FingerprintBits: uint64(step), Slots: 4, Variant: v, VariableLength: variable, Seed: seed})
		if err != nil {
			return nil, 0, err
		}
		return cuckooFilter{s}, int(s.Buckets()) * 4, nil
	}
}

// ofCounters makes counting filters of k N / ln 2 counters. increment is L of
// the fixed and of the variable form.
func ofCounters(v cbf.Variant, width uint64, increment [2]uint64) func(size, step int, variable bool, seed uint64) (filter, int, error) {
	return func(size, step int, variable bool, seed uint64) (filter, int, error) {
		p := cbf.Params{
			Capacity: uint64(size), Counters: uint64(math.Ceil(float64(size*step) / math.Ln2)), K: uint64(step), CounterBits: width,
			Variant: v, Increment: increment[0], VariableLength: variable, Seed: seed,
		}
		if variable {
			p.Increment = increment[1]
		}
		s, err := cbf.New(p)
		return countingFilter{s}, size, err
	}
}

var pairs = []pair{
	{"cuckoo", []int{8, 10, 12, 14, 16}, "fingerprint bits", ofSlots(cuckoo.Plain), 0.4498},
	{"tagged", []int{8, 10, 12, 14, 16}, "fingerprint bits", ofSlots(cuckoo.Tagged), 0.4553},
	{"counting", []int{2, 3, 4, 5, 6}, "k", ofCounters(cbf.Plain, 4, [2]uint64{}), 0.2494},
	{"increment", []int{2, 3, 4, 5, 6}, "k", ofCounters(cbf.Increment, 8, [2]uint64{4, 4}), 0.4941},
	{"tandem", []int{2, 3, 4, 5, 6}, "k", ofCounters(cbf.Tandem, 8, [2]uint64{4, 4}), 0.4973},
	{"increment, L 8 when plain", []int{2, 3, 4, 5, 6}, "k", ofCounters(cbf.Increment, 8, [2]uint64{8, 4}), 0},
	{"tandem, L 8 when plain", []int{2, 3, 4, 5, 6}, "k", ofCounters(cbf.Tandem, 8, [2]uint64{8, 4}), 0},
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

// best is the measured rate, or where less than 50 hits make it, the formula's.
func (p varlenPoint) best() (rate float64, measured bool) {
	if p.hits >= 50 {
		return p.rate(), true
	}
	return p.formula(), false
}

// variableLength compares each filter with its variable-length form.
func variableLength(c report.Config, s *report.Section) error {
	size := report.Pick(c, 1<<12, 1<<17, 1<<20)
	most := report.Pick(c, 2000, 1_000_000, 16_000_000)
	seeds := report.Pick(c, 1, 1, 2)
	s.Text("The variable-length framework (its sections III to VI): at equal bits, a filter that is not full remembers more of each key. %d slots "+
		"for cuckoo filters, with four slots a bucket, and for the counting ones as many keys as capacity, m = k n / ln 2 counters, alpha 0.5, k extra hash functions; increments and tandem with 8-bit "+
		"counters and increments of 4 to 7 (the most that half a counter takes), plain ones with 4 bits, each form of a pair with the same. (The paper: 2^27; the rates do not depend on it.) %d seeds with as many absent keys each as give 10,000 hits, but %d at most. "+
		"A reduction is 1 - rate(variable) / rate(plain). Where a rate shows in fewer than 50 hits, the filter's own formula stands in for it, marked with ~; the section on rates holds the "+
		"formulas to measurement.", size, seeds, most)
	type job struct{ pair, step, seed int }
	type outcome struct{ at [2][]varlenPoint }
	var jobs []job
	for i, p := range pairs {
		for _, step := range p.grid {
			for seed := range seeds {
				jobs = append(jobs, job{i, step, seed})
			}
		}
	}
	outcomes, err := report.Parallel(s, len(jobs), func(i int) (outcome, error) {
		j := jobs[i]
		var o outcome
		h := numbers(seedOf(j.seed), 0, size)
		for form := range 2 {
			f, capacity, err := pairs[j.pair].make(size, j.step, form == 1, seedOf(j.seed))
			if err != nil {
				return o, err
			}
			from := 0
			for _, load := range varlenLoads {
				to := int(load * float64(capacity))
				if err := f.add(h.slice(from, to)); err != nil {
					return o, fmt.Errorf("%s at load %g: %w", pairs[j.pair].name, load, err)
				}
				from = to
				rate, err := f.predicted()
				if err != nil {
					return o, err
				}
				asked := int(min(float64(most), max(10_000/rate, 100_000)))
				p := varlenPoint{bits: float64(f.bits()) / float64(to)}
				p.add(falsePositives(f, seedOf(j.seed), asked), asked, rate)
				o.at[form] = append(o.at[form], p)
			}
		}
		return o, nil
	})
	if err != nil {
		return err
	}
	merged := map[job]outcome{}
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

	// Means: by load and by filter, of every point of the grid alike.
	sum, n := make([][]float64, len(pairs)), make([][]float64, len(pairs))
	for i := range pairs {
		sum[i], n[i] = make([]float64, len(varlenLoads)), make([]float64, len(varlenLoads))
	}
	farthest := 0.0
	detail := report.NewTable("filter", "step", "bits per key inserted", "load", "plain", "variable length", "reduction", "z plain", "z variable")
	panels := make([]report.Panel, len(varlenLoads))
	for l, load := range varlenLoads {
		panels[l] = report.Panel{Title: fmt.Sprintf("load %g%%", 100*load), X: "bits per key inserted", Y: "false positive rate", LogY: true}
	}
	panels[0].Legend = report.BottomLeft
	for i, p := range pairs {
		lines := make([][2]report.Series, len(varlenLoads))
		for _, step := range p.grid {
			o := merged[job{i, step, 0}]
			for l, load := range varlenLoads {
				plain, plainSeen := o.at[0][l].best()
				variable, variableSeen := o.at[1][l].best()
				reduction := 1 - variable/plain
				sum[i][l] += reduction
				n[i][l]++
				mark := func(v float64, seen bool) string {
					if seen {
						return report.Num(v)
					}
					return "~" + report.Num(v)
				}
				z := [2]float64{}
				for form := range 2 {
					if o.at[form][l].hits >= 50 {
						z[form] = o.at[form][l].z()
					}
					farthest = math.Max(farthest, math.Abs(z[form]))
				}
				detail.Row(p.name, fmt.Sprintf("%d %s", step, p.what), fmt.Sprintf("%.1f", o.at[0][l].bits), report.Percent(load), mark(plain, plainSeen), mark(variable, variableSeen), report.Percent(reduction),
					fmt.Sprintf("%.1f", z[0]), fmt.Sprintf("%.1f", z[1]))
				for form, rate := range []float64{plain, variable} {
					x := &lines[l][form]
					x.X, x.Y = append(x.X, o.at[form][l].bits), append(x.Y, rate)
				}
			}
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

	var byLoad, byFilter []string
	t := s.Table("mean reduction at load", "published", "ours", "cuckoo", "tagged", "counting", "increment", "tandem", "increment, L 8 when plain", "tandem, L 8 when plain", "ours at least the published")
	for l, load := range varlenLoads {
		row := []any{report.Percent(load), report.Percent(varlenPublished[l])}
		total, count := 0.0, 0.0
		var each []any
		for i, p := range pairs {
			each = append(each, report.Percent(sum[i][l]/n[i][l]))
			if p.published != 0 {
				total += sum[i][l] / n[i][l]
				count++
			}
		}
		row = append(append(row, report.Percent(total/count)), each...)
		byLoad = append(byLoad, report.Percent(total/count))
		t.Row(append(row, atLeast(total/count, varlenPublished[l]))...)
	}
	t = s.Table("mean reduction of", "published", "ours", "at least the published")
	for i, p := range pairs {
		total := 0.0
		for l := range varlenLoads {
			total += sum[i][l] / n[i][l] / float64(len(varlenLoads))
		}
		if p.published == 0 {
			t.Row(p.name, "none", report.Percent(total), "no part of the means")
			continue
		}
		byFilter = append(byFilter, report.Percent(total))
		t.Row(p.name, report.Percent(p.published), report.Percent(total), atLeast(total, p.published))
	}
	s.Short("mean reduction %s at loads of 25, 50, 75, 90%% (published 88, 68, 11, 4%%); %s for cuckoo, tagged, counting, increment, tandem (published 45, 46, 25, 49, 50%%).",
		strings.Join(byLoad, ", "), strings.Join(byFilter, ", "))
	s.Text("Where variable length costs: half a counter holds increments of 4 to 7 at most, a whole one of 8 bits would best have 8 to 15. The two last rows and columns compare " +
		"with a plain filter of the same bits that does. Below half of the capacity variable length still gains; above it, the filter keeps the smaller " +
		"increments for ever, and its rate is higher. Who fills a filter of increments to more than alpha is better off without variable length. " +
		"Counting filters gain nothing past alpha by design: the framework turns them into the plain form there, so that published means above 0 at 75 and 90%% can only " +
		"come from the cuckoo filters.")
	s.Text("Every point (largest |z| of the rates with at least 50 hits: %.1f; \"step\" is what changes the bits):", farthest)
	s.Add(detail)
	half := len(panels) / 2
	return s.Figure("rate", "Rate over bits per key at four loads: whole lines plain, dotted lines variable length (figures 4 and 5 of the paper).", panels[:half], panels[half:])
}

// atLeast says whether a figure reaches the published one.
func atLeast(v, published float64) string {
	if v >= published {
		return "yes"
	}
	return "**no**"
}
