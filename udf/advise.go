package udf

import (
	"reflect"

	"github.com/ccbfsql/ccbfsql/filters/advise"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// adviseSettings is the options of sketch_advise, and the fields that they set.
var adviseSettings = keyed.Options[advise.Data]{
	{Option: sketch.Option{Name: "places", Kind: sketch.FlagKind, Default: "true",
		Summary: "Whether the keys are cells of points, for queries about places and areas. false: any keys, queried one by one."},
		Set: func(d *advise.Data, v sketch.Value) error { d.Keys = !v.Flag; return nil }},
	keyed.FlagOption("remove", "Whether occurrences will be removed later.", func(d *advise.Data) *bool { return &d.Remove }),
	{Option: sketch.Option{Name: "categories", Kind: sketch.WholeKind, Default: "0",
		Summary: "Number of categories that are counted separately; distinct is then the number of distinct pairs. 0: none."},
		Set: func(d *advise.Data, v sketch.Value) error { d.Categories = v.Whole; return nil }},
	{Option: sketch.Option{Name: "counts", Kind: sketch.WholesKind, Most: adviseSample, Default: "none",
		Summary: "Counts of a random sample of the keys, used instead of skew: at most 65,536 of them; 1,000 are enough. A sample describes real data much better than a skew: with it, error_low and error_high are close."},
		Set: func(d *advise.Data, v sketch.Value) error { d.Counts = v.Wholes; return nil }},
	{Option: sketch.Option{Name: "extent", Kind: sketch.WholeKind, Default: "none",
		Summary: "Side, in cells, of a square that contains all points: the larger of width and height of their bounding box, divided by res. With it, exact counts are certain in fewer bytes."},
		Set: func(d *advise.Data, v sketch.Value) error { d.Extent = v.Whole; return nil }},
	{Option: sketch.Option{Name: "areas", Kind: sketch.FlagKind, Default: "true",
		Summary: "Whether queries about places are about areas, maps and the largest cells: if the data does not fit, the advice is a tree, whose error at single cells depends on the places and is NULL here. false: queries are about single cells, for which counters are usually more accurate."},
		Set: func(d *advise.Data, v sketch.Value) error { d.Areas = v.Flag; return nil }},
}

// adviseSample is the largest number of counts in a sample.
const adviseSample = 1 << 16

var adviceFields = keyed.InfoOf(func(a *advise.Advice) advise.Advice { return *a },
	keyed.Is("family", func(a *advise.Advice) string { return a.Family }),
	keyed.If("options", func(a *advise.Advice) (string, bool) { return a.Options, a.Options != "" }),
	keyed.Is("call", func(a *advise.Advice) string { return a.Call }),
	keyed.Is("bytes", func(a *advise.Advice) uint64 { return a.Bytes }),
	keyed.Is("expected_error", func(a *advise.Advice) float64 { return a.Error }),
	keyed.Is("error_low", func(a *advise.Advice) float64 { return a.ErrorLow }),
	keyed.Is("error_high", func(a *advise.Advice) float64 { return a.ErrorHigh }),
	keyed.Is("exact", func(a *advise.Advice) bool { return a.Exact == advise.Certain }),
	keyed.Is("exactness", func(a *advise.Advice) string { return a.Exact.String() }),
	keyed.Is("why", func(a *advise.Advice) string { return a.Why }),
)

// sketchAdvise returns the description of sketch_advise.
func sketchAdvise() duck.Function {
	return function("sketch", "sketch_advise", structType(adviceFields.Fields), adviseRows,
		"Recommends a sketch for a number of distinct keys and occurrences, with counts in proportion to rank^-skew, within a number of bytes. It returns the call that builds it, and the expected mean of (estimate - count) / count with its range. These are NULL if they depend on the places. The field bytes is the expected size for keys in random order, at most the given one. For points, a header of up to 48 bytes is added, as the option bytes of ccbf_agg is without it. exact is true if no count can be wrong. exactness is then 'certain', otherwise 'likely', 'open' or 'unlikely'. It tries sketches on a small model of the data, which takes about a tenth of a second per row.",
		"SELECT a.call, a.bytes, a.exactness FROM (SELECT sketch_advise(280000, 1000000, 0.8, 700000, {extent: 16000}) a)",
		params(duck.Param{Name: "distinct", Type: duck.Any}, duck.Param{Name: "occurrences", Type: duck.Any},
			duck.Param{Name: "skew", Type: duck.Double}, duck.Param{Name: "bytes", Type: duck.Any}), withOptions(adviseSettings.Plain()))
}

// adviseRows computes sketch_advise.
func adviseRows(c *call) error {
	var last advise.Data
	var values []sketch.Value // the advice for last, reused while rows have the same arguments
	return c.each(func(i int) error {
		d, err := adviseData(c, i)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(d, last) {
			a, err := advise.For(d)
			if err != nil {
				return err
			}
			last, values = d, adviceFields.Append(values[:0], &a)
		}
		f := fields{out: c.out, row: i}
		f.values(adviceFields.Fields, values)
		return nil
	})
}

// adviseData reads the arguments of row i.
func adviseData(c *call, i int) (d advise.Data, err error) {
	if d.Distinct, err = args.Count("distinct", c.Col(0), i, 1, advise.MaxOccurrences); err != nil {
		return d, err
	}
	if d.Occurrences, err = args.Count("occurrences", c.Col(1), i, 1, advise.MaxOccurrences); err != nil {
		return d, err
	}
	if d.Bytes, err = args.Count("bytes", c.Col(3), i, advise.MinBytes, advise.MaxBytes); err != nil {
		return d, err
	}
	d.Skew = duck.Slice[float64](c.Col(2))[i]
	d.Areas = true
	err = args.Read(&c.options, adviseSettings, i, &d)
	return d, err
}
