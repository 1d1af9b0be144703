package main

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// filter is a filter of any family under measurement.
type filter interface {
	add(h hashes)
	container
	// predicted is the rate that the filter's own formula gives for its state.
	predicted() float64
	bits() int
}

// loads at which filters are measured, as parts of their capacity.
var loads = []float64{0.25, 0.5, 0.75, 0.9, 1}

type bloomFilter struct{ *bloom.Sketch }

func (f bloomFilter) add(h hashes)       { f.AddHashes(h.h1, h.h2, nil) }
func (f bloomFilter) predicted() float64 { return f.FPP() }
func (f bloomFilter) bits() int          { return int(f.Bits()) }

type countingFilter struct{ *cbf.Sketch }

func (f countingFilter) add(h hashes) { f.AddHashes(h.h1, h.h2, nil) }

func (f countingFilter) info() cbf.Info {
	v := report.Must(cbf.NewView(f.Blob()))
	return v.Info()
}

func (f countingFilter) predicted() float64 { return f.info().FPP }
func (f countingFilter) bits() int          { return 8 * f.Bytes() }

type cuckooFilter struct{ *cuckoo.Sketch }

func (f cuckooFilter) add(h hashes)       { report.Check(f.AddHashes(h.h1, h.h2, nil)) }
func (f cuckooFilter) predicted() float64 { return f.FalsePositiveRate() }
func (f cuckooFilter) bits() int          { return 8 * f.Bytes() }

type spectralFilter struct {
	*sbf.Sketch
	counts []uint64
}

func (f *spectralFilter) add(h hashes) { f.AddHashes(h.h1, h.h2, nil) }

// ContainsHashes takes a key for there when it has a count.
func (f *spectralFilter) ContainsHashes(dst []bool, h1s, h2s []uint64) {
	if len(f.counts) < len(dst) {
		f.counts = make([]uint64, len(dst))
	}
	f.CountHashes(f.counts[:len(dst)], h1s, h2s)
	for i := range dst {
		dst[i] = f.counts[i] > 0
	}
}

func (f *spectralFilter) predicted() float64 {
	v := report.Must(sbf.NewView(f.Blob()))
	return v.Info().ErrorRate
}
func (f *spectralFilter) bits() int { return 8 * f.Bytes() }

// form is one variant of one family.
type form struct {
	family, name string
	make         func(capacity, seed uint64) filter
}

func bloomForm(name string, p bloom.Params) form {
	return form{"bloom", name, func(capacity, seed uint64) filter {
		p.Seed = seed
		if p.Bits == 0 {
			p.Capacity = capacity
		} else {
			p.Bits = uint64(float64(capacity) * p.K / math.Ln2)
		}
		return bloomFilter{report.Must(bloom.New(p))}
	}}
}

func countingForm(name string, p cbf.Params) form {
	return form{"cbf", name, func(capacity, seed uint64) filter {
		p.Seed, p.Capacity = seed, capacity
		return countingFilter{report.Must(cbf.New(p))}
	}}
}

func cuckooForm(name string, p cuckoo.Params) form {
	return form{"cuckoo", name, func(capacity, seed uint64) filter {
		p.Seed, p.Capacity = seed, capacity
		return cuckooFilter{report.Must(cuckoo.New(p))}
	}}
}

func spectralForm(name string, p sbf.Params) form {
	return form{"sbf", name, func(capacity, seed uint64) filter {
		p.Seed, p.Capacity = seed, capacity
		return &spectralFilter{Sketch: report.Must(sbf.New(p))}
	}}
}

// forms are all variants of all families that answer yes or no, or a count.
var forms = []form{
	bloomForm("standard", bloom.Params{}),
	bloomForm("rational, k 3.4, by hash", bloom.Params{Bits: 1, K: 3.4, Variant: bloom.Rational}),
	bloomForm("rational, k 3.4, by position", bloom.Params{Bits: 1, K: 3.4, Variant: bloom.Rational, Activation: bloom.ByPosition}),
	bloomForm("blocks", bloom.Params{Variant: bloom.Blocks}),
	bloomForm("blocks, k 3.4", bloom.Params{Bits: 1, K: 3.4, Variant: bloom.Blocks}),
	countingForm("plain", cbf.Params{}),
	countingForm("plain, variable length", cbf.Params{VariableLength: true}),
	countingForm("increment", cbf.Params{Variant: cbf.Increment}),
	countingForm("increment, variable length", cbf.Params{Variant: cbf.Increment, VariableLength: true}),
	countingForm("tandem", cbf.Params{Variant: cbf.Tandem}),
	countingForm("tandem, variable length", cbf.Params{Variant: cbf.Tandem, VariableLength: true}),
	cuckooForm("plain", cuckoo.Params{FingerprintBits: 10}),
	cuckooForm("plain, variable length", cuckoo.Params{FingerprintBits: 10, VariableLength: true}),
	cuckooForm("tagged", cuckoo.Params{FingerprintBits: 10, Variant: cuckoo.Tagged}),
	cuckooForm("tagged, variable length", cuckoo.Params{FingerprintBits: 10, Variant: cuckoo.Tagged, VariableLength: true}),
	spectralForm("ms", sbf.Params{}),
	spectralForm("ms, blocked", sbf.Params{Blocked: true}),
	spectralForm("mi", sbf.Params{Method: sbf.MI}),
	spectralForm("rm", sbf.Params{Method: sbf.RM}),
	spectralForm("trm", sbf.Params{Method: sbf.TRM}),
}

// fullRates are what papers say of filters that hold as many keys as they are
// made for, by family and variant. Ours have the default options, which are the
// papers' parameters.
var fullRates = map[string]struct {
	of, why string
	rate    float64
}{
	"bloom standard": {"Bloom filter asked for 0.01 (rational paper, formula 1)", "", 0.01},
	"bloom blocks":   {"Bloom filter of blocks asked for 0.01 (rational paper, corollary 1)", "k = 6.64 as it is, on the chord between 6 and 7", 0.01},
	"cbf plain":      {"counting filter asked for 0.01 (variable-length paper, theorem 5.2)", "", 0.01},
	"sbf ms":         {"spectral filter, gamma 0.7 and k 5 (spectral paper, table 1: E_b)", "", bloomRate(spectralK/spectralGamma, 1, spectralK)},
}

// rates holds the false positive rate of every form against its formula.
func rates(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 4, 20)
	capacity := report.Pick(c, 1000, 20_000, 30_000)
	asked := report.Pick(c, 500, 100_000, 500_000)
	s.Text("Every variant of every family with its defaults, or with what its name says, at five loads: the measured rate beside the one that the filter's own formula predicts from its "+
		"state (`_info`). Capacity %d, %d seeds with %d absent keys each. z counts chance only in the answers, the state being given; |z| of 4 or less is what the project holds its "+
		"tests to. For `sbf` the rate is the share of absent keys that have a count. Plain cuckoo filters need a power of two of buckets, so that a full one here may have many free slots.", capacity, seeds, asked)
	t := s.Table("family", "variant", "load", "measured", "95% interval", "formula", "z", "bits per key of the capacity")
	var zs []float64
	most, worst := 0.0, ""
	points := map[string]*report.Series{}
	for _, f := range forms {
		type outcome struct {
			at   []tally
			bits int
		}
		all := report.Parallel(seeds, func(i int) outcome {
			seed := seedOf(i)
			o := outcome{at: make([]tally, len(loads))}
			x := f.make(uint64(capacity), seed)
			h := numbers(seed, 0, capacity)
			from := 0
			for l, load := range loads {
				to := int(load * float64(capacity))
				x.add(h.slice(from, to))
				from = to
				p := x.predicted()
				o.at[l].add(falsePositives(x, seed, asked), asked, p)
			}
			o.bits = x.bits()
			return o
		})
		for l, load := range loads {
			var sum tally
			for _, o := range all {
				sum.merge(o.at[l])
			}
			z := sum.z()
			if sum.variance == 0 {
				z = 0
			}
			zs = append(zs, z)
			if math.Abs(z) > most {
				most, worst = math.Abs(z), fmt.Sprintf("%s %s at load %g", f.family, f.name, load)
			}
			interval := report.Interval(sum.hits, sum.asked)
			if p := fullRates[f.family+" "+f.name]; load == 1 && p.of != "" {
				s.Compare("rate of a full "+p.of, report.Num2(p.rate)).Both(report.Num(sum.rate())+" in "+interval).Bytes(bytesOf(all[0].bits/8, all[0].bits/8)).
					Worse(report.ZScore(sum.hits, sum.asked, p.rate) > 4, p.why)
			}
			t.Row(f.family, f.name, report.Percent(load), sum.rate(), interval, sum.formula(), fmt.Sprintf("%.1f", z),
				fmt.Sprintf("%.1f", float64(all[0].bits)/float64(capacity)))
			p := points[f.family]
			if p == nil {
				p = &report.Series{Label: f.family, Only: report.Marks, Style: len(points)}
				points[f.family] = p
			}
			p.At(sum.formula(), sum.rate())
		}
	}
	s.Text("Over all %d rows z is %s; the largest |z| is %.1f (%s).", len(zs), report.Spread(zs), most, worst)
	unluckySeeds(c, s)
	s.Short("the largest |z| of %d rows is %.1f.", len(zs), most)
	p := report.Panel{X: "formula", Y: "measured false positive rate", LogX: true, LogY: true, Legend: report.TopLeft,
		Series: []report.Series{{Label: "equal", X: []float64{1e-6, 1}, Y: []float64{1e-6, 1}, Only: report.Line, Style: 5}}}
	for _, name := range []string{"bloom", "cbf", "cuckoo", "sbf"} {
		p.Series = append(p.Series, *points[name])
	}
	s.Figure("formula", "Measured false positive rates over the formulas'.", []report.Panel{p})
}

// unluckySeeds measures filters whose seed is the length of their keys. In
// MurmurHash3 x64 128 with one seed for both halves nothing would then tell the
// halves of a key of up to 8 bytes apart; package key takes care of that.
func unluckySeeds(c report.Config, s *report.Section) {
	capacity := report.Pick(c, 1000, 20_000, 20_000)
	asked := report.Pick(c, 1000, 200_000, 1_000_000)
	t := s.Table("seed, keys of 8 bytes", "filter", "measured", "formula", "measured / formula", "z")
	worst := 0.0
	for _, seed := range []uint64{0, 7, 8, 9} {
		for _, f := range forms {
			if f.name != "standard" && f.name != "blocks" && f.name != "plain" && f.name != "ms" {
				continue
			}
			x := f.make(uint64(capacity), seed)
			x.add(numbers(seed, 0, capacity))
			p := x.predicted()
			var sum tally
			sum.add(falsePositives(x, seed, asked), asked, p)
			if seed == 8 {
				worst = math.Max(worst, sum.rate()/p)
			}
			t.Row(seed, f.family+" "+f.name, sum.rate(), sum.formula(), sum.rate()/sum.formula(), fmt.Sprintf("%.1f", sum.z()))
		}
	}
	if worst > 1.2 {
		s.Text("**A seed that is the keys' length in bytes, 1 to 8, is a bad one** (table above, seed 8): the halves of the hash then depend on each other, and filters whose "+
			"positions need both have up to %s times the rate. Seed 0, the default, and the neighbours 7 and 9 show nothing of it; nor do the large seeds of all other figures of this page.", report.Num(worst))
	} else {
		s.Text("Small seeds, among them the keys' length, are as good as others (table above).")
	}
}

// countMin holds the estimates of Count-Min against its bound.
func countMin(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 2, 5, 20)
	draws := report.Pick(c, 2000, 200_000, 1_000_000)
	distinct := report.Pick(c, 500, 20_000, 100_000)
	skews := []float64{0, 0.5, 1, 1.5}
	s.Text("A Count-Min sketch promises that an estimate is never below the truth, and above it by more than epsilon "+
		"times the total with probability delta at most (Cormode and Muthukrishnan 2005, theorem 1). Here with the defaults, "+
		"epsilon 0.001 and delta 0.01 (5 rows of 2,719 counters): %d draws from %d keys, P(rank r) in proportion to "+
		"r^-skew, %d seeds. \"Beyond\" is the share of the keys that occurred whose estimate exceeds the bound; it must be "+
		"at most 0.01. Errors are parts of the total, in units of epsilon.", draws, distinct, seeds)
	t := s.Table("skew", "rule", "beyond the bound", "mean excess / (epsilon total)", "largest excess / (epsilon total)", "below the truth", "bytes")
	type result struct{ beyond, meanExcess, most, below float64 }
	excess := map[bool][]float64{}
	mostBeyond, mostExcess, belowAny, mostBytes := 0.0, 0.0, 0.0, 0
	for _, skew := range skews {
		z := newZipf(distinct, skew)
		for _, conservative := range []bool{false, true} {
			bytes := 0
			results := report.Parallel(seeds, func(seed int) result {
				sk := report.Must(cms.New(cms.Params{Conservative: conservative, Seed: seedOf(seed)}))
				truth := make([]uint64, distinct)
				keys := numbers(seedOf(seed), 0, distinct)
				for _, i := range z.stream(random(seedOf(seed), 8), draws) {
					sk.Add(keys.h1[i], keys.h2[i], 1)
					truth[i]++
				}
				if seed == 0 {
					bytes = len(sk.Blob())
				}
				var r result
				seen := 0.0
				bound := cms.DefaultEpsilon * float64(draws)
				for i, got := range counts(sk, keys) {
					if truth[i] == 0 {
						continue
					}
					seen++
					over := (float64(got) - float64(truth[i])) / bound
					if over > 1 {
						r.beyond++
					}
					if over < 0 {
						r.below++
					}
					r.meanExcess += over
					r.most = math.Max(r.most, over)
				}
				r.beyond /= seen
				r.below /= seen
				r.meanExcess /= seen
				return r
			})
			rule := "plain"
			if conservative {
				rule = "conservative"
			}
			over := report.Column(results, func(r result) float64 { return r.meanExcess })
			mostExcess, mostBytes = max(mostExcess, report.Mean(over)), max(mostBytes, bytes)
			mostBeyond = max(mostBeyond, report.MeanOf(results, func(r result) float64 { return r.beyond }))
			belowAny += report.MeanOf(results, func(r result) float64 { return r.below })
			excess[conservative] = append(excess[conservative], report.Mean(over))
			t.Row(report.Num(skew), rule, report.Spread(report.Column(results, func(r result) float64 { return r.beyond })), report.Spread(over),
				report.Spread(report.Column(results, func(r result) float64 { return r.most })),
				report.MeanOf(results, func(r result) float64 { return r.below }), bytes)
		}
	}
	size := bytesOf(mostBytes, mostBytes)
	s.Compare("keys beyond the truth + epsilon total, most over skews and rules (theorem 1)", "at most 1%").Paper(report.Percent2(mostBeyond)).Defaults(report.Percent2(mostBeyond)).
		Bytes(size).Worse(mostBeyond > cms.DefaultDelta, "the bound does not hold")
	s.Compare("mean excess over epsilon total, most over skews and rules (proof of theorem 1)", "at most 1/e").Paper(report.Num(mostExcess)).Defaults(report.Num(mostExcess)).
		Bytes(size).Worse(mostExcess > 1/math.E, "the mean of one row is 1/e, that of the least of five must be less")
	s.Compare("keys below the truth", "0").Paper(report.Percent2(belowAny)).Defaults(report.Percent2(belowAny)).Bytes(size).Worse(belowAny > 0, "a count is lost")
	s.Short("at the defaults at most a part %s of the keys is beyond the bound, where 0.01 is allowed; %s below the truth.", report.Num2(mostBeyond), none(belowAny))
	s.Figure("excess", "Mean excess of an estimate in units of epsilon times the total; the bound is 1.", []report.Panel{{
		X: "skew", Y: "excess / (epsilon total)", Legend: report.TopRight,
		Series: []report.Series{
			{Label: "plain", X: skews, Y: excess[false]},
			{Label: "conservative", X: skews, Y: excess[true], Style: 1},
		},
	}})
}
