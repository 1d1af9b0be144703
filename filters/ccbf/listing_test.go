package ccbf

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// cellsOfView collects what Cells returns.
func cellsOfView(t *testing.T, v *View, box grid.Rect, category []byte) []Spot {
	t.Helper()
	seq := must(v.Cells(Box(box), Of(category)))
	all := slices.Collect(seq)
	if most, _ := v.listed(Box(v.Bounds), Of(category)); len(all) > most {
		t.Fatalf("%d cells, at most %d", len(all), most)
	}
	for i := range all { // the loop may stop after any cell
		n := 0
		for s := range seq {
			if n++; n > i {
				if s != all[i] {
					t.Fatalf("cell %d is %v, then %v", i, all[i], s)
				}
				break
			}
		}
		if i > 3 {
			break
		}
	}
	return all
}

// TestCells: an exact sketch lists the cells of its points, in any region and rectangle.
func TestCells(t *testing.T) {
	r := rand.New(rand.NewPCG(91, 0))
	sets := map[string]points{"categories": categorised(r, 3000)}
	maps.Copy(sets, cellSets())
	for name, p := range sets {
		params := Params{Bytes: 1 << 20}
		params.Categories = len(p) > 0 && p[0].category != plain
		params.Totals = params.Categories
		v, m := viewOf(t, blobOf(t, builderOf(t, config(t, params), p))), p.model()
		for i, box := range []grid.Rect{grid.MaxRect(), v.Bounds, randomBox(r, 20), randomBox(r, 20), {MinX: 1, MaxX: 0}} {
			of := [][]byte{nil}
			if params.Categories {
				of = append(of, []byte("ab"), []byte(""), []byte("none"))
			}
			for _, category := range of {
				want := map[grid.Cell]uint64{}
				for s, n := range m {
					if box.Contains(s.Cell) && (category == nil || s.category == string(category)) {
						want[s.Cell] += n
					}
				}
				got := map[grid.Cell]uint64{}
				for _, s := range cellsOfView(t, v, box, category) {
					if _, twice := got[s.Cell]; twice || s.Level != 0 {
						t.Fatalf("%s: %v comes twice, or is no cell", name, s)
					}
					got[s.Cell] = s.Count
				}
				if !maps.Equal(got, want) {
					t.Errorf("%s, box %d, %q: %d cells, want %d", name, i, category, len(got), len(want))
				}
			}
		}
	}
}

// TestCellsOfTrees: the leaves of a tree add up to its total, and those that hold a cell to its
// count. Trees have one sheet or several, with categories and without.
func TestCellsOfTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(92, 0))
	for _, totals := range []bool{false, true} {
		for _, added := range []int{0, 5} {
			var p points
			for range 3000 {
				at := spot{grid.Cell{X: int64(r.NormFloat64() * 200), Y: int64(r.NormFloat64() * 200)}, plain}
				if totals {
					at.category = categories[r.IntN(3)]
				}
				p.add(at, 1)
			}
			s := sketchOf(t, config(t, Params{Bytes: 1 << 10, Categories: totals, Totals: totals}), p)
			for _, o := range p[:added] { // into cells that leaves hold
				noError(t, s.Add(o.Cell, o.bytes(), 1))
			}
			v := viewOf(t, s.Blob())
			if v.Form() != Tree {
				t.Fatalf("a sketch that is %v", v.Form())
			}
			of := [][]byte{nil}
			if totals {
				of = append(of, []byte(categories[1]))
			}
			for _, category := range of {
				all := cellsOfView(t, v, grid.MaxRect(), category)
				total, seen, nested := uint64(0), map[Spot]bool{}, 0
				for _, s := range all {
					total += s.Count
					if seen[Spot{Cell: s.Cell, Level: s.Level}] {
						t.Fatalf("%v comes twice", s)
					}
					seen[Spot{Cell: s.Cell, Level: s.Level}] = true
				}
				want, err := v.Sum(Box(grid.MaxRect()), Of(category))
				if err != nil || total != want {
					t.Errorf("%d leaves with %d points, want %d", len(all), total, want)
				}
				for _, o := range p[:300] {
					c := o.Cell
					n, held := uint64(0), 0
					for _, s := range all {
						if side := int64(1) << s.Level; s.Cell.X <= c.X && c.X < s.Cell.X+side && s.Cell.Y <= c.Y && c.Y < s.Cell.Y+side && v.Bounds.Contains(c) {
							n += s.Count
							held++
						}
					}
					if nested = max(nested, held); n != v.Count(c, category) {
						t.Fatalf("%v is in leaves of %d points and counts %d", c, n, v.Count(c, category))
					}
				}
				if (nested > 1) != (added > 0 || category == nil && totals) {
					t.Errorf("a cell is in %d leaves, %d were added", nested, added)
				}
				// A rectangle has the leaves that meet it.
				box := randomBox(r, 50)
				var near []Spot
				for _, s := range all {
					side := int64(1) << s.Level
					if at := (grid.Rect{MinX: s.Cell.X, MinY: s.Cell.Y, MaxX: s.Cell.X + side - 1, MaxY: s.Cell.Y + side - 1}); !at.Intersect(box).Intersect(v.Bounds).Empty() {
						near = append(near, s)
					}
				}
				if got := cellsOfView(t, v, box, category); !slices.Equal(got, near) {
					t.Errorf("%d leaves meet %v, want %d", len(got), box, len(near))
				}
			}
		}
	}
}

func TestCellsOfCounters(t *testing.T) {
	v := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true}), hot(rand.New(rand.NewPCG(93, 0)), 50, 9))))
	if _, err := v.Cells(Box(v.Bounds), Categories{}); !errors.Is(err, ErrNotListed) {
		t.Errorf("counters: %v", err)
	}
	v = viewOf(t, blobOf(t, NewBuilder(config(t, Params{}), nil)))
	if got := cellsOfView(t, v, grid.MaxRect(), nil); len(got) != 0 || v.Bounds != cells.NoBounds {
		t.Errorf("an empty sketch has %v", got)
	}
}
