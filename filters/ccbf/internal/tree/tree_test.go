package tree

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
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
		f := fitter{sections: listOf(held)}
		f.build(allTaus)
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
