package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
)

// At is a setting of an experiment: the values of its factors by name.
type At map[string]any

// Figures are the measured values at a setting with one seed, by name.
type Figures map[string]float64

// Data has the rows of an experiment, or those with some setting. Tables, plots, claims and texts
// query it.
type Data struct {
	At   At // factors that all rows share
	rows []dataRow
}

type dataRow struct {
	at      At
	figures Figures
}

// Set sets factors that all rows share: names and values alternate.
func (d *Data) Set(pairs ...any) {
	if d.At == nil {
		d.At = At{}
	}
	for i := 0; i < len(pairs); i += 2 {
		d.At[pairs[i].(string)] = pairs[i+1]
	}
}

// Record adds the figures of a setting, one row per seed.
func (d *Data) Record(at At, seeds ...Figures) {
	for _, f := range seeds {
		d.rows = append(d.rows, dataRow{at, f})
	}
}

// RecordEach adds rows for several values of a factor that were measured together, seed by seed.
func (d *Data) RecordEach(at At, factor string, values []string, bySeed [][]Figures) {
	for _, seed := range bySeed {
		for i, f := range seed {
			of := maps.Clone(at)
			of[factor] = values[i]
			d.Record(of, f)
		}
	}
}

// Where returns the rows with these values: factors and values alternate. Values are equal if they
// print alike, so 1 equals 1.0.
func (d *Data) Where(pairs ...any) *Data {
	out := &Data{At: maps.Clone(d.At), rows: d.with(pairs)}
	out.Set(pairs...)
	return out
}

// with returns the rows of Where.
func (d *Data) with(pairs []any) (rows []dataRow) {
	values := Column(pairs, func(v any) string { return fmt.Sprint(v) })
	for _, r := range d.rows {
		has := true
		for i := 0; i < len(values) && has; i += 2 {
			v, there := r.at[values[i]]
			has = there && fmt.Sprint(v) == values[i+1]
		}
		if has {
			rows = append(rows, r)
		}
	}
	return rows
}

// groups divides rows into groups with the same key, in the order of the groups' first rows.
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

// By returns the rows of each setting of some factors, in the order of their first rows.
func (d *Data) By(factors ...string) (parts []*Data) {
	have := slices.DeleteFunc(slices.Clone(d.rows), func(r dataRow) bool {
		return slices.ContainsFunc(factors, func(f string) bool { _, there := r.at[f]; return !there })
	})
	for _, rows := range groups(have, func(r dataRow) string {
		return strings.Join(Column(factors, func(f string) string { return fmt.Sprint(r.at[f]) }), "\n")
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

// Some returns the values of a figure, row by row, without rows that lack it. There may be none: a
// text then shows "-".
func (d *Data) Some(figure string, pairs ...any) (values []float64) {
	for _, r := range d.with(pairs) {
		if v, there := r.figures[figure]; there {
			values = append(values, v)
		}
	}
	return values
}

// Count returns how many rows have a figure.
func (d *Data) Count(figure string, pairs ...any) int { return len(d.Some(figure, pairs...)) }

// Has reports whether some row has a figure.
func (d *Data) Has(figure string, pairs ...any) bool { return d.Count(figure, pairs...) > 0 }

// All returns the values of a figure, row by row. It fails if there are none.
func (d *Data) All(figure string, pairs ...any) []float64 {
	values := d.Some(figure, pairs...)
	Require(len(values) > 0, "no row of %v has the figure %q at %v", d.At, figure, pairs)
	return values
}

// Mean returns the mean of a figure over all rows.
func (d *Data) Mean(figure string, pairs ...any) float64 { return Mean(d.All(figure, pairs...)) }

// Median returns the median of a figure over all rows.
func (d *Data) Median(figure string, pairs ...any) float64 { return Median(d.All(figure, pairs...)) }

// Rounds returns the median, the least and the largest value of a figure as text.
func (d *Data) Rounds(figure string, pairs ...any) string { return Rounds(d.All(figure, pairs...)) }

// Medians returns the median of a figure at each setting of some factors that has it.
func (d *Data) Medians(figure string, factors ...string) (medians []float64) {
	for _, at := range d.By(factors...) {
		if at.Has(figure) {
			medians = append(medians, at.Median(figure))
		}
	}
	return medians
}

// Sum returns the sum of a figure over all rows, or 0 if no row has it.
func (d *Data) Sum(figure string, pairs ...any) float64 { return floats.Sum(d.Some(figure, pairs...)) }

// First returns a figure of the first row that has it.
func (d *Data) First(figure string, pairs ...any) float64 { return d.All(figure, pairs...)[0] }

// Means returns the mean of a figure over the seeds for each setting that has it, without NaN.
func (d *Data) Means(figure string, pairs ...any) (means []float64) {
	for _, rows := range groups(d.with(pairs), func(r dataRow) string { return fmt.Sprint(r.at) }) {
		if of := (&Data{rows: rows}); of.Has(figure) && !math.IsNaN(of.Mean(figure)) {
			means = append(means, of.Mean(figure))
		}
	}
	return means
}

// Max returns the largest of Means.
func (d *Data) Max(figure string, pairs ...any) float64 { return slices.Max(d.Means(figure, pairs...)) }

// Least returns the smallest of Means above 0, for a logarithmic axis.
func (d *Data) Least(figure string, pairs ...any) float64 {
	return slices.Min(append(slices.DeleteFunc(d.Means(figure, pairs...), func(mean float64) bool { return mean <= 0 }), math.Inf(1)))
}

// Min returns the smallest of Means.
func (d *Data) Min(figure string, pairs ...any) float64 { return slices.Min(d.Means(figure, pairs...)) }

// AnyOf returns the rows with one of several values of a factor, in the order of the values, which
// can be lists.
func (d *Data) AnyOf(factor string, values ...any) *Data {
	out := &Data{At: d.At}
	for _, v := range values {
		if list, is := v.([]any); is {
			out.rows = append(out.rows, d.AnyOf(factor, list...).rows...)
		} else {
			out.rows = append(out.rows, d.Where(factor, v).rows...)
		}
	}
	return out
}

// meanInterval returns the mean of several seeds with its 95% interval, for values that are never
// below 0.
func meanInterval(x []float64) (mean, lo, hi float64) {
	mean, half := Mean(x), 1.96*StandardError(x)
	return mean, max(0, mean-half), mean + half
}

// Number returns the value of a shared factor that is a number.
func (d *Data) Number(factor string) float64 { return number(d.At[factor]) }

// number returns a value as a float64.
func number(v any) (n float64) {
	_, err := fmt.Sscan(fmt.Sprint(v), &n)
	Check(err)
	return n
}

// pairs returns the means of a figure with two values of a factor, at each setting of the other
// factors that has both.
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

// NotWorse compares the means of a figure for two values of a factor, at each setting of the other factors.
// It returns at how many settings the mean for a is at most the mean for b.
func (d *Data) NotWorse(figure, factor string, a, b any) int {
	return Count(d.pairs(figure, factor, a, b), func(p [2]float64) bool { return p[0] <= p[1] })
}

// Closer compares the means of a figure for the values a and b of a factor, at each setting of the
// other factors. It returns at how many settings the mean for a is below the mean for b.
func (d *Data) Closer(figure, factor string, a, b any) int {
	return Count(d.pairs(figure, factor, a, b), func(p [2]float64) bool { return p[0] < p[1] })
}

// Settings returns the number of settings that Closer compares.
func (d *Data) Settings(figure, factor string, a, b any) int {
	return len(d.pairs(figure, factor, a, b))
}

// Ratios returns, at each setting that Closer compares, the mean with a over the mean with b. Settings
// whose mean with b is 0 are left out.
func (d *Data) Ratios(figure, factor string, a, b any) (ratios []float64) {
	for _, p := range d.pairs(figure, factor, a, b) {
		if p[1] != 0 {
			ratios = append(ratios, p[0]/p[1])
		}
	}
	return ratios
}
