package main

import (
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"gonum.org/v1/gonum/floats"
)

// maker makes a filter of about size slots or keys, for a number of fingerprint bits or hash
// functions, and returns its capacity. removable: keys can be removed.
type maker func(size, step int, variable, removable bool, seed uint64) (f filter, capacity int)

// pair is a filter and its variable-length form with equal bits.
type pair struct {
	name string
	grid []int // measured numbers of fingerprint bits or of hash functions
	what string
	make maker
	// published is the paper's mean reduction of the false-positive rate. With 0 the paper has none,
	// and the pair is not part of the means.
	published float64
	byDefault bool // the variant is the default of cuckoo_agg or cbf_agg
}

// ofSlots makes cuckoo filters with a total number of slots.
func ofSlots(v cuckoo.Variant) maker {
	return func(size, step int, variable, removable bool, seed uint64) (filter, int) {
		s := report.Must(cuckoo.New(cuckoo.Params{
			Capacity:        uint64(size) * 945 / 1000, // below 95% of the slots
			FingerprintBits: uint64(step), Slots: 4, Variant: v, VariableLength: variable, Duplicates: removable, Seed: seed,
		}))
		return filter{cuckoo.Family, s}, int(s.Buckets()) * 4
	}
}

// ofCounters makes counting filters for N keys, with k N / ln 2 counters of width bits. increment has
// the parameter L of two forms: the plain one, and the one of variable length.
func ofCounters(v cbf.Variant, width uint64, increment [2]uint64) maker {
	return func(size, step int, variable, _ bool, seed uint64) (filter, int) {
		p := cbf.Params{
			Capacity: uint64(size), Counters: uint64(math.Ceil(float64(size*step) / math.Ln2)), K: uint64(step), CounterBits: width,
			Variant: v, Increment: increment[int(yesNo(variable))], VariableLength: variable, Seed: seed,
		}
		return filter{cbf.Family, report.Must(cbf.New(p))}, size
	}
}

// ofDefaults makes counting filters of variable length with default options, and plain ones with as
// many bits.
func ofDefaults(v cbf.Variant) maker {
	return func(size, _ int, variable, _ bool, seed uint64) (filter, int) {
		p := cbf.Params{Capacity: uint64(size), Variant: v, VariableLength: true, Seed: seed}
		s := report.Must(cbf.New(p))
		if !variable {
			v := report.Must(cbf.NewView(s.Blob()))
			i := v.Info()
			p.VariableLength, p.Counters, p.CounterBits = false, i.Counters, i.CounterBits
			s = report.Must(cbf.New(p))
		}
		return filter{cbf.Family, s}, size
	}
}

// These are the steps of pairs. middle is the index of the step that represents a pair in single
// figures: 12 bits or k = 4, as in the paper's examples.
var (
	fingerprints = []int{8, 10, 12, 14, 16}
	functions    = []int{2, 3, 4, 5, 6}
)

const middle = 2

var pairs = []pair{
	{name: "cuckoo", grid: fingerprints, what: "fingerprint bits", make: ofSlots(cuckoo.Plain), published: 0.4498},
	{name: "tagged", grid: fingerprints, what: "fingerprint bits", make: ofSlots(cuckoo.Tagged), published: 0.4553},
	{name: "counting", grid: functions, what: "k", make: ofCounters(cbf.Plain, 4, [2]uint64{}), published: 0.2494},
	{name: "increment", grid: functions, what: "k", make: ofCounters(cbf.Increment, 8, [2]uint64{4, 4}), published: 0.4941},
	{name: "tandem", grid: functions, what: "k", make: ofCounters(cbf.Tandem, 8, [2]uint64{4, 4}), published: 0.4973},
	{name: "increment, L 8 when plain", grid: functions, what: "k", make: ofCounters(cbf.Increment, 8, [2]uint64{8, 4})},
	{name: "tandem, L 8 when plain", grid: functions, what: "k", make: ofCounters(cbf.Tandem, 8, [2]uint64{8, 4})},
}

// defaultPairs are the pairs of the means with default options.
var defaultPairs = []pair{
	{name: "cuckoo", grid: []int{cuckoo.DefaultFingerprintBits}, make: ofSlots(cuckoo.Plain), byDefault: true},
	{name: "tagged", grid: []int{cuckoo.DefaultFingerprintBits}, make: ofSlots(cuckoo.Tagged)},
	{name: "counting", grid: []int{0}, make: ofDefaults(cbf.Plain), byDefault: true},
	{name: "increment", grid: []int{0}, make: ofDefaults(cbf.Increment)},
	{name: "tandem", grid: []int{0}, make: ofDefaults(cbf.Tandem)},
}

var varlenLoads = []float64{0.25, 0.5, 0.75, 0.9}

// leastHits is the least number of hits for a measured rate. With fewer hits the formula's rate is
// used.
const leastHits = 50

// measure looks up at most most absent keys in filters of a size. It returns the rates of the plain
// and the variable form at every load, over all seeds.
func (p pair) measure(step, size, most, seeds int) []report.Figures {
	// A rate is too low to measure if it gives fewer than leastHits/2 hits even in the largest number of
	// lookups. Then few lookups run.
	asked := func(rate float64) int {
		if float64(most)*rate < leastHits/2 {
			return min(most, 100_000)
		}
		return int(min(float64(most), max(10_000/rate, 100_000)))
	}
	at := report.Column(varlenLoads, func(float64) report.Figures { return report.Figures{} })
	for form, name := range []string{"plain", "variable"} {
		for l, sum := range atLoads(seeds, varlenLoads, func(seed uint64) (filter, int) { return p.make(size, step, form == 1, false, seed) }, asked) {
			of := at[l]
			of["bytes"], of[name+" bits"] = float64(sum.empty/8), float64(sum.bits)/float64(sum.keys)
			if of[name] = sum.formula(); sum.hits >= leastHits {
				of[name], of[name+" far"] = sum.rate(), math.Abs(sum.z())
				of["far"] = max(of["far"], of[name+" far"])
			}
		}
	}
	for l, of := range at {
		of["reduction"], of["per key"] = 1-of["variable"]/of["plain"], of["plain bits"]*varlenLoads[l]
	}
	return at
}

// recordPairs measures pairs at all their steps and loads. A reduction is the relative decrease of
// the rate by variable length.
func recordPairs(s *report.Section, options string, pairs []pair, size, most, seeds int) {
	for i, bySteps := range report.Parallel(len(pairs), func(i int) [][]report.Figures {
		return report.Column(pairs[i].grid, func(step int) []report.Figures { return pairs[i].measure(step, size, most, seeds) })
	}) {
		p := pairs[i]
		for j, byLoad := range bySteps {
			for l, of := range byLoad {
				if p.published != 0 {
					of["published"] = p.published
				}
				s.Record(report.At{"options": options, "filter": p.name, "what": p.what, "in mean": p.published != 0,
					"default": p.byDefault, "step": p.grid[j], "middle": j == middle, "load": varlenLoads[l]}, of)
			}
		}
	}
}

// variableLength compares each filter with its variable-length form.
func variableLength(c report.Scale, s *report.Section) {
	size, most, seeds := report.Pick(c, 1<<12, 1<<17, 1<<20), report.Pick(c, 2000, 1_000_000, 4_000_000), report.Pick(c, 1, 1, 2)
	s.Set("size", size, "seeds", seeds, "most", most, "least hits", leastHits)
	recordPairs(s, "paper's", pairs, size, most, seeds)
	recordPairs(s, "defaults", defaultPairs, size, most, seeds)
	for l, published := range []float64{0.8815, 0.681, 0.1105, 0.0438} {
		s.Record(report.At{"at load": varlenLoads[l]}, report.Figures{"mean": published})
	}
}

// operations are the operations of the paper's table I. Throughput is the throughput of variable length
// relative to plain. published is the mean over filters and data sets, and each has the means over
// the data sets for each filter.
var operations = []struct {
	name      string
	published float64
	each      [5]float64
	absent    bool // the operation gets keys that were not added
	run       func(f filter, h hashes)
	why       [2]string // why the measured ratio may differ from published: for cuckoo filters, and for counting filters
}{
	{"insert", 0.80, [5]float64{0.93, 0.93, 0.69, 0.69, 0.77}, false, filter.add,
		[2]string{"a bucket is divided anew for each key", "up to half of the keys twice as many counters are raised, then all halves are joined"}},
	{"positive lookup", 0.97, [5]float64{0.67, 1.01, 1.09, 1.08, 1.01}, false, filter.ask, whyAsked},
	{"negative lookup", 0.89, [5]float64{0.57, 0.82, 1.08, 1.03, 0.94}, true, filter.ask, whyAsked},
	{"delete", 0.87, [5]float64{0.61, 0.66, 0.99, 1.10, 1.01}, false, filter.remove, whyAsked},
}

var whyAsked = [2]string{"a plain bucket is compared as one word, a divided one must first be asked how; its filters of 2^27 keys wait for memory in either form",
	"both forms run the same code at this load"}

// yes receives results that are not used.
var yes [pieceLen]bool

func (f filter) ask(h hashes) { f.ContainsHashes(yes[:h.len()], h.h1, h.h2) }

// timeNoise is the tolerance of ratios between runs: at most this much below the published ratio
// counts as not worse.
const timeNoise = 0.05

// variableSpeed measures table I: throughput of variable length relative to plain.
func variableSpeed(c report.Scale, s *report.Section) {
	capacity, rounds := report.Pick(c, 1<<14, 1<<17, 1<<20), report.Pick(c, 2, 5, 9)
	s.Set("capacity", capacity, "piece", pieceLen, "rounds", rounds, "noise", 100*timeNoise)
	for _, of := range []struct {
		load    float64
		options string
		pairs   []pair // both lists of pairs have the same filters in the same order
	}{{0.45, "paper's", pairs}, {0.9, "paper's", pairs}, {0.9, "defaults", defaultPairs}} {
		for i, x := range of.pairs[:5] {
			step := pairs[i].grid[middle]
			f, _ := x.make(capacity, step, true, true, 0)
			for op, ratio := range contest(x.make, step, capacity, of.load, rounds) {
				o := operations[op]
				s.Record(report.At{"load": of.load, "options": of.options, "filter": x.name, "operation": o.name, "why": o.why[min(i/2, 1)], "row": op + 1},
					report.Figures{"ratio": ratio, "published": o.each[i], "mean published": o.published, "bytes": float64(f.bits() / 8)})
			}
		}
	}
}

// contest times the operations on a plain filter and on its variable-length form at a load. It
// returns the throughput of the latter relative to the former.
func contest(build maker, step, capacity int, load float64, rounds int) (ratio [4]float64) {
	n := int(load*float64(capacity)) / pieceLen * pieceLen
	present, none := numbers(0, 0, n), numbers(0, absent, n)
	var took [4][2]laps
	report.InTurn(rounds, 2, func(form int) float64 {
		f, _ := build(capacity, step, form == 1, true, 0)
		for op, o := range operations {
			h := present
			if o.absent {
				h = none
			}
			took[op][form].run(h, func(h hashes) { o.run(f, h) })
		}
		return 0
	})
	for op := range took {
		ratio[op] = floats.Sum(took[op][0]) / floats.Sum(took[op][1])
	}
	return ratio
}
