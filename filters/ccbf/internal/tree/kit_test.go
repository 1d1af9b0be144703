package tree

import (
	"cmp"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// squaresOf are the cells of counts by key.
func squaresOf(counts map[uint64]uint64) cells.Squares {
	var s cells.Squares
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		s.Keys, s.Counts = append(s.Keys, k), append(s.Counts, counts[k])
	}
	return s
}

// clusters are points that crowd around some centres, with a few anywhere.
func clusters(r *rand.Rand, points int) map[uint64]uint64 {
	counts := map[uint64]uint64{}
	var centres [5][2]float64
	for i := range centres {
		centres[i] = [2]float64{r.Float64() * 5000, r.Float64() * 5000}
	}
	for range points {
		c := centres[r.IntN(len(centres))]
		x, y := c[0]+r.NormFloat64()*40, c[1]+r.NormFloat64()*40
		if r.IntN(10) == 0 {
			x, y = r.Float64()*5000, r.Float64()*5000
		}
		counts[grid.Interleave(uint32(int64(x))+bias, uint32(int64(y))+bias)] += 1 + r.Uint64N(3)
	}
	return counts
}

// bias keeps the points off the corners of the curve.
const bias = 1 << 20

// families of points that a tree must take.
func shapes() map[string]map[uint64]uint64 {
	r := rand.New(rand.NewPCG(15, 0))
	full := map[uint64]uint64{}
	for x := range uint32(64) {
		for y := range uint32(64) {
			full[grid.Interleave(x, y)] = 1
		}
	}
	corners := map[uint64]uint64{0: 1, ^uint64(0): 2, 1 << 63: 3, 1<<62 - 1: 1 << 60}
	lonely := map[uint64]uint64{}
	for range 300 {
		lonely[r.Uint64()] = 1 + r.Uint64N(2)
	}
	return map[string]map[uint64]uint64{
		"clusters": clusters(r, 20000), "full": full, "corners": corners, "lonely": lonely,
		"one": {77: 5}, "line": line(),
	}
}

// inOrder is a map in the order of its keys, so that a seed gives one test.
func inOrder[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

func line() map[uint64]uint64 {
	counts := map[uint64]uint64{}
	for x := range uint32(3000) {
		counts[grid.Interleave(x+bias, bias)] = uint64(x%7) + 1
	}
	return counts
}

// listOf has a section for each of some squares.
func listOf(parts ...cells.Squares) (l cells.List) {
	for _, s := range parts {
		l = append(l, cells.Section{Label: cells.Label{X: int32(len(l))}, Squares: s})
	}
	return l
}

// encoded writes sheets and reads them again.
func encoded(t testing.TB, c *Code, sheets []cells.Squares) []Sheet {
	t.Helper()
	blob := c.AppendCode(nil)
	e := NewEncoder(c)
	for i := range sheets {
		blob = e.AppendSheet(blob, &sheets[i])
	}
	if uint64(len(blob)) > c.size {
		t.Fatalf("%d bytes, planned %d", len(blob), c.size)
	}
	r := sketch.NewReader("a tree", blob)
	tables := kit.Must(ReadCode(r))
	out := make([]Sheet, len(sheets))
	for i := range out {
		kit.NoError(t, out[i].Read(r, &decoder{Tables: tables}))
		if all, ok := out[i].All(); !ok || !equal(&all, &sheets[i]) {
			t.Fatalf("sheet %d of %d leaves comes back otherwise (%v)", i, sheets[i].Len(), ok)
		}
	}
	kit.NoError(t, r.Done())
	return out
}

func equal(a, b *cells.Squares) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Keys {
		if a.Keys[i] != b.Keys[i] || a.Level(i) != b.Level(i) || a.Counts[i] != b.Counts[i] {
			return false
		}
	}
	return true
}

// count returns the count of a cell in all sheets.
func count(sheets []Sheet, key uint64) (n uint64) {
	for i := range sheets {
		counts := []uint64{n}
		form.AddCounts(&sheets[i], 0, 0, []form.Place{{Key: key}}, counts)
		n = counts[0]
	}
	return n
}

// box is a rectangle of cells of region (0, 0), half open, by the coordinates that keys have.
type box struct{ x0, y0, x1, y1 uint64 }

// region holds all cells of region (0, 0).
var region = grid.Rect{MinX: cells.Lowest, MinY: cells.Lowest, MaxX: cells.Highest, MaxY: cells.Highest}

// area returns the box as an area.
func (b *box) area() *form.RegionArea {
	rect := grid.Rect{MinX: int64(b.x0) - cells.Bias, MinY: int64(b.y0) - cells.Bias, MaxX: int64(b.x1) - 1 - cells.Bias, MaxY: int64(b.y1) - 1 - cells.Bias}
	return &form.RegionArea{Area: form.Box(rect), Bounds: region}
}

// sum returns the sum of all sheets over the box.
func (b *box) sum(sheets []Sheet) (sum form.Estimate) {
	for i := range sheets {
		sum.Add(form.SumOf(&sheets[i], b.area()))
	}
	return sum
}

func (b *box) overlap(key uint64, level uint8) (w, h, side uint64) {
	x, y := grid.Deinterleave(key)
	side = 1 << level
	x0, y0 := max(b.x0, uint64(x)), max(b.y0, uint64(y))
	x1, y1 := min(b.x1, uint64(x)+side), min(b.y1, uint64(y)+side)
	return max(x1, x0) - x0, max(y1, y0) - y0, side
}

func sortedByNumber[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// before reports whether a square comes before another in the order of cells.Squares.
func before(key uint64, level uint8, otherKey uint64, otherLevel uint8) bool {
	return key < otherKey || key == otherKey && level > otherLevel
}
