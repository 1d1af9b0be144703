package udf

import (
	"math"

	"github.com/ccbfsql/ccbfsql/agg"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// CBF are the scalar functions of the counting Bloom filter.
func CBF() []duck.Function {
	k := agg.CBFKeyed
	const q = "cbf_agg(x % 3) s FROM range(10) t(x)"
	fn := selects("cbf")
	return append(keyedFunctions(k, "counting Bloom filter", cbf.Check),
		fn("cbf_remove", duck.Blob, keyedRemove(k, (*cbf.Sketch).Remove),
			"Filter with one occurrence of a key less, or with weight of them less. A key that is not there is an error.",
			"cbf_contains(cbf_remove(s, 2, {weight: 3}), 2) FROM (SELECT "+q+")", params(paramSketch, paramKey), paramOptions),
		fn("cbf_contains", duck.Boolean, keyedLookup(cbf.NewView, (*cbf.View).ContainsHashes),
			"Whether a key may be there: always true for one that was added and not removed as often.",
			"cbf_contains(s, 1) FROM (SELECT "+q+")", params(paramSketch, paramKey)),
		keyedInfo("cbf", "Every parameter of a filter, its load, fill, stuck counters and the probability that an absent key is found now.",
			"SELECT (cbf_info(s)).k FROM (SELECT "+q+")", cbf.NewView, (*cbf.View).Info, cbfInfoFields, cbfInfo),
	)
}

var cbfInfoFields = []duck.Field{
	{Name: "variant", Type: duck.Varchar},
	{Name: "capacity", Type: duck.UBigInt},
	{Name: "counters", Type: duck.UBigInt},
	{Name: "k", Type: duck.UBigInt},
	{Name: "counter_bits", Type: duck.UBigInt},
	{Name: "increment", Type: duck.UBigInt},
	{Name: "variable_length", Type: duck.Boolean},
	{Name: "alpha", Type: duck.Double},
	{Name: "halves", Type: duck.Boolean},
	{Name: "load", Type: duck.Double},
	{Name: "fill", Type: duck.Double},
	{Name: "fpp", Type: duck.Double},
	{Name: "bits_per_key", Type: duck.Double},
	{Name: "stuck", Type: duck.UBigInt},
	{Name: "saturated", Type: duck.Boolean},
}

func cbfInfo(f *fields, info cbf.Info) {
	f.text(info.Variant.String())
	f.count(info.Capacity)
	f.count(info.Counters)
	f.count(info.K)
	f.count(info.CounterBits)
	f.count(info.Increment)
	f.flag(info.VariableLength)
	if info.VariableLength {
		f.float(info.Alpha)
	} else {
		f.null()
	}
	f.flag(info.Halves)
	if math.IsInf(info.Load, 0) {
		f.null()
	} else {
		f.float(info.Load)
	}
	f.float(info.Fill)
	f.float(info.FPP)
	f.float(info.BitsPerKey)
	f.count(info.Stuck)
	f.flag(info.Saturated)
}
