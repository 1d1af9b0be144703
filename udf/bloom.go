package udf

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// The functions of the Bloom filter alone.
var _ = only(bloom.Family,
	function("", "X_intersect", duck.Blob, eachPair(keyedPair(bloom.Family, 1, bloomIntersect)),
		"Returns the filter of the bits that both have: a key of both is found, an absent key no more often than in either. The total is not known, and the cardinality of bloom_info is too high. About as many keys are in both as the cardinalities of a and b have more together than that of bloom_union(a, b).",
		"X_contains(X_intersect(s, X_add(X_empty(), 2)), 2) FROM (SELECT X_agg(x % 3) s FROM range(10) t(x))", params(paramLeft, paramRight)),
	function("", "X_shrink", duck.Blob, bloomShrink,
		"Returns a filter of variant 'blocks' in a BLOB of at most bytes, with as many of its blocks as fit. It finds all its keys, and more absent keys.",
		"(X_info(X_shrink(X_empty({variant: 'blocks'}), 50000))).bits", params(paramSketch, duck.Param{Name: "bytes", Type: duck.Any})),
	function("", "X_fpp", duck.Double, oncePerBlob(bloomFPP), "Probability that an absent key is found, given the bits that are set.",
		"X_fpp(s) < 0.01 FROM (SELECT X_agg(x % 3) s FROM range(10) t(x))", params(paramSketch)),
)

// bloomIntersect intersects a filter with that of a BLOB.
func bloomIntersect(s keyed.Sketch, blob []byte) error { return s.(*bloom.Sketch).IntersectBlob(blob) }

// bloomShrink computes bloom_shrink.
func bloomShrink(c *call) error {
	return c.eachSketch(func(i int) (encoder, error) {
		size, err := args.Count("bytes", c.Col(1), i, 1, math.MaxUint64)
		if err != nil {
			return nil, err
		}
		s, err := c.keyed(bloom.Family, c.Col(0).Bytes(i), 1)
		if err != nil {
			return nil, err
		}
		return s, s.(*bloom.Sketch).Shrink(size)
	})
}

// bloomFPP computes bloom_fpp.
func bloomFPP(_ *call, blob []byte) (float64, error) {
	v, err := bloom.NewView(blob)
	if err != nil {
		return 0, err
	}
	return v.FPP(), nil
}
