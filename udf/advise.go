package udf

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/advise"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// adviseSettings is the options of sketch_advise, and the fields that they set.
var adviseSettings = keyed.Options[advise.Data]{
	{Option: args.Option{Name: "places", Kind: args.Flag, Default: "true",
		Summary: "Whether the keys are cells of points, for queries about places and areas. false: any keys, queried one by one."},
		Set: func(d *advise.Data, v sketch.Value) error { d.Keys = !v.Flag; return nil }},
	{Option: args.Option{Name: "remove", Kind: args.Flag, Default: "false",
		Summary: "Whether occurrences will be removed later."},
		Set: func(d *advise.Data, v sketch.Value) error { d.Remove = v.Flag; return nil }},
	{Option: args.Option{Name: "categories", Kind: args.Whole, Default: "0",
		Summary: "Number of categories that are counted separately; distinct is then the number of distinct pairs. 0: none."},
		Set: func(d *advise.Data, v sketch.Value) error { d.Categories = v.Whole; return nil }},
	{Option: args.Option{Name: "counts", Kind: args.Wholes, Most: adviseSample, Default: "none",
		Summary: "Counts of a random sample of the keys, used instead of skew: at most 65,536 of them; 1,000 are enough. A sample describes real data much better than a skew: with it, error_low and error_high are close."},
		Set: func(d *advise.Data, v sketch.Value) error { d.Counts = v.Wholes; return nil }},
	{Option: args.Option{Name: "extent", Kind: args.Whole, Default: "none",
		Summary: "Side, in cells, of a square that contains all points: the larger of width and height of their bounding box, divided by res. With it, exact counts are certain in fewer bytes."},
		Set: func(d *advise.Data, v sketch.Value) error { d.Extent = v.Whole; return nil }},
	{Option: args.Option{Name: "areas", Kind: args.Flag, Default: "true",
		Summary: "Whether queries about places are about areas, maps and the largest cells: if the data does not fit, the advice is a tree, whose error at single cells depends on the places and is NULL here. false: queries are about single cells, for which counters are usually more accurate."},
		Set: func(d *advise.Data, v sketch.Value) error { d.Areas = v.Flag; return nil }},
}

var adviseOptions = adviseSettings.Plain()

// adviseSample is the largest number of counts in a sample.
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

// sketchAdvise returns the description of sketch_advise.
func sketchAdvise() duck.Function {
	return withOptions(function("sketch", "sketch_advise", adviceType, adviseRows,
		"Recommends a sketch for a number of distinct keys and occurrences, with counts in proportion to rank^-skew, within a number of bytes. It returns the call that builds it, and the expected mean of (estimate - count) / count with its range. These are NULL if they depend on the places. exact is true if no count can be wrong. exactness is then 'certain', otherwise 'likely', 'open' or 'unlikely'. It tries sketches on a small model of the data, which takes about a tenth of a second per row.",
		"SELECT a.call, a.bytes, a.exactness FROM (SELECT sketch_advise(280000, 1000000, 0.8, 700000, {extent: 16000}) a)",
		params(duck.Param{Name: "distinct", Type: duck.Any}, duck.Param{Name: "occurrences", Type: duck.Any},
			duck.Param{Name: "skew", Type: duck.Double}, duck.Param{Name: "bytes", Type: duck.Any}), paramOptions), adviseOptions)
}

// adviseRows computes sketch_advise.
func adviseRows(rows *duck.Rows, out *duck.Result) error {
	const arguments = 4 // number of arguments before the options
	var o args.Options
	if err := o.Reset(optional(rows, arguments), adviseOptions); err != nil {
		return err
	}
	var last advise.Data
	var a advise.Advice // the advice for last, reused while rows have the same arguments
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

// adviseData reads the arguments of row i.
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
	d.Areas = true
	err = args.Read(o, adviseSettings, i, &d)
	return d, err
}
