package udf

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// The functions of the Spectral Bloom Filter alone.
var _ = only(sbf.Family,
	function("", "X_get_unbiased", duck.Double, sbfUnbiased,
		"Unbiased estimate, too low as often as too high, for sums over many keys. It is the median of the given number of groups of counters, 1 by default. "+
			"Not for method mi, and not for products.",
		"round(X_get_unbiased(s, 1)) FROM (SELECT X_agg(x % 3) s FROM range(10) t(x))", params(paramSketch, paramKey), duck.Param{Name: "groups", Type: duck.UBigInt}),
	function("", "X_join", duck.Blob, eachPair(sbfJoin),
		"Returns the sketch of a join on the key: sbf_get then returns the number of joined rows with a key, never below the true number. Join the result again for three relations and more.",
		"X_get(X_join(s, s), 0) FROM (SELECT X_agg(x % 3) s FROM range(10) t(x))", params(paramLeft, paramRight)),
	function("", "X_range_sum", duck.UBigInt, sbfRangeSum,
		"Number of occurrences of all keys from lo to hi, both included, in a sketch built with the option range. It is never below the true number if sbf_get is not. lo and hi have the keys' type.",
		"X_range_sum(s, 10, 19) FROM (SELECT X_agg(x, {range: {lo: 0, hi: 99}}) s FROM range(50) t(x))",
		params(paramSketch, duck.Param{Name: "lo", Type: duck.Any}, duck.Param{Name: "hi", Type: duck.Any})),
)

// sbfUnbiased computes sbf_get_unbiased.
func sbfUnbiased(c *call) error {
	var keys args.Keys
	if err := keys.Reset(c.Col(1)); err != nil {
		return err
	}
	estimates := duck.Out[float64](c.out)
	return eachBlob(c, sbf.NewView, func(v *sbf.View, i int) error {
		groups := uint64(1)
		if g := c.Optional(2); g != nil {
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

// sbfRangeSum computes sbf_range_sum.
func sbfRangeSum(c *call) error {
	sums := duck.Out[uint64](c.out)
	return eachBlob(c, sbf.NewView, func(v *sbf.View, i int) (err error) {
		var ends [2]int64
		for j, name := range []string{"lo", "hi"} {
			n, class, ok := args.RangeEnd(c.Col(j+1), i)
			if !ok {
				return sketch.ArgumentError(name, "is of type %s, or no whole number of 64 bits: must be a key of the range", c.Col(j+1).Type())
			}
			if of := v.KeyClass(); class != of && of != key.None {
				return sketch.ArgumentError(name, "is %v, the keys of the sketch are %v", class, of)
			}
			ends[j] = n
		}
		sums[i], err = v.RangeSum(ends[0], ends[1])
		return err
	})
}

// sbfJoin computes sbf_join.
func sbfJoin(c *call, left, right []byte) (encoder, error) {
	if err := c.out.Grow(int64(len(left) + len(right))); err != nil {
		return nil, err
	}
	a, err := sbf.Decode(left)
	if err != nil {
		return nil, err
	}
	b, err := sbf.Decode(right)
	if err != nil {
		return nil, err
	}
	p, err := sbf.Product(a, b)
	if err != nil {
		return nil, err
	}
	return p, c.out.Grow(2*int64(p.Bytes()) + int64(a.Bytes()+b.Bytes()))
}
