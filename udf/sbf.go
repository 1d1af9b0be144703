package udf

import (
	"math"

	"github.com/ccbfsql/ccbfsql/agg"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// SBF are the scalar functions of the Spectral Bloom Filter.
func SBF() []duck.Function {
	k := agg.SBFKeyed
	const q = "sbf_agg(x % 3) s FROM range(10) t(x)"
	fn := selects("sbf")
	return append(keyedFunctions(k, "Spectral Bloom Filter", sbf.Check),
		fn("sbf_remove", duck.Blob, keyedRemove(k, (*sbf.Sketch).Remove),
			"Sketch with one occurrence of a key less, or with weight of them less; not of method mi, and not of a product.",
			"sbf_get(sbf_remove(s, 2), 2) FROM (SELECT "+q+")", params(paramSketch, paramKey), paramOptions),
		fn("sbf_get", duck.UBigInt, keyedLookup(sbf.NewView, (*sbf.View).CountHashes),
			"Occurrences of a key: exact for most keys, never below the true count, but rarely with methods rm and trm once they were changed after sbf_agg.",
			"sbf_get(s, 1) FROM (SELECT "+q+")", params(paramSketch, paramKey)),
		fn("sbf_get_unbiased", duck.Double, sbfUnbiased,
			"Estimate that is right in the mean and too low as often as too high, for sums over many keys; the median of so many groups of counters, 1 by default. "+
				"Not of method mi, and not of a product.",
			"round(sbf_get_unbiased(s, 1)) FROM (SELECT "+q+")", params(paramSketch, paramKey), duck.Param{Name: "groups", Type: duck.UBigInt}),
		fn("sbf_join", duck.Blob, sbfJoin,
			"Sketch of a join on the key: sbf_get of it is how many pairs of rows a key has, never below the true number.",
			"sbf_get(sbf_join(s, s), 0) FROM (SELECT "+q+")", params(paramLeft, paramRight)),
		fn("sbf_range_sum", duck.UBigInt, sbfRangeSum,
			"Occurrences of all keys from lo to hi, both included, of a sketch made with the option range: never below the truth where sbf_get is not.",
			"sbf_range_sum(s, 10, 19) FROM (SELECT sbf_agg(x, {range: {lo: 0, hi: 99}}) s FROM range(50) t(x))",
			params(paramSketch, duck.Param{Name: "lo", Type: duck.BigInt}, duck.Param{Name: "hi", Type: duck.BigInt})),
		keyedInfo("sbf", "Every parameter of a sketch, its load, error rate, fill and size.", "SELECT (sbf_info(s)).method FROM (SELECT "+q+")",
			sbf.NewView, (*sbf.View).Info, sbfInfoFields, sbfInfo),
	)
}

func sbfUnbiased(rows *duck.Rows, out *duck.Result) error {
	var keys args.Keys
	if err := keys.Reset(rows.Col(1)); err != nil {
		return err
	}
	estimates := duck.Out[float64](out)
	return eachBlob(rows, out, sbf.NewView, func(v *sbf.View, i int) error {
		groups := uint64(1)
		if g := optional(rows, 2); g != nil {
			groups = duck.Slice[uint64](g)[i]
		}
		h1, h2, err := keys.Hash(i, v.KeyClass(), v.Seed())
		if err != nil {
			return err
		}
		estimates[i], err = v.Unbiased(h1, h2, int(min(groups, math.MaxInt32)))
		return err
	})
}

func sbfRangeSum(rows *duck.Rows, out *duck.Result) error {
	lo, hi := duck.Slice[int64](rows.Col(1)), duck.Slice[int64](rows.Col(2))
	sums := duck.Out[uint64](out)
	return eachBlob(rows, out, sbf.NewView, func(v *sbf.View, i int) (err error) {
		sums[i], err = v.RangeSum(lo[i], hi[i])
		return err
	})
}

func sbfJoin(rows *duck.Rows, out *duck.Result) error {
	m := making{out: out}
	return eachValid(rows, out, func(i int) error {
		if err := m.take(int64(len(rows.Col(0).Bytes(i)) + len(rows.Col(1).Bytes(i)))); err != nil {
			return err
		}
		a, err := sbf.Decode(rows.Col(0).Bytes(i))
		if err != nil {
			return err
		}
		b, err := sbf.Decode(rows.Col(1).Bytes(i))
		if err != nil {
			return err
		}
		p, err := sbf.Product(a, b)
		if err != nil {
			return err
		}
		if err := m.take(2*int64(p.Bytes()) + int64(a.Bytes()+b.Bytes())); err != nil {
			return err
		}
		out.SetBytes(i, p.Blob())
		m.done()
		return nil
	})
}

var sbfInfoFields = []duck.Field{
	{Name: "method", Type: duck.Varchar},
	{Name: "k", Type: duck.UBigInt},
	{Name: "counters", Type: duck.UBigInt},
	{Name: "second_counters", Type: duck.UBigInt},
	{Name: "marker", Type: duck.Boolean},
	{Name: "encoding", Type: duck.Varchar},
	{Name: "blocked", Type: duck.Boolean},
	{Name: "range_lo", Type: duck.BigInt},
	{Name: "range_hi", Type: duck.BigInt},
	{Name: "product", Type: duck.Boolean},
	{Name: "keys", Type: duck.Double},
	{Name: "load", Type: duck.Double},
	{Name: "fill", Type: duck.Double},
	{Name: "error_rate", Type: duck.Double},
	{Name: "second_fill", Type: duck.Double},
	{Name: "traps", Type: duck.UBigInt},
	{Name: "largest", Type: duck.UBigInt},
	{Name: "counter_bits", Type: duck.Double},
	{Name: "saturated", Type: duck.Boolean},
}

func sbfInfo(f *fields, info sbf.Info) {
	finite := func(v float64) {
		if math.IsInf(v, 0) {
			f.null()
		} else {
			f.float(v)
		}
	}
	f.text(info.Method.String())
	f.count(uint64(info.K))
	f.count(info.Counters)
	f.known(info.SecondCounters, info.SecondCounters > 0)
	f.flag(info.Marker)
	f.text(info.Encoding.String())
	f.flag(info.Blocked)
	for _, end := range []int64{info.Range.Lo, info.Range.Hi} {
		if info.Range == (sbf.Range{}) {
			f.null()
		} else {
			duck.Out[int64](f.next())[f.row] = end
		}
	}
	f.flag(info.Product)
	finite(info.Keys)
	finite(info.Load)
	f.float(info.Fill)
	f.float(info.ErrorRate)
	if info.SecondCounters > 0 {
		f.float(info.SecondFill)
	} else {
		f.null()
	}
	f.count(uint64(info.Traps))
	f.count(info.Largest)
	f.float(info.CounterBits)
	f.flag(info.Saturated)
}
