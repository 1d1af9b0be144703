package udf

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// The functions of the Count-Min Sketch alone.
var _ = only(cms.Family,
	function("", "X_join_size", duck.UHugeInt, cmsJoinSize,
		"Number of pairs of occurrences with equal keys, one from each sketch: never below the true number. It is NULL if that is not known, because counters reached 2^64-1. Not for conservative sketches.",
		"X_join_size(s, s) FROM (SELECT X_agg(x % 3) s FROM range(10) t(x))", params(paramLeft, paramRight)),
)

// cmsJoinSize computes cms_join_size.
func cmsJoinSize(c *call) error {
	sizes := duck.Out[[2]uint64](c.out)
	return c.each(func(i int) error {
		hi, lo, err := cms.JoinSizeBlobs(c.Col(0).Bytes(i), c.Col(1).Bytes(i))
		if hi&lo == math.MaxUint64 {
			c.out.SetNull(i)
			return err
		}
		sizes[i] = [2]uint64{lo, hi}
		return err
	})
}
