package sketches

import (
	"fmt"
	"math"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/stretchr/testify/require"
)

// Points are decoded as they were encoded, and truncated bytes are an error.
func TestPointsOnTheWay(t *testing.T) {
	for _, p := range []Points{
		{},
		{X: []float64{1, math.Inf(-1)}, Y: []float64{0, 1e-300}},
		{X: []float64{1, 2}, Y: []float64{3, 4}, N: []uint64{0, math.MaxUint64}},
		{X: []float64{1, 2}, Y: []float64{3, 4}, Class: key.Text, Category: [][]byte{{}, []byte("theft")}},
	} {
		b := must(encodePoints(p))
		require.Equal(t, fmt.Sprint(p), fmt.Sprint(must(decodePoints(b)))) // an empty category may be decoded as nil
		for n := range b {
			_, err := decodePoints(b[:n])
			require.Error(t, err, "%d of %d bytes", n, len(b))
		}
	}
}
