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
	all := report.Must(advise.Tried(d))
	r.tried = make([]outcome, len(all))
	for i, a := range all {
		r.tried[i] = c.outcome(a)
	}
	for i := range told {
		d.Counts, d.Extent = [...][]uint64{nil, c.sample}[i], [...]uint64{0, c.extent}[i]
		a := report.Must(advise.For(d))
		r.advised[i] = c.outcome(a)
	}
	return r
}

// outcome builds a sketch.
func (c *counting) outcome(a advise.Advice) (o outcome) {
	o.Advice = a
	o.bytes, o.err = c.try(a)
	return o
}

// choosing compares the families at equal bytes, and the advice with what comes
// out.
func choosing(c report.Config, s *report.Section) {
	sources := choosingSources(c)
	bits := choosingBits(c)
	bySource := report.Parallel(len(sources), func(i int) []comparison { return sources[i].compare(bits) })
	all := slices.Concat(bySource...)
	s.Text("Which family is closest depends on the bytes that there are for each distinct key. Each setting builds, in DuckDB and by the calls that `sketch_advise` gives, "+
		"every sketch that it tries: for places CascadeCBF with k of 1 to 6, with the default layers and with [8, 16, 32], made dense, for keys Count-Min of 1 to 5 rows and Spectral Bloom Filters of methods mi and rm, where keys leave ms, with k 2, 3 and 5 in encoding steps; "+
		"all of about the same bytes; where the list of cells fits, CascadeCBF stays exact and has no error. Data are 10 occurrences for each of %d keys, drawn in proportion to rank^-skew, and real ones of which parts are counted: crimes recorded in England, Wales and Northern Ireland, populated places of the world, taxi pickups in New York, elevations of forests, and COVID-19 cases. "+
		"The error is the mean of (estimate - count) / count over all keys that occur; the best of each family stands here.", report.Pick(c, 2000, 4000, 20_000))
	errorsByFamily(s, all)
	sbfFrom, cmsCloser := breakEvens(s, bySource)
	told := adviceTable(s, all)
	s.Short("Spectral Bloom Filters are closer than dense CascadeCBF from %s bits for a key on, Count-Min is closer than they are at %d of %d settings. "+
		"The error is where `sketch_advise` says, between error_low and error_high, at %s settings told a skew and at %s told a sample of counts; "+
		"what it chooses has %s and %s times the error of the best at the median. Of the sketches said to be certainly exact %s were.",
		sbfFrom, cmsCloser, len(all), told[0].within(), told[1].within(), orNone(report.Median, told[0].regrets), orNone(report.Median, told[1].regrets), told.certain())
	var rows [][]report.Panel
	for i, part := range bySource {
		if i%2 == 0 {
			rows = append(rows, nil)
		}
		rows[i/2] = append(rows[i/2], errorPanel(part))
	}
	s.Figure("error", "Error over bits, the best sketch of each family; dashed where occurrences can be removed. An error of 0 is not shown.", rows...)
}

// errorPanel has a line for each family, without removal and with.
func errorPanel(part []comparison) report.Panel {
	p := report.Panel{Title: part[0].source, X: "bits for each distinct key", Y: "mean relative error", LogX: true, LogY: true, Legend: report.BottomLeft}
	for style, f := range families {
		for removal, name := range []string{f.name, f.name + ", removal"} {
			p.Series = append(p.Series, report.Series{
				Label: name, Style: style, Dashed: removal == 1,
				X: report.Column(part, func(at comparison) float64 { return at.bits }),
				Y: report.Column(part, func(at comparison) float64 { return at.of[f.use+removal].least(f.family) }),
			})
		}
	}
	return p
}

// families are those that are compared; the use after the one named is the same
// with removal.
var families = []struct {
	name, family string
	use          int
}{{"CascadeCBF", "ccbf", ofPlaces}, {"Spectral", "sbf", ofKeys}, {"Count-Min", "cms", ofKeys}}

// errorsByFamily is a row for each comparison.
func errorsByFamily(s *report.Section, all []comparison) {
	t := s.Table("data", "bits for a key", "CascadeCBF", "Spectral", "Count-Min", "CascadeCBF, removal", "Spectral, removal", "Count-Min, removal")
	for i := range all {
		at := &all[i]
		row := []any{at.source, at.bits}
		for _, removal := range []int{0, 1} {
			for _, f := range families {
				row = append(row, report.Percent2(at.of[f.use+removal].least(f.family)))
			}
		}
		t.Row(row...)
	}
}

// breakEvens is a row for each source; it returns the range of bits from which on
// Spectral Bloom Filters are closer than dense CascadeCBF, and at how many settings
// Count-Min is closer than they are.
func breakEvens(s *report.Section, bySource [][]comparison) (sbfFrom string, cmsCloser int) {
	t := s.Table("data", "skew, fitted", "Spectral closer than dense CascadeCBF from", "Count-Min closer than Spectral", "removal costs dense CascadeCBF", "removal costs Spectral")
	low, high := math.Inf(1), 0.0
	for _, part := range bySource {
		dense := slices.DeleteFunc(slices.Clone(part), func(at comparison) bool { return at.of[ofPlaces].tried[0].exact() })
		if len(dense) == 0 {
			t.Row(part[0].source, report.Num2(part[0].skew), "-", "-", "-", "-")
			continue
		}
		even := crossing(dense, func(at *comparison) float64 { return at.of[ofKeys].least("sbf") / at.of[ofPlaces].least("ccbf") })
		low, high = min(low, even), max(high, even)
		closer := report.Count(part, func(at comparison) bool { return at.of[ofKeys].least("cms") < at.of[ofKeys].least("sbf") })
		cmsCloser += closer
		cost := func(use int, family string) string {
			ratios := report.Column(dense, func(at comparison) float64 { return off(at.of[use+1].least(family), at.of[use].least(family)) })
			return fmt.Sprintf("%s to %s times the error", report.Num2(slices.Min(ratios)), report.Num2(slices.Max(ratios)))
		}
		t.Row(part[0].source, report.Num2(part[0].skew), report.Num2(even)+" bits", fmt.Sprintf("at %d of %d sizes", closer, len(part)), cost(ofPlaces, "ccbf"), cost(ofKeys, "sbf"))
	}
	return fmt.Sprintf("%s to %s", report.Num2(low), report.Num2(high)), cmsCloser
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

// toldSum is how well advice was that was told one thing.
type toldSum struct {
	settings, inside int
	regrets          []float64
	said, were       [4]int // by advise.Exactness
}

func (t *toldSum) within() string { return fmt.Sprintf("%d of %d", t.inside, t.settings) }

// toldSums are they, by what was told.
type toldSums [len(told)]toldSum

// certain is how many sketches said to be exact for certain were.
func (t *toldSums) certain() string {
	said, were := 0, 0
	for i := range t {
		said += t[i].said[advise.Certain]
		were += t[i].were[advise.Certain]
	}
	return fmt.Sprintf("%d of %d", were, said)
}

// adviceTable is a row for each use and way to tell the counts, and another table of
// how sure the advice was of exactness.
func adviceTable(s *report.Section, all []comparison) (sums toldSums) {
	s.Text("The advice, told the skew (the slope of the counts over the ranks, in logarithms), or a sample of the counts and the larger side of the box around the points. "+
		"Sketches for cells that need no counters have no error and are not counted here. \"Within\" is at how many settings the measured error was from error_low to error_high, and the width the median of error_high / error_low where error_low is not 0. The last two columns are of data with %d keys and more: with fewer, which keys meet which is chance.", manyKeys)
	t := s.Table("use", "told", "within", "width", "expected / measured error, median", "80% of them", "all", "BLOB / expected bytes", "error of the advised / of the best, median", "largest")
	for i, u := range uses {
		for by, name := range told {
			var ratios, bytes, regrets, widths []float64
			sum := &sums[by]
			inside := 0
			for j := range all {
				r := &all[j].of[i]
				a := &r.advised[by]
				if !u.keys {
					sum.said[a.Exact]++
					if r.tried[0].exact() {
						sum.were[a.Exact]++
					}
				}
				if r.tried[0].exact() {
					continue
				}
				if a.err >= a.ErrorLow && a.err <= a.ErrorHigh {
					inside++
				}
				ratios = append(ratios, off(a.Error, a.err))
				if a.ErrorLow > 0 {
					widths = append(widths, off(a.ErrorHigh, a.ErrorLow))
				}
				bytes = append(bytes, a.bytes/float64(a.Advice.Bytes))
				if all[j].keys >= manyKeys {
					regrets = append(regrets, off(a.err, r.least()))
				}
			}
			t.Row(u.name, name, fmt.Sprintf("%d of %d", inside, len(ratios)), orNone(report.Median, widths), report.Num2(report.Median(ratios)),
				report.Num2(report.Quantile(ratios, 0.1))+" to "+report.Num2(report.Quantile(ratios, 0.9)), report.Num2(slices.Min(ratios))+" to "+report.Num2(slices.Max(ratios)),
				report.Num2(slices.Min(bytes))+" to "+report.Num2(slices.Max(bytes)), orNone(report.Median, regrets), orNone(slices.Max[[]float64], regrets))
			sum.settings += len(ratios)
			sum.inside += inside
			sum.regrets = append(sum.regrets, regrets...)
		}
	}
	s.Text("How sure it was that sketches for cells are exact, and how many of those were.")
	sure := s.Table("said", "told "+told[0], "were exact", "told "+told[1], "were exact")
	for _, e := range []advise.Exactness{advise.Certain, advise.Likely, advise.Open, advise.Unlikely} {
		sure.Row(e.String(), sums[0].said[e], sums[0].were[e], sums[1].said[e], sums[1].were[e])
	}
	return sums
}

// orNone is a figure of numbers, where there are any.
func orNone(f func([]float64) float64, of []float64) string {
	if len(of) == 0 {
		return "-"
	}
	return report.Num2(f(of))
}
