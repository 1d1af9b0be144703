package sketches

import (
	"fmt"
	"math"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Points are decoded as they were encoded, and truncated bytes are an error.
func TestPointsOnTheWay(t *testing.T) {
	for _, p := range []Points{
		{},
		{X: []float64{1, math.Inf(-1)}, Y: []float64{0, 1e-300}},
		{X: []float64{1, 2}, Y: []float64{3, 4}, N: []uint64{0, math.MaxUint64}},
		{X: []float64{1, 2}, Y: []float64{3, 4}, Class: key.Text, Category: [][]byte{{}, []byte("theft")}},
	} {
		b, err := encodePoints(p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodePoints(b)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(p) { // an empty category may be decoded as nil
			t.Errorf("%v came as %v, %v", p, got, err)
		}
		for n := range b {
			if _, err := decodePoints(b[:n]); err == nil {
				t.Errorf("%d of %d bytes were taken for points", n, len(b))
			}
		}
	}
}
