package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/advise"
)

// uses are what a sketch is asked to do.
var uses = [...]struct {
	name         string
	keys, remove bool
}{
	{"places", false, false}, {"places, removal", false, true},
	{"keys", true, false}, {"keys, removal", true, true},
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

// told are the ways to tell how counts are spread.
var told = [...]string{"the skew", fmt.Sprintf("%d counts, extent", sampleSize)}

// result is what came of a use: of all that is tried, and of what was advised by what was
// told.
type result struct {
	tried   []outcome
	advised [len(told)]outcome
}

// exact says that a sketch for cells needed no counters.
func (r *result) exact() bool { return r.tried[0].Family == "ccbf" && r.tried[0].err == 0 }

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

// off is by how much an expected error is off: a factor. Errors below one in
// 10,000 are all the same.
func off(expected, measured float64) float64 {
	const least = 1e-4
	return max(expected, least) / max(measured, least)
}

// comparison is a source at so many bits for a key, by use.
type comparison struct {
	*counting
	bits float64
	of   [len(uses)]result
}

// compare builds all that the advice tries, and what it advises, at so many bits for a key.
func (r rowSource) compare(bits []float64) (all []comparison) {
	db := r.count()
	defer db.Close()
	// Few keys in few bits are fewer bytes than a sketch can have.
	bits = slices.DeleteFunc(slices.Clone(bits), func(b float64) bool { return b*float64(db.distinct) < 8*leastBytes })
	if len(bits) == 0 {
		bits = []float64{math.Ceil(8 * leastBytes / float64(db.distinct))}
	}
	for _, b := range bits {
		at := comparison{counting: db, bits: b}
		for i := range uses {
			d := db.data(i, b)
			at.of[i].tried = report.Column(report.Must(advise.Tried(d)), db.outcome)
			at.of[i].advised[0] = db.outcome(report.Must(advise.For(d)))
			d.Counts, d.Extent = db.sample, db.extent
			at.of[i].advised[1] = db.outcome(report.Must(advise.For(d)))
		}
		all = append(all, at)
	}
	return all
}

// choosing compares the families at equal bytes, and the advice with what comes
// out.
func choosing(c report.Config, s *report.Section) {
	n := report.Pick(c, 2000, 4000, 20_000)
	skews := report.Pick(c, []float64{1.2}, []float64{0.8, 1.2}, []float64{0, 0.8, 1.2, 1.6})
	sources := report.Column(skews, func(skew float64) rowSource { return zipfRows(n, 10*n, skew) })
	sets := realRows(c.Data, report.Pick(c, 3000, 20_000, 60_000))
	sources = append(sources, sets[report.Pick(c, len(sets)-1, 0, 0):]...)
	bits := report.Pick(c, []float64{4, 8}, []float64{2, 4, 8, 16}, []float64{2, 4, 6, 8, 12, 16, 24, 32})
	bySource := report.Parallel(len(sources), func(i int) []comparison { return sources[i].compare(bits) })
	s.Set("keys", n, "many", manyKeys, "told", []int{0, 1},
		"exactness", []advise.Exactness{advise.Certain, advise.Likely, advise.Open, advise.Unlikely})
	for _, part := range bySource {
		recordErrors(s, part)
		recordAdvice(s, part)
	}
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
				s.Record(report.At{"data": at.name, "bits": at.bits, "family": f.name + suffix},
					report.Figures{"least": at.of[f.use+i].least(f.family)})
			}
		}
	}
	even, of := report.At{"source": part[0].name}, report.Figures{"skew": part[0].skew}
	dense := slices.DeleteFunc(slices.Clone(part), func(at comparison) bool { return at.of[ofPlaces].exact() })
	if len(dense) > 0 {
		closer := func(at comparison) bool { return at.of[ofKeys].least("cms") < at.of[ofKeys].least("sbf") }
		of["closer"], of["sizes"] = float64(report.Count(part, closer)), float64(len(part))
		of["even"] = crossing(dense, func(at *comparison) float64 { return at.of[ofKeys].least("sbf") / at.of[ofPlaces].least("ccbf") })
		cost := func(use int, family string) string {
			costs := report.Column(dense, func(at comparison) float64 { return off(at.of[use+1].least(family), at.of[use].least(family)) })
			return report.Span(costs) + " times the error"
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
			for _, at := range part {
				r := &at.of[i]
				a := &r.advised[by]
				if !u.keys {
					s.Record(report.At{"said": a.Exact, "told what": by}, report.Figures{"were": yesNo(r.exact())})
				}
				if r.exact() {
					continue
				}
				of := report.Figures{"inside": yesNo(a.err >= a.ErrorLow && a.err <= a.ErrorHigh), "off": off(a.Error, a.err),
					"bytes": a.bytes / float64(a.Advice.Bytes)}
				if a.ErrorLow > 0 {
					of["width"] = off(a.ErrorHigh, a.ErrorLow)
				}
				if at.distinct >= manyKeys {
					of["regret"] = off(a.err, r.least())
				}
				s.Record(report.At{"use": u.name, "told": name}, of)
			}
		}
	}
}
