package sketches

import (
	"math"
	"reflect"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Points survive the way, and nothing that is shorter or longer is taken for
// points.
func TestPointsOnTheWay(t *testing.T) {
	for _, p := range []Points{
		{X: []float64{}, Y: []float64{}},
		{X: []float64{1, math.Inf(-1)}, Y: []float64{0, 1e-300}},
		{X: []float64{1, 2}, Y: []float64{3, 4}, N: []uint64{0, math.MaxUint64}},
		{X: []float64{1, 2}, Y: []float64{3, 4}, Class: key.Text, Category: [][]byte{{}, []byte("theft")}},
	} {
		b := encodePoints(p)
		got, err := decodePoints(b)
		if err != nil || !reflect.DeepEqual(got, p) {
			t.Errorf("%v came as %v, %v", p, got, err)
		}
		for n := range b {
			if _, err := decodePoints(b[:n]); err == nil {
				t.Errorf("%d of %d bytes were taken for points", n, len(b))
			}
		}
		if _, err := decodePoints(append(b, 0)); err == nil {
			t.Error("a byte too many was taken for points")
		}
	}
	huge := []byte{0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1}
	if _, err := decodePoints(huge); err == nil {
		t.Error("2^64-1 points in no bytes were taken for points")
	}
}
