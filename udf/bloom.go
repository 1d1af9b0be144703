package udf

import (
	"math"

	"github.com/ccbfsql/ccbfsql/agg"
	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Bloom are the scalar functions of the Bloom filter.
func Bloom() []duck.Function {
	k := agg.BloomKeyed
	const q = "bloom_agg(x % 3) s FROM range(10) t(x)"
	fn := selects("bloom")
	return append(keyedFunctions(k, "Bloom filter", bloom.Check),
		fn("bloom_intersect", duck.Blob, bloomIntersect,
			"Filter of the bits that both have: a key of both is found, an absent key no more often than in either. Its total is not known.",
			"bloom_contains(bloom_intersect(s, bloom_add(bloom_empty(), 2)), 2) FROM (SELECT "+q+")", params(paramLeft, paramRight)),
		fn("bloom_shrink", duck.Blob, bloomShrink,
			"Filter of variant 'blocks' in a BLOB of no more than bytes, with as many of its blocks as fit. It finds all its keys, and more absent ones.",
			"(bloom_info(bloom_shrink(bloom_empty({variant: 'blocks'}), 50000))).bits", params(paramSketch, duck.Param{Name: "bytes", Type: duck.Any})),
		fn("bloom_contains", duck.Boolean, keyedLookup(bloom.NewView, (*bloom.View).ContainsHashes),
			"Whether a key may be there: always true for one that was added, and with the probability bloom_fpp for another.",
			"bloom_contains(s, 1) FROM (SELECT "+q+")", params(paramSketch, paramKey)),
		fn("bloom_fpp", duck.Double, bloomFPP, "Probability that an absent key is found, as the bits that are set make it.",
			"bloom_fpp(s) < 0.01 FROM (SELECT "+q+")", params(paramSketch)),
		keyedInfo("bloom", "Every parameter of a filter, its fill, and what follows from it: the number of distinct keys and the false positive rate.",
			"SELECT (bloom_info(s)).cardinality FROM (SELECT "+q+")", bloom.NewView, (*bloom.View).Info, bloomInfoFields, bloomInfo),
	)
}

func bloomIntersect(rows *duck.Rows, out *duck.Result) error {
	return eachValid(rows, out, func(i int) error {
		s, err := bloom.Decode(rows.Col(0).Bytes(i))
		if err != nil {
			return err
		}
		if err := s.IntersectBlob(rows.Col(1).Bytes(i)); err != nil {
			return err
		}
		out.SetBytes(i, s.Blob())
		return nil
	})
}

func bloomShrink(rows *duck.Rows, out *duck.Result) error {
	return eachValid(rows, out, func(i int) error {
		size, err := args.Count("bytes", rows.Col(1), i)
		if err != nil {
			return err
		}
		s, err := bloom.Decode(rows.Col(0).Bytes(i))
		if err != nil {
			return err
		}
		if err := s.Shrink(size); err != nil {
			return err
		}
		out.SetBytes(i, s.Blob())
		return nil
	})
}

func bloomFPP(rows *duck.Rows, out *duck.Result) error {
	rates := duck.Out[float64](out)
	return eachBlob(rows, out, func(blob []byte) (float64, error) {
		v, err := bloom.NewView(blob)
		if err != nil {
			return 0, err
		}
		return v.FPP(), nil // it takes a look at every bit
	}, func(rate *float64, i int) error {
		rates[i] = *rate
		return nil
	})
}

var bloomInfoFields = []duck.Field{
	{Name: "variant", Type: duck.Varchar},
	{Name: "activation", Type: duck.Varchar},
	{Name: "bits", Type: duck.UBigInt},
	{Name: "k", Type: duck.Double},
	{Name: "blocks", Type: duck.ListOf(duck.UBigInt)},
	{Name: "shrunk_from", Type: duck.UBigInt},
	{Name: "capacity", Type: duck.UBigInt},
	{Name: "bits_per_key", Type: duck.Double},
	{Name: "fpp_at_capacity", Type: duck.Double},
	{Name: "cardinality", Type: duck.Double},
	{Name: "fill", Type: duck.Double},
	{Name: "fpp", Type: duck.Double},
}

func bloomInfo(f *fields, info bloom.Info) {
	f.text(info.Variant.String())
	if info.Variant == bloom.Rational {
		f.text(info.Activation.String())
	} else {
		f.null()
	}
	f.count(info.Bits)
	f.float(info.K)
	if info.Variant == bloom.Blocks {
		f.counts(info.Blocks)
	} else {
		f.null()
	}
	f.known(info.Made, info.Made != info.Bits)
	f.count(info.Capacity)
	f.float(info.BitsPerKey)
	f.float(info.FPPAtCapacity)
	if math.IsInf(info.Cardinality, 0) {
		f.null()
	} else {
		f.float(info.Cardinality)
	}
	f.float(info.Fill)
	f.float(info.FPP)
}
