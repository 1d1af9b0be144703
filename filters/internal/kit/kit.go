// Package kit has helpers for the tests of package ccbf and its internal packages.
package kit

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// Must returns a value whose error a test takes for a fault of its own.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// NoError ends a test at an error.
func NoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Layouts has layers of every kind: whole words and packed widths, one to eight layers, and sizes
// that are powers of two and others.
var Layouts = []struct {
	Widths []int
	Sizes  []uint64
}{
	{[]int{8, 16, 32}, []uint64{64, 8, 2}},
	{[]int{4, 8, 16, 32}, []uint64{256, 32, 8, 2}},
	{[]int{4, 8}, []uint64{128, 16}},
	{[]int{4, 8, 32}, []uint64{72, 9, 3}},
	{[]int{16, 16}, []uint64{30, 10}},
	{[]int{32, 32}, []uint64{12, 3}},
	{[]int{2, 2}, []uint64{8, 4}},
	{[]int{2, 2, 2, 2, 2, 2, 2, 2}, []uint64{128, 64, 32, 16, 8, 4, 2, 1}},
	{[]int{4, 6, 12}, []uint64{48, 12, 3}},
	{[]int{4, 6, 12, 24}, []uint64{60, 30, 10, 5}},
	{[]int{3, 5, 7, 11, 13}, []uint64{81, 27, 9, 3, 1}},
	{[]int{9, 33}, []uint64{14, 7}},
	{[]int{7, 57}, []uint64{9, 3}},
	{[]int{31, 34}, []uint64{10, 5}},
	{[]int{8}, []uint64{17}},
	{[]int{12}, []uint64{11}},
	{[]int{32}, []uint64{5}},
	{[]int{63}, []uint64{7}},
	{[]int{64}, []uint64{3}},
}

// Positions returns the positions of a key in m counters, by long arithmetic.
func Positions(h1, h2 uint64, k int, m uint64) []uint64 {
	at := make([]uint64, k)
	for i := range at {
		j := new(big.Int).SetUint64(h2)
		j.Mul(j, big.NewInt(int64(i+1))).Add(j, new(big.Int).SetUint64(h1))
		at[i] = j.Mod(j, new(big.Int).SetUint64(m)).Uint64()
	}
	return at
}

// Hot returns the cells of n points, Zipf distributed over cells in all four quadrants around the origin.
func Hot(r *rand.Rand, n, cells int) []grid.Cell {
	z := rand.NewZipf(r, 1.2, 2, uint64(cells-1))
	points := make([]grid.Cell, n)
	for j := range points {
		i := int64(z.Uint64())
		points[j] = grid.Cell{X: i%211 - 100, Y: i/211 - 50}
	}
	return points
}

// Bound returns a box by its edges.
func Bound(xmin, ymin, xmax, ymax float64) orb.Bound {
	return orb.Bound{Min: orb.Point{xmin, ymin}, Max: orb.Point{xmax, ymax}}
}

// Towns returns the cells of n points in towns of a country of 8,000 x 8,000 cells. Points come
// town by town, as in many files.
func Towns(n int) []grid.Cell {
	r := rand.New(rand.NewPCG(1, 2))
	points := make([]grid.Cell, n)
	x, y, left := 0.0, 0.0, 0
	for i := range points {
		if left == 0 {
			x, y, left = r.Float64()*8000, r.Float64()*8000, 200+r.IntN(4000)
		}
		left--
		points[i] = grid.Cell{X: int64(x + 15*r.NormFloat64()), Y: int64(y + 15*r.NormFloat64())}
	}
	return points
}
