package main

import (
	"math"
	"strings"

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
func (f cuckooFilter) predicted() float64 { return f.FPP() }
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

// rates holds the false positive rate of every form against its formula.
func rates(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 4, 20)
	capacity := report.Pick(c, 1000, 20_000, 30_000)
	asked := report.Pick(c, 500, 100_000, 500_000)
	s.Set("capacity", capacity, "seeds", seeds, "asked", asked)
	for _, f := range forms {
		type outcome struct {
			tally
			bits int
		}
		all := report.Parallel(seeds, func(i int) (at []outcome) {
			seed := seedOf(i)
			x := f.make(uint64(capacity), seed)
			h := numbers(seed, 0, capacity)
			from := 0
			for _, load := range loads {
				to := int(load * float64(capacity))
				x.add(h.slice(from, to))
				from = to
				var o outcome
				o.add(falsePositives(x, seed, asked), asked, x.predicted())
				o.bits = x.bits()
				at = append(at, o)
			}
			return at
		})
		bits := all[0][len(loads)-1].bits
		for l, bySeed := range transposed(all) {
			var sum tally
			for _, o := range bySeed {
				sum.merge(o.tally)
			}
			of := sum.figures()
			of["bytes"], of["bits"] = float64(bits/8), float64(bits)/float64(capacity)
			s.Record(report.At{"family": f.family, "variant": f.name, "load": loads[l]}, of)
		}
	}
	for name, rate := range map[string]float64{"bloom standard": 0.01, "bloom blocks": 0.01, "cbf plain": 0.01, "sbf ms": bloomRate(spectralK/spectralGamma, 1, spectralK)} {
		family, variant, _ := strings.Cut(name, " ")
		full := s.Where("family", family, "variant", variant, "load", 1)
		s.Set("rate of "+name, rate, "above "+name, report.ZScore(int(full.First("hits")), int(full.First("asked")), rate) > 4)
	}
	unluckySeeds(c, s)
	p := report.Panel{X: "formula", Y: "measured false positive rate", LogX: true, LogY: true, Legend: report.TopLeft,
		Series: append([]report.Series{{Label: "equal", X: []float64{1e-6, 1}, Y: []float64{1e-6, 1}, Only: report.Line, Style: 5}}, s.Points("family", "formula", "rate", report.Marks)...)}
	s.Plot("formula", []report.Panel{p})
}

// unluckySeeds measures filters whose seed is the length of their keys. In
// MurmurHash3 x64 128 with one seed for both halves nothing would then tell the
// halves of a key of up to 8 bytes apart; package key takes care of that.
func unluckySeeds(c report.Config, s *report.Section) {
	capacity := report.Pick(c, 1000, 20_000, 20_000)
	asked := report.Pick(c, 1000, 200_000, 1_000_000)
	for _, seed := range []uint64{0, 7, 8, 9} {
		for _, f := range forms {
			if f.name != "standard" && f.name != "blocks" && f.name != "plain" && f.name != "ms" {
				continue
			}
			x := f.make(uint64(capacity), seed)
			x.add(numbers(seed, 0, capacity))
			var sum tally
			sum.add(falsePositives(x, seed, asked), asked, x.predicted())
			of := sum.figures()
			s.Record(report.At{"seed": seed, "filter": f.family + " " + f.name}, report.Figures{"rate": of["rate"], "formula": of["formula"], "quotient": of["rate"] / of["formula"], "z of seed": sum.z()})
		}
	}
}

// countMin holds the estimates of Count-Min against its bound.
func countMin(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 2, 5, 20)
	draws := report.Pick(c, 2000, 200_000, 1_000_000)
	distinct := report.Pick(c, 500, 20_000, 100_000)
	s.Set("draws", draws, "distinct", distinct, "seeds", seeds, "1/e", 1/math.E)
	for _, skew := range []float64{0, 0.5, 1, 1.5} {
		z := newZipf(distinct, skew)
		for _, rule := range []string{"plain", "conservative"} {
			s.Record(report.At{"skew": skew, "rule": rule}, report.Parallel(seeds, func(seed int) report.Figures {
				sk := report.Must(cms.New(cms.Params{Conservative: rule == "conservative", Seed: seedOf(seed)}))
				truth := make([]uint64, distinct)
				keys := numbers(seedOf(seed), 0, distinct)
				for _, i := range z.stream(random(seedOf(seed), 8), draws) {
					sk.Add(keys.h1[i], keys.h2[i], 1)
					truth[i]++
				}
				beyond, below, excess, most, seen := 0.0, 0.0, 0.0, 0.0, 0.0
				for i, got := range counts(sk, keys) {
					if truth[i] == 0 {
						continue
					}
					seen++
					over := (float64(got) - float64(truth[i])) / (cms.DefaultEpsilon * float64(draws))
					if over > 1 {
						beyond++
					}
					if over < 0 {
						below++
					}
					excess, most = excess+over, math.Max(most, over)
				}
				of := report.Figures{"beyond": beyond / seen, "below": below / seen, "excess": excess / seen, "most": most}
				if seed == 0 {
					of["bytes"] = float64(len(sk.Blob()))
				}
				return of
			})...)
		}
	}
	s.Plot("excess", []report.Panel{{X: "skew", Y: "excess / (epsilon total)", Legend: report.TopRight, Series: s.Lines("rule", "skew", "excess")}})
}
