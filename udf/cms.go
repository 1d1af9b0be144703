package udf

import (
	"math"

	"github.com/ccbfsql/ccbfsql/agg"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// CMS are the scalar functions of the Count-Min Sketch.
func CMS() []duck.Function {
	k := agg.CMSKeyed
	const q = "cms_agg(x % 3) s FROM range(10) t(x)"
	fn := selects("cms")
	return append(keyedFunctions(k, "Count-Min Sketch", cms.Check),
		fn("cms_remove", duck.Blob, keyedRemove(k, (*cms.Sketch).Remove),
			"Sketch with one occurrence of a key less, or with weight of them less; not where it is conservative.",
			"cms_get(cms_remove(s, 2), 2) FROM (SELECT "+q+")", params(paramSketch, paramKey), paramOptions),
		fn("cms_get", duck.UBigInt, keyedLookup(cms.NewView, (*cms.View).CountHashes), "Occurrences of a key: never below the true count.",
			"cms_get(s, 1) FROM (SELECT "+q+")", params(paramSketch, paramKey)),
		fn("cms_join_size", duck.UHugeInt, cmsJoinSize,
			"Number of pairs of occurrences with equal keys, one from each sketch: never below the true number; not where they are conservative.",
			"cms_join_size(s, s) FROM (SELECT "+q+")", params(paramLeft, paramRight)),
		keyedInfo("cms", "Every parameter of a sketch, its error bound, fill and size.", "SELECT (cms_info(s)).width FROM (SELECT "+q+")",
			cms.NewView, (*cms.View).Info, cmsInfoFields, cmsInfo),
	)
}

func cmsJoinSize(rows *duck.Rows, out *duck.Result) error {
	sizes := duck.Out[[2]uint64](out)
	return eachValid(rows, out, func(i int) error {
		hi, lo, err := cms.JoinSizeBlobs(rows.Col(0).Bytes(i), rows.Col(1).Bytes(i))
		sizes[i] = [2]uint64{lo, hi}
		return err
	})
}

var cmsInfoFields = []duck.Field{
	{Name: "width", Type: duck.UBigInt},
	{Name: "depth", Type: duck.UBigInt},
	{Name: "epsilon", Type: duck.Double},
	{Name: "delta", Type: duck.Double},
	{Name: "conservative", Type: duck.Boolean},
	{Name: "error_bound", Type: duck.Double},
	{Name: "saturated", Type: duck.Boolean},
	{Name: "counter_bits", Type: duck.UBigInt},
	{Name: "fill", Type: duck.Double},
}

func cmsInfo(f *fields, info cms.Info) {
	f.count(info.Width)
	f.count(info.Depth)
	f.float(info.Epsilon)
	f.float(info.Delta)
	f.flag(info.Conservative)
	if math.IsInf(info.ErrorBound, 0) {
		f.null()
	} else {
		f.float(info.ErrorBound)
	}
	f.flag(info.Saturated)
	f.count(uint64(info.CounterBits))
	f.float(info.Fill)
}
