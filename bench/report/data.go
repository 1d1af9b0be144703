package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// At is a setting of an experiment: the value of each of its factors, by name.
type At map[string]any

// Figures are what is measured at a setting with one seed, by name.
type Figures map[string]float64

// Data are the raw rows of an experiment, or those of them that have some setting:
// what its tables, plots, claims and texts ask.
type Data struct {
	At   At // what all of the rows share
	rows []dataRow
}

type dataRow struct {
	at      At
	printed map[string]string // the values of at
	name    string            // of the whole setting
	figures Figures
}

// Set notes what holds for all rows: names and their values in turn.
func (d *Data) Set(pairs ...any) {
	if d.At == nil {
		d.At = At{}
	}
	for i := 0; i < len(pairs); i += 2 {
		d.At[pairs[i].(string)] = pairs[i+1]
	}
}

// Record adds the figures of a setting, a row for each seed.
func (d *Data) Record(at At, seeds ...Figures) {
	r := dataRow{at: at, printed: map[string]string{}, name: fmt.Sprint(at)}
	for factor, v := range at {
		r.printed[factor] = fmt.Sprint(v)
	}
	for _, r.figures = range seeds {
		d.rows = append(d.rows, r)
	}
}

// RecordEach adds the rows of several values of a factor that were measured together,
// seed by seed.
func (d *Data) RecordEach(at At, factor string, values []string, bySeed [][]Figures) {
	for _, seed := range bySeed {
		for i, f := range seed {
			of := maps.Clone(at)
			of[factor] = values[i]
			d.Record(of, f)
		}
	}
}

// Where are the rows with these values: factors and values in turn. Values are
// equal where they print alike, so that 1 is 1.0.
func (d *Data) Where(pairs ...any) *Data {
	out := &Data{At: maps.Clone(d.At), rows: d.with(pairs)}
	out.Set(pairs...)
	return out
}

// with are the rows that Where would have.
func (d *Data) with(pairs []any) (rows []dataRow) {
	values := Column(pairs, func(v any) string { return fmt.Sprint(v) })
	for _, r := range d.rows {
		has := true
		for i := 0; i < len(values) && has; i += 2 {
			v, there := r.printed[values[i]]
			has = there && v == values[i+1]
		}
		if has {
			rows = append(rows, r)
		}
	}
	return rows
}

// groups are the rows of each different key, in the order in which they were recorded.
func groups(rows []dataRow, key func(dataRow) string) (groups [][]dataRow) {
	place := map[string]int{}
	for _, r := range rows {
		i, known := place[key(r)]
		if !known {
			i, groups = len(groups), append(groups, nil)
			place[key(r)] = i
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// By are the rows of each different setting of some factors, in the order in which
// they were recorded.
func (d *Data) By(factors ...string) (parts []*Data) {
	have := slices.DeleteFunc(slices.Clone(d.rows), func(r dataRow) bool {
		return slices.ContainsFunc(factors, func(f string) bool { _, there := r.at[f]; return !there })
	})
	for _, rows := range groups(have, func(r dataRow) string {
		return strings.Join(Column(factors, func(f string) string { return r.printed[f] }), "\n")
	}) {
		of := &Data{At: maps.Clone(d.At), rows: rows}
		for _, f := range factors {
			of.Set(f, rows[0].at[f])
		}
		parts = append(parts, of)
	}
	Require(len(parts) > 0, "no row has all of %v", factors)
	return parts
}

// values are those of a figure, row by row, where it is.
func (d *Data) values(figure string, pairs []any) (values []float64) {
	for _, r := range d.with(pairs) {
		if v, there := r.figures[figure]; there {
			values = append(values, v)
		}
	}
	return values
}

// Count is how many rows have a figure.
func (d *Data) Count(figure string, pairs ...any) int { return len(d.values(figure, pairs)) }

// Has reports whether some row has a figure.
func (d *Data) Has(figure string, pairs ...any) bool { return d.Count(figure, pairs...) > 0 }

// All are the values of a figure, row by row; that there are none is an error.
func (d *Data) All(figure string, pairs ...any) []float64 {
	values := d.values(figure, pairs)
	Require(len(values) > 0, "no row of %v has the figure %q at %v", d.At, figure, pairs)
	return values
}

// Some are the values of a figure, none where no row has it: a text shows "-" then.
func (d *Data) Some(figure string, pairs ...any) []float64 { return d.values(figure, pairs) }

// Mean is that of a figure over all rows.
func (d *Data) Mean(figure string, pairs ...any) float64 { return Mean(d.All(figure, pairs...)) }

// Median is that of a figure over all rows; Rounds has the least and the largest with it.
func (d *Data) Median(figure string, pairs ...any) float64 { return Median(d.All(figure, pairs...)) }

// Rounds are a figure that was measured in several rounds, as text.
func (d *Data) Rounds(figure string, pairs ...any) string { return Rounds(d.All(figure, pairs...)) }

// Medians are those of a figure at each setting of some factors that has it.
func (d *Data) Medians(figure string, factors ...string) (medians []float64) {
	for _, at := range d.By(factors...) {
		if at.Has(figure) {
			medians = append(medians, at.Median(figure))
		}
	}
	return medians
}

// Sum is that of a figure over all rows, 0 of none.
func (d *Data) Sum(figure string, pairs ...any) (sum float64) {
	for _, v := range d.values(figure, pairs) {
		sum += v
	}
	return sum
}

// First is a figure of the first row.
func (d *Data) First(figure string, pairs ...any) float64 { return d.All(figure, pairs...)[0] }

// Means are those of a figure over the seeds, one for each setting that has it, but
// for what is no number.
func (d *Data) Means(figure string, pairs ...any) (means []float64) {
	for _, rows := range groups(d.with(pairs), func(r dataRow) string { return r.name }) {
		if of := (&Data{rows: rows}); of.Has(figure) && !math.IsNaN(of.Mean(figure)) {
			means = append(means, of.Mean(figure))
		}
	}
	return means
}

// Max is the largest of Means.
func (d *Data) Max(figure string, pairs ...any) float64 { return slices.Max(d.Means(figure, pairs...)) }

// Least is the least of Means above 0, which a logarithmic axis can show.
func (d *Data) Least(figure string, pairs ...any) float64 {
	return slices.Min(append(slices.DeleteFunc(d.Means(figure, pairs...), func(mean float64) bool { return mean <= 0 }), math.Inf(1)))
}

// Min is the least of Means.
func (d *Data) Min(figure string, pairs ...any) float64 { return slices.Min(d.Means(figure, pairs...)) }

// Of are the rows with one of several values of a factor, in the order of these, which may
// be lists.
func (d *Data) Of(factor string, values ...any) *Data {
	out := &Data{At: d.At}
	for _, v := range values {
		if list, is := v.([]any); is {
			out.rows = append(out.rows, d.Of(factor, list...).rows...)
		} else {
			out.rows = append(out.rows, d.Where(factor, v).rows...)
		}
	}
	return out
}

// meanInterval is the mean of values of several seeds, with its 95% interval, for what is
// never below 0.
func meanInterval(x []float64) (mean, lo, hi float64) {
	mean, half := Mean(x), 1.96*StandardError(x)
	return mean, max(0, mean-half), mean + half
}

// Number is the value of a factor that all rows share, which is a number.
func (d *Data) Number(factor string) float64 { return number(d.At[factor]) }

// number is a value as a float64.
func number(v any) (n float64) {
	_, err := fmt.Sscan(fmt.Sprint(v), &n)
	Check(err)
	return n
}

// pairs are the means of a figure with two values of a factor, at each setting of the
// other factors that has both.
func (d *Data) pairs(figure, factor string, a, b any) (both [][2]float64) {
	var others []string
	for _, r := range d.with([]any{factor, a}) {
		if _, there := r.figures[figure]; there {
			others = slices.DeleteFunc(slices.Collect(maps.Keys(r.at)), func(f string) bool { return f == factor })
		}
	}
	for _, at := range d.By(others...) {
		if at.Has(figure, factor, a) && at.Has(figure, factor, b) {
			both = append(both, [2]float64{at.Mean(figure, factor, a), at.Mean(figure, factor, b)})
		}
	}
	return both
}

// NotWorse is at how many settings the mean of a figure with a value a of a factor is
// at most that with b.
func (d *Data) NotWorse(figure, factor string, a, b any) int {
	return Count(d.pairs(figure, factor, a, b), func(p [2]float64) bool { return p[0] <= p[1] })
}

// Closer is at how many it is less.
func (d *Data) Closer(figure, factor string, a, b any) int {
	return Count(d.pairs(figure, factor, a, b), func(p [2]float64) bool { return p[0] < p[1] })
}

// Settings is the number of settings.
func (d *Data) Settings(figure, factor string, a, b any) int {
	return len(d.pairs(figure, factor, a, b))
}

// Ratios are a's means over b's, where those are not 0.
func (d *Data) Ratios(figure, factor string, a, b any) (ratios []float64) {
	for _, p := range d.pairs(figure, factor, a, b) {
		if p[1] != 0 {
			ratios = append(ratios, p[0]/p[1])
		}
	}
	return ratios
}

// Top are the rows of the setting that has the largest value of a figure.
func (d *Data) Top(figure string) *Data {
	var top dataRow
	most := math.Inf(-1)
	for _, r := range d.rows {
		if v, there := r.figures[figure]; there && v > most {
			top, most = r, v
		}
	}
	out := d.Where()
	out.rows = slices.DeleteFunc(out.rows, func(r dataRow) bool { return r.name != top.name })
	maps.Copy(out.At, top.at)
	return out
}
