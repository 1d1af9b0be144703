package tree

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// The scale of thresholds ascends by less than 1/16, and tauOf rounds up to it.
func TestTaus(t *testing.T) {
	for i := Tau(1); i < Taus; i++ {
		low, high := (i - 1).Value(), i.Value()
		if low >= high || high-low > 1 && (high-low-1)*16 > low {
			t.Fatalf("threshold %d is %d after %d", i, high, low)
		}
		for _, v := range []uint64{low + 1, high} {
			if got := tauOf(v); got != i {
				t.Fatalf("%d is threshold %d, expected %d", v, got, i)
			}
		}
	}
	if got := tauOf(math.MaxUint64); got != Taus-1 {
		t.Errorf("the largest number is threshold %d of %d", got, Taus)
	}
}

// pruned applies the rule literally, square by square from the top.
func pruned(counts map[uint64]uint64, tau uint64) cells.Squares {
	var s cells.Squares
	var split func(key uint64, level uint8, held map[uint64]uint64)
	split = func(key uint64, level uint8, held map[uint64]uint64) {
		total := uint64(0)
		for _, n := range held {
			total += n
		}
		hi, lo := bits.Mul64(1<<level-1, total)
		if hi == 0 && lo <= tau && level <= cells.MaxLevel {
			s.Push(key, level, total)
			return
		}
		for q := range uint64(4) {
			at := key + q<<(2*(level-1))
			part := map[uint64]uint64{}
			for k, n := range held {
				if k&^cells.LowBits(level-1) == at {
					part[k] = n
				}
			}
			if len(part) > 0 {
				split(at, level-1, part)
			}
		}
	}
	split(0, cells.MaxLevel+1, counts)
	return s
}

func TestPruningIsTheRule(t *testing.T) {
	for name, counts := range inOrder(shapes()) {
		held := squaresOf(counts)
		var f fitter
		f.build([]cells.Squares{held}, allTaus)
		for tau := Tau(0); tau < Taus; tau += 37 {
			got := cut(held, tau)
			excess := excess(held.Keys, &got)
			want := pruned(counts, tau.Value())
			if !equal(&got, &want) {
				t.Fatalf("%s, threshold %d: %d leaves, by the rule %d", name, tau.Value(), got.Len(), want.Len())
			}
			if left := f.leaves[tau]; got.Len() != left {
				t.Fatalf("%s, threshold %d: %d leaves, foretold %d", name, tau.Value(), got.Len(), left)
			}
			truth := uint64(0)
			for k, n := range counts {
				i, _ := slices.BinarySearch(got.Keys, k+1)
				if i == 0 && k != math.MaxUint64 || k == math.MaxUint64 {
					i = max(i, len(got.Keys))
				}
				truth += got.Counts[i-1] - n
			}
			if excess != truth {
				t.Fatalf("%s, threshold %d: excess %d, counted %d", name, tau.Value(), excess, truth)
			}
		}
	}
}

// Whatever it is cut to, a tree is never below the truth, and its bounds hold.
func TestNeverBelow(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 0))
	for name, counts := range inOrder(shapes()) {
		held := squaresOf(counts)
		whole := CodeFor([][]cells.Squares{{held}})
		for _, part := range []uint64{1, 2, 5, 20} {
			p, ok := Fit([]cells.Squares{held}, whole.Size()/part)
			if !ok {
				if whole.Size()/part > 200 {
					t.Errorf("%s does not fit %d bytes", name, whole.Size()/part)
				}
				continue
			}
			sheets := encoded(t, p.Code, p.Sheets[0])
			checkBounds(t, r, name, sheets, counts, p.Parts[0].Most())
		}
	}
}

func checkBounds(t *testing.T, r *rand.Rand, name string, sheets []Sheet, counts map[uint64]uint64, most uint64) {
	t.Helper()
	keys := sortedByNumber(counts)
	for _, k := range keys {
		if r.IntN(len(keys)) > 300 {
			continue
		}
		if got := count(sheets, k); got < counts[k] || got > counts[k]+most {
			t.Fatalf("%s: cell %#x counts %d, the truth is %d and the guarantee %d", name, k, got, counts[k], most)
		}
	}
	for range 200 {
		x, y := grid.Deinterleave(keys[r.IntN(len(keys))])
		size := uint64(1) << r.IntN(14)
		a := box{x0: uint64(x) - min(uint64(x), r.Uint64N(size)), y0: uint64(y) - min(uint64(y), r.Uint64N(size))}
		a.x1, a.y1 = a.x0+size, a.y0+1+r.Uint64N(size)
		truth := uint64(0)
		for _, k := range keys {
			if a.has(k) {
				truth += counts[k]
			}
		}
		sum := a.sum(sheets)
		const rounding = 1e-9
		if sum.Low > truth || truth > sum.High || sum.Estimate < float64(sum.Low)*(1-rounding) || sum.Estimate > float64(sum.High)*(1+rounding) {
			t.Fatalf("%s: box %+v has %d points, the tree says %+v", name, a, truth, sum)
		}
	}
}

// The union of trees keeps what each of them knows, in any order.
func TestUnion(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 0))
	for name, counts := range inOrder(shapes()) {
		parts := make([]map[uint64]uint64, 3)
		for i := range parts {
			parts[i] = map[uint64]uint64{}
		}
		for _, k := range sortedByNumber(counts) {
			for range min(counts[k], 5) {
				parts[r.IntN(len(parts))][k]++
			}
			if counts[k] > 5 {
				parts[0][k] += counts[k] - 5
			}
		}
		var trees []cells.Squares
		for i, part := range parts {
			trees = append(trees, cut(squaresOf(part), Tau(40*i)))
		}
		a := cells.Merge(cells.Merge(trees[0], trees[1]), trees[2])
		b := cells.Merge(trees[2], cells.Merge(trees[1], trees[0]))
		if !equal(&a, &b) {
			t.Fatalf("%s: the union depends on the order", name)
		}
		whole := squaresOf(counts)
		if a.Total() != whole.Total() {
			t.Fatalf("%s: %d points united, %d", name, a.Total(), whole.Total())
		}
		for _, limit := range []uint64{math.MaxUint32, 2000, 300} {
			p, ok := Fit([]cells.Squares{a}, limit)
			if !ok {
				continue
			}
			checkBounds(t, r, name, encoded(t, p.Code, p.Sheets[0]), counts, p.Parts[0].Most())
			if p.Cells != 0 {
				t.Errorf("%s: an excess that nobody measured", name)
			}
		}
	}
}

// Sheets have no square inside another one, and all squares are in one.
func TestSheets(t *testing.T) {
	s := cells.Squares{
		Keys:   []uint64{0, 0, 0, 1, 16, 64, 80},
		Levels: []uint8{4, 2, 0, 0, 1, 3, 0},
		Counts: []uint64{1, 2, 3, 4, 5, 6, 7},
	}
	var got [][]uint64
	for _, sheet := range s.Sheets() {
		got = append(got, sheet.Counts)
		for i := 1; i < sheet.Len(); i++ {
			if sheet.Keys[i] <= sheet.Last(i-1) {
				t.Errorf("square %d of a sheet begins inside the one before", i)
			}
		}
	}
	want := [][]uint64{{3, 4, 5, 7}, {2, 6}, {1}}
	if !slices.EqualFunc(got, want, slices.Equal[[]uint64]) {
		t.Errorf("sheets %v, expected %v", got, want)
	}
	if most := s.Most(); most != 7 { // 1 + 6 at cell 80, 1 + 2 at cell 1, 1 + 5
		t.Errorf("counts at most %d too high, expected 7", most)
	}
}
