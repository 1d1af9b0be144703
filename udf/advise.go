package udf

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/advise"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// The options of sketch_advise, in the order of adviseOptions.
const (
	advisePlaces = iota
	adviseRemove
	adviseCategories
	adviseCounts
	adviseExtent
	adviseAreas
)

var adviseOptions = []args.Option{
	advisePlaces: {Name: "places", Kind: args.Flag, Default: "true",
		Summary: "Whether the keys are cells of points, for questions about places and areas. false: any keys, asked one by one."},
	adviseRemove: {Name: "remove", Kind: args.Flag, Default: "false",
		Summary: "Whether occurrences will be removed again."},
	adviseCategories: {Name: "categories", Kind: args.Whole, Default: "0",
		Summary: "Number of categories that counts are kept apart by; distinct is then the number of different pairs. 0 is none."},
	adviseCounts: {Name: "counts", Kind: args.Wholes, Default: "none",
		Summary: "Counts of a random sample of the keys, in place of skew, which is then not looked at: at most 65,536 of them; 1,000 do. What real data are like a skew hardly says, a sample does: with it error_low and error_high are close."},
	adviseExtent: {Name: "extent", Kind: args.Whole, Default: "none",
		Summary: "Side of a square, in cells, within which all points lie: width or height of the box around them over res, whichever is more. With it, exact counts are certain in fewer bytes."},
	adviseAreas: {Name: "areas", Kind: args.Flag, Default: "true",
		Summary: "Whether questions about places are about areas, maps and the largest cells: what does not fit is then to be a tree, whose error at single cells depends on the places and is NULL here. false: about single cells, of which counters are mostly closer."},
}

// adviseSample is how many counts a sample may have.
const adviseSample = 1 << 16

var adviceType = duck.StructOf(
	duck.Field{Name: "family", Type: duck.Varchar},
	duck.Field{Name: "options", Type: duck.Varchar},
	duck.Field{Name: "call", Type: duck.Varchar},
	duck.Field{Name: "bytes", Type: duck.UBigInt},
	duck.Field{Name: "expected_error", Type: duck.Double},
	duck.Field{Name: "error_low", Type: duck.Double},
	duck.Field{Name: "error_high", Type: duck.Double},
	duck.Field{Name: "exact", Type: duck.Boolean},
	duck.Field{Name: "exactness", Type: duck.Varchar},
	duck.Field{Name: "why", Type: duck.Varchar},
)

// sketchAdvise describes sketch_advise.
func sketchAdvise() duck.Function {
	return withOptions(function("sketch", "sketch_advise", adviceType, adviseRows,
		"The sketch to build for so many distinct keys and occurrences, with counts in proportion to rank^-skew, in so many bytes: "+
			"the call that builds it, the mean of (estimate - count) / count to expect, and from where to where that may be; NULL where that depends on the places. exact says that no count can be wrong; "+
			"exactness is 'certain' then, otherwise 'likely', 'open' or 'unlikely'. It tries sketches of a small model of the data, which takes about a tenth of a second a row.",
		"SELECT a.call, a.bytes, a.exactness FROM (SELECT sketch_advise(280000, 1000000, 0.8, 700000, {extent: 16000}) a)",
		params(duck.Param{Name: "distinct", Type: duck.Any}, duck.Param{Name: "occurrences", Type: duck.Any},
			duck.Param{Name: "skew", Type: duck.Double}, duck.Param{Name: "bytes", Type: duck.Any}), paramOptions), adviseOptions)
}

func adviseRows(rows *duck.Rows, out *duck.Result) error {
	const arguments = 4 // before the options
	var o args.Options
	if err := o.Reset(optional(rows, arguments), adviseOptions); err != nil {
		return err
	}
	var last advise.Data
	var a advise.Advice // for last: constants are repeated in every row
	for i := range rows.Len() {
		if !validUpTo(rows, arguments, i) {
			out.SetNull(i)
			continue
		}
		d, err := adviseData(rows, &o, i)
		if err != nil {
			return err
		}
		if !d.Equal(&last) {
			if a, err = advise.For(d); err != nil {
				return err
			}
			last = d
		}
		f := fields{out: out, row: i}
		f.text(a.Family)
		if a.Options == "" {
			f.null()
		} else {
			f.text(a.Options)
		}
		f.text(a.Call)
		f.count(a.Bytes)
		for _, e := range []float64{a.Error, a.ErrorLow, a.ErrorHigh} {
			f.floatIf(e, !math.IsNaN(e))
		}
		f.flag(a.Exact == advise.Certain)
		f.text(a.Exact.String())
		f.text(a.Why)
	}
	return nil
}

// adviseData reads row i.
func adviseData(rows *duck.Rows, o *args.Options, i int) (d advise.Data, err error) {
	for _, n := range []struct {
		name string
		col  int
		to   *uint64
	}{{"distinct", 0, &d.Distinct}, {"occurrences", 1, &d.Occurrences}, {"bytes", 3, &d.Bytes}} {
		if *n.to, err = args.Count(n.name, rows.Col(n.col), i); err != nil {
			return d, err
		}
	}
	d.Skew = duck.Slice[float64](rows.Col(2))[i]
	d.Keys = !o.Bool(advisePlaces, i, true)
	d.Areas = o.Bool(adviseAreas, i, true)
	d.Remove = o.Bool(adviseRemove, i, false)
	if d.Categories, err = o.Count(adviseCategories, i, 0); err != nil {
		return d, err
	}
	if d.Extent, err = o.Count(adviseExtent, i, 0); err != nil {
		return d, err
	}
	d.Counts, err = o.Counts(adviseCounts, i, adviseSample)
	return d, err
}
