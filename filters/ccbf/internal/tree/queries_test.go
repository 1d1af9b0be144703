package tree

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
)

// Every way to look up a cell gives the count of its leaf. The ways are alone, with many others, from kept packets, and
// in the list of all leaves. Cells beside leaves and at both ends of the curve are among them.
func TestFindAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 0))
	for name, counts := range inOrder(shapes()) {
		for _, tau := range []Tau{0, 3, 40, 90} {
			s := cut(squaresOf(counts), tau)
			sheet := sheetsOf(t, &s)[0]
			keys := []uint64{0, 1, ^uint64(0), ^uint64(0) - 1}
			for range 600 {
				i := r.IntN(s.Len())
				keys = append(keys, s.Keys[i], s.Last(i), s.Last(i)+1, s.Keys[i]-1, s.Keys[i]+r.Uint64N(cells.LowBits(s.Level(i))+1), r.Uint64())
			}
			sheet.decoder.room = 1 << 16
			for range 3 { // later, packets are kept
				sheet.decoder.sheet = nil
				for _, k := range keys {
					want := uint64(0)
					if n := cells.SearchAbove(s.Keys, k); n > 0 && k <= s.Last(n-1) {
						want = s.Counts[n-1]
					}
					if one := count([]Sheet{sheet}, k); one != want {
						t.Fatalf("%s, threshold %d: cell %#x counts %d, not %d", name, tau.Value(), k, one, want)
					}
				}
			}
			if room := sheet.decoder.room; room < 0 || room == 1<<16 {
				t.Errorf("%s: of 1<<16 bytes %d are left", name, room)
			}
		}
	}
}

// sheetsOf are the sheets of squares, written and read.
func sheetsOf(t *testing.T, s *cells.Squares) []Sheet {
	t.Helper()
	lists := s.Sheets()
	return encoded(t, CodeFor(listOf(*s)), lists)
}

// readerOf returns a reader of one section that has these sheets.
func readerOf(sheets []Sheet) *form.Squares {
	r := &form.Squares{Head: &form.Head{Bounds: region, Sums: true}}
	if err := r.AddSection(cells.Label{}); err != nil {
		panic(err)
	}
	for i := range sheets {
		r.AddSheet(0, &sheets[i])
	}
	return r
}

// Squares that meet a box are all visited, in order, and sums have their bounds.
func TestSpots(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 0))
	for name, counts := range inOrder(smallShapes(r)) {
		nested, truth := mixed(r, counts)
		if len(truth) == 0 {
			continue
		}
		for _, s := range []cells.Squares{nested, cut(squaresOf(truth), 60)} {
			sheets := sheetsOf(t, &s)
			keys := sortedByNumber(truth)
			for range 10 {
				x, y := grid.Deinterleave(keys[r.IntN(len(keys))])
				size := uint64(1) << r.IntN(12)
				a := box{x0: uint64(x) - min(uint64(x), r.Uint64N(size)), y0: uint64(y) - min(uint64(y), r.Uint64N(size))}
				a.x1, a.y1 = a.x0+size, a.y0+1+r.Uint64N(size)
				// Every square that meets the box, by what its first cell that is in
				// no smaller square counts.
				var want []cells.Leaf
				for i, k := range s.Keys {
					if w, h, _ := a.overlap(k, s.Level(i)); w == 0 || h == 0 {
						continue
					}
					n := uint64(0)
					for j := range s.Keys[:i+1] {
						if s.Keys[j] <= k && s.Last(j) >= s.Last(i) {
							n += s.Counts[j]
						}
					}
					want = append(want, cells.Leaf{Key: k, Count: n, Level: s.Level(i)})
				}
				var got []cells.Leaf
				top := form.Top{Least: 1, Each: func(s form.Spot) bool {
					_, _, key := cells.Key(s.Cell)
					got = append(got, cells.Leaf{Key: key, Count: s.Count, Level: s.Level})
					return true
				}}
				kit.NoError(t, readerOf(sheets).Top(a.area().Area, cells.Categories{}, &top))
				if !slices.Equal(got, want) {
					t.Fatalf("%s: box %+v meets %d squares, expected %d", name, a, len(got), len(want))
				}
				sum := a.sum(sheets)
				if low, high := bounds(&s, &a); sum.Low != low || sum.High != high {
					t.Fatalf("%s: box %+v has bounds %+v, square by square %d and %d", name, a, sum, low, high)
				}
			}
			for range 20 {
				k := keys[r.IntN(len(keys))] + r.Uint64N(3)
				x, y := grid.Deinterleave(k)
				a := box{x0: uint64(x), y0: uint64(y), x1: uint64(x) + 1, y1: uint64(y) + 1}
				if n, sum := count(sheets, k), a.sum(sheets); n != sum.High || n != counted(&s, k) {
					t.Fatalf("%s: cell %#x has %d points, its area %+v", name, k, n, sum)
				}
			}
		}
	}
}
