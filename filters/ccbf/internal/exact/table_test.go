package exact

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/kit"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// TestTableOfUnequalCategories: a table counts as a map does. Categories have one cell or
// thousands, in one region and in two.
func TestTableOfUnequalCategories(t *testing.T) {
	type spot struct {
		grid.Cell
		category int
	}
	r := rand.New(rand.NewPCG(66, 0))
	near := func() grid.Cell { return grid.Cell{X: cells.Highest - 100 + r.Int64N(200), Y: r.Int64N(100)} } // of the border of a region
	for _, sizes := range [][]int{{1}, {1, 1, 1}, {3000, 1, 1, 1, 1, 2}, {1, 1, 2500, 40, 2}, {300, 300, 300}} {
		var l cells.List
		want, together := make(map[spot]uint64), make(map[grid.Cell]uint64)
		for category, size := range sizes {
			for range size {
				c, n := near(), 1+r.Uint64N(3)
				if r.IntN(50) == 0 { // more than fits beside a place
					n = 1<<40 + r.Uint64N(1<<62)
				}
				l = added(l, c, []byte(fmt.Sprint("c", category)), n)
				want[spot{c, category}] = saturate.Add(want[spot{c, category}], n)
				together[c] = saturate.Add(together[c], n)
			}
		}
		bounds := l.Bounds()
		body, ok := AppendList(nil, l, bounds, 1<<20)
		if !ok {
			t.Fatal("no body")
		}
		v := Reader{Squares: form.Squares{Head: &form.Head{Bounds: bounds, Categories: true, Total: l.Total()}}}
		kit.NoError(t, v.Reset(body))
		each, ok := v.Table(false)
		all, same := v.Table(true)
		if !ok || !same {
			t.Fatalf("%v: no table", sizes)
		}
		var at []grid.Cell
		var of []int
		var numbers []uint32
		for range 5000 {
			category := r.IntN(len(sizes) + 1) // of one more than there are
			at, of = append(at, near()), append(of, category)
			numbers = append(numbers, each.Category([]byte(fmt.Sprint("c", category))))
		}
		for s := range want {
			at, of = append(at, s.Cell), append(of, s.category)
			numbers = append(numbers, each.Category([]byte(fmt.Sprint("c", s.category))))
		}
		at, of, numbers = append(at, grid.Cell{X: -5, Y: 1 << 40}), append(of, 0), append(numbers, 0)
		counts, places, slots := make([]uint64, len(at)), make([]uint64, len(at)), make([]uint32, len(at))
		each.Find(places, slots, at, numbers)
		each.Read(counts, places, slots)
		for i, n := range counts {
			if n != want[spot{at[i], of[i]}] {
				t.Fatalf("%v: %v of category %d counts %d, want %d", sizes, at[i], of[i], n, want[spot{at[i], of[i]}])
			}
		}
		all.Find(places, slots, at, nil)
		all.Read(counts, places, slots)
		for i, n := range counts {
			if n != together[at[i]] {
				t.Fatalf("%v: %v counts %d together, want %d", sizes, at[i], n, together[at[i]])
			}
		}
	}
}
