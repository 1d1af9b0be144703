package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/advise"
)

// choosingBits are the bits for each distinct key at which families are compared.
func choosingBits(c report.Config) []float64 {
	return report.Pick(c, []float64{4, 8}, []float64{2, 4, 8, 16}, []float64{2, 4, 6, 8, 12, 16, 24, 32})
}

// use is what a sketch is asked to do.
type use struct {
	name         string
	keys, remove bool
}

// uses in the order in which results have them.
var uses = [...]use{
	{"places", false, false},
	{"places, removal", false, true},
	{"keys", true, false},
	{"keys, removal", true, true},
}

// The uses without removal by their index; the one after each is that with it.
const (
	ofPlaces = 0
	ofKeys   = 2
)

// outcome is a sketch as it was expected and as it came out.
type outcome struct {
	advise.Advice
	bytes, err float64 // measured
}

// exact says that a sketch for cells needed no counters.
func (o *outcome) exact() bool { return o.Family == "ccbf" && o.err == 0 }

// off is by how much an expected error is off: a factor. Errors below one in
// 10,000 are all the same.
func off(expected, measured float64) float64 {
	const least = 1e-4
	return max(expected, least) / max(measured, least)
}

// result is what came of a use.
type result struct {
	tried   []outcome
	advised [len(told)]outcome // by what the advice was told
}

// told are the ways to tell how counts are spread.
var told = [...]string{"the skew", fmt.Sprintf("%d counts, extent", sampleSize)}

// least is the least error of the sketches of some families, or of all.
func (r *result) least(families ...string) float64 {
	best := math.Inf(1)
	for _, o := range r.tried {
		if len(families) == 0 || slices.Contains(families, o.Family) {
			best = min(best, o.err)
		}
	}
	return best
}

// comparison is a source at so many bits for a key.
type comparison struct {
	source string
	skew   float64
	bits   float64
	keys   uint64
	of     [len(uses)]result
}

// choosingSources are what the families are compared on: made-up keys, and all real
// data.
func choosingSources(c report.Config) []rowSource {
	n := report.Pick(c, 2000, 4000, 20_000)
	sources := report.Column(report.Pick(c, []float64{1.2}, []float64{0.8, 1.2}, []float64{0, 0.8, 1.2, 1.6}), func(skew float64) rowSource { return zipfRows(n, 10*n, skew) })
	sets := realRows(c.Data, report.Pick(c, 3000, 20_000, 60_000))
	return append(sources, sets[report.Pick(c, len(sets)-1, 0, 0):]...)
}

// compare builds all that the advice tries, at so many bits for a key.
func (r rowSource) compare(bits []float64) []comparison {
	db := r.count()
	defer db.Close()
	// Few keys in few bits are fewer bytes than a sketch can have.
	const least = 512
	bits = slices.DeleteFunc(slices.Clone(bits), func(b float64) bool { return b*float64(db.distinct) < 8*least })
	if len(bits) == 0 {
		bits = []float64{math.Ceil(8 * least / float64(db.distinct))}
	}
	all := make([]comparison, len(bits))
	for i := range all {
		all[i] = comparison{source: r.name, skew: db.skew, bits: bits[i], keys: db.distinct}
		for j, u := range uses {
			all[i].of[j] = db.result(db.data(u, bits[i]))
		}
	}
	return all
}

// result builds what is advised, and all that the advice by the skew tries.
func (c *counting) result(d advise.Data) (r result) {
	r.tried = report.Column(report.Must(advise.Tried(d)), c.outcome)
	r.advised[0] = c.outcome(report.Must(advise.For(d)))
	d.Counts, d.Extent = c.sample, c.extent
	r.advised[1] = c.outcome(report.Must(advise.For(d)))
	return r
}

// choosing compares the families at equal bytes, and the advice with what comes
// out.
func choosing(c report.Config, s *report.Section) {
	sources := choosingSources(c)
	bySource := report.Parallel(len(sources), func(i int) []comparison { return sources[i].compare(choosingBits(c)) })
	s.Set("keys", report.Pick(c, 2000, 4000, 20_000), "many", manyKeys, "told", []int{0, 1},
		"exactness", []advise.Exactness{advise.Certain, advise.Likely, advise.Open, advise.Unlikely})
	for _, part := range bySource {
		recordErrors(s, part)
		recordAdvice(s, part)
	}
	var names []string // removal beside the same without
	for _, f := range families {
		names = append(names, f.name, f.name+removal)
	}
	p := report.Panel{X: "bits for each distinct key", Y: "mean relative error", LogX: true, LogY: true}
	panels := s.Panels("data", "%s", p, func(d *report.Data) []report.Series {
		lines := report.Drawn(d.Of("family", names...).Lines("family", "bits", "least"), "%s", report.Both, 0, 0, 1, 1, 2, 2)
		for i := range lines {
			lines[i].Dashed = i%2 == 1
		}
		return lines
	})
	for i := range panels {
		panels[i].Legend = report.BottomLeft
	}
	s.Plot("error", slices.Collect(slices.Chunk(panels, 2))...)
}

// families are those that are compared; the use after the one named is the same
// with removal.
var families = []struct {
	name, family string
	use          int
}{{"CascadeCBF", "ccbf", ofPlaces}, {"Spectral", "sbf", ofKeys}, {"Count-Min", "cms", ofKeys}}

const removal = ", removal"

// recordErrors records the least error of each family at each size of a source, and from
// how many bits on one family is closer than another.
func recordErrors(s *report.Section, part []comparison) {
	for _, at := range part {
		for i, suffix := range []string{"", removal} {
			for _, f := range families {
				s.Record(report.At{"data": at.source, "bits": at.bits, "family": f.name + suffix}, report.Figures{"least": at.of[f.use+i].least(f.family)})
			}
		}
	}
	even, of := report.At{"source": part[0].source}, report.Figures{"skew": part[0].skew}
	if dense := slices.DeleteFunc(slices.Clone(part), func(at comparison) bool { return at.of[ofPlaces].tried[0].exact() }); len(dense) > 0 {
		of["closer"], of["sizes"] = float64(report.Count(part, func(at comparison) bool { return at.of[ofKeys].least("cms") < at.of[ofKeys].least("sbf") })), float64(len(part))
		of["even"] = crossing(dense, func(at *comparison) float64 { return at.of[ofKeys].least("sbf") / at.of[ofPlaces].least("ccbf") })
		cost := func(use int, family string) string {
			return report.Span(report.Column(dense, func(at comparison) float64 { return off(at.of[use+1].least(family), at.of[use].least(family)) })) + " times the error"
		}
		even["costs dense"], even["costs Spectral"] = cost(ofPlaces, "ccbf"), cost(ofKeys, "sbf")
	}
	s.Record(even, of)
}

// crossing is the bits from which on a ratio is below 1: between two settings, by
// the logarithms, or the first or the last bits where there are no such two.
func crossing(part []comparison, ratio func(at *comparison) float64) float64 {
	for i := len(part) - 1; i >= 0; i-- {
		above := math.Log(ratio(&part[i]))
		if above < 0 {
			continue
		}
		if i == len(part)-1 {
			return part[i].bits
		}
		return part[i].bits * math.Pow(part[i+1].bits/part[i].bits, above/(above-math.Log(ratio(&part[i+1]))))
	}
	return part[0].bits
}

// manyKeys are enough for the error of a sketch to be little by chance.
const manyKeys = 1000

// recordAdvice records how good the advice was, by use and by what was told: sketches for
// cells that need no counters have no error, and say only how sure it was of that.
func recordAdvice(s *report.Section, part []comparison) {
	for i, u := range uses {
		for by, name := range told {
			for j := range part {
				r := &part[j].of[i]
				a := &r.advised[by]
				exact := r.tried[0].exact()
				if !u.keys {
					s.Record(report.At{"said": a.Exact, "told what": by}, report.Figures{"were": yesNo(exact)})
				}
				if exact {
					continue
				}
				of := report.Figures{"inside": yesNo(a.err >= a.ErrorLow && a.err <= a.ErrorHigh), "off": off(a.Error, a.err), "bytes": a.bytes / float64(a.Advice.Bytes)}
				if a.ErrorLow > 0 {
					of["width"] = off(a.ErrorHigh, a.ErrorLow)
				}
				if part[j].keys >= manyKeys {
					of["regret"] = off(a.err, r.least())
				}
				s.Record(report.At{"use": u.name, "told": name}, of)
			}
		}
	}
}
