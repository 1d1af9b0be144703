package ccbf

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

var categories = []string{"", "a", "ab", "b", "theft", "\x00", "ü"}

// categorised makes n points in categories, some cells in several.
func categorised(r *rand.Rand, n int) points {
	var p points
	for range n {
		c := grid.Cell{X: r.Int64N(20) - 10, Y: r.Int64N(20) - 10}
		if r.IntN(10) == 0 {
			c.X += 1 << 33
		}
		p.add(spot{c, categories[r.IntN(len(categories))]}, 1+r.Uint64N(3))
	}
	return p
}

func forms() map[string]Params {
	return map[string]Params{
		"exact":              {Bytes: 1 << 16},
		"exact, then dense":  {Bytes: 600, Overflow: ToCounters},
		"standard, then":     {Bytes: 600, Mode: Standard},
		"dense mi":           {Bytes: 1 << 13, Dense: true},
		"dense standard":     {Bytes: 1 << 13, Dense: true, Mode: Standard},
		"dense, packed":      {Dense: true, Widths: []int{5, 9}, Counters: []uint64{6000, 600}},
		"dense, packed sums": {Dense: true, Widths: []int{5, 9}, Counters: []uint64{6000, 600}, Mode: Standard},
	}
}

// TestCategories: totals and bytes of sketches with categories; TestQuestions asks for their counts.
func TestCategories(t *testing.T) {
	for name, params := range forms() {
		for _, totals := range []bool{false, true} {
			r := rand.New(rand.NewPCG(51, 0))
			params.Categories, params.Totals = true, totals
			cfg, p := config(t, params), categorised(r, 400)
			blob := blobOf(t, builderOf(t, cfg, p))
			v, m := viewOf(t, blob), p.model()
			counts(t, name, v, m, v.IsExact())
			together := totals || v.Form() != Dense
			if err := v.CheckCategory(false); together != (err == nil) || err != nil && !errors.Is(err, ErrNeedsCategory) {
				t.Errorf("%s: a question without category: %v", name, err)
			}
			noError(t, v.CheckCategory(true))
			if n, known := v.Total(); n != m.in(grid.MaxRect(), Categories{}) || !known || v.Class() != key.Text {
				t.Errorf("%s: total %d, known %v, class %v", name, n, known, v.Class())
			}
			if i := v.Info(); v.IsExact() && (i.Categories != uint64(len(categories)) || i.Cells != uint64(len(m))) {
				t.Errorf("%s: info %+v", name, i)
			}
			sameBytes(t, "encoded again", blob, must(Decode(blob)).Blob())
			if params.Mode == Standard || !params.Dense {
				sameBytes(t, "in another order", blob, blobOf(t, builderOf(t, cfg, p.shuffled(r))))
			}
		}
	}
}

func TestCategoryErrors(t *testing.T) {
	with, without := config(t, Params{Categories: true}), config(t, Params{})
	cell := grid.Cell{X: 1, Y: 2}
	a, b := NewBuilder(with, nil), NewBuilder(without, nil)
	if err := a.Add(cell, nil, 0, 1); !errors.Is(err, ErrNeedsCategory) {
		t.Error(err)
	}
	if err := b.Add(cell, []byte("x"), key.Text, 1); !errors.Is(err, ErrNoCategory) {
		t.Error(err)
	}
	noError(t, a.Add(cell, []byte("x"), key.Text, 1))
	if err := a.Add(cell, []byte("x"), key.Int, 1); !errors.Is(err, sketch.ErrDiffer) {
		t.Errorf("another class: %v", err)
	}
	noError(t, b.Add(cell, nil, 0, 1))
	if err := a.Merge(b); !errors.Is(err, sketch.ErrDiffer) || err.Error() != "sketches differ: category true vs false; build both with a category, or both without" {
		t.Error(err)
	}
	va, vb := viewOf(t, blobOf(t, a)), viewOf(t, blobOf(t, b))
	if err := a.AddView(vb); !errors.Is(err, sketch.ErrDiffer) {
		t.Error(err)
	}
	if err := b.AddView(va); !errors.Is(err, sketch.ErrDiffer) {
		t.Error(err)
	}
	if err := vb.CheckCategory(true); !errors.Is(err, ErrNoCategory) {
		t.Error(err)
	}
	for _, s := range []*Sketch{must(a.Sketch()), must(b.Sketch())} {
		before := s.Blob()
		category, want := []byte(nil), ErrNeedsCategory
		if !s.Categories {
			category, want = []byte("x"), ErrNoCategory
		}
		for what, err := range map[string]error{
			"Add": s.Add(cell, category, 1), "Remove": s.Remove(cell, category, 1), "Move": s.Move(cell, grid.Cell{}, category, nil),
		} {
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", what, err, want)
			}
		}
		sameBytes(t, "after errors", before, s.Blob())
	}
	// Classes: a number and a text do not meet; none goes with any.
	numbers, none := NewBuilder(with, nil), NewBuilder(with, nil)
	noError(t, numbers.Add(cell, []byte("12345678"), key.Int, 1))
	if err := numbers.AddView(va); !errors.Is(err, sketch.ErrDiffer) || err.Error() != "sketches differ: type of category BIGINT vs VARCHAR; build both with the same type of category" {
		t.Error(err)
	}
	if err := none.AddView(va); err != nil || none.class != key.Text {
		t.Errorf("class %v, error %v", none.class, err)
	}
	sameBytes(t, "nothing and a", blobOf(t, a), blobOf(t, none))
}

// TestByCategory: a sketch lists the categories of its points, in both forms that have a list.
func TestByCategory(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 0))
	p := categorised(r, 4000)
	totals, cells := map[string]uint64{}, map[string]uint64{}
	for s, n := range p.model() {
		totals[s.category] += n
		cells[s.category]++
	}
	for _, bytes := range []uint64{1 << 16, 1 << 10} {
		for _, alsoTotals := range []bool{false, true} {
			v := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Bytes: bytes, Categories: true, Totals: alsoTotals}), p)))
			if want := map[uint64]Form{1 << 16: Exact, 1 << 10: Tree}[bytes]; v.Form() != want {
				t.Fatalf("%d bytes are %v", bytes, v.Form())
			}
			list, err := v.ListCategories()
			if err != nil || len(list) != len(totals) {
				t.Fatalf("%d categories of %d, %v", len(list), len(totals), err)
			}
			if !slices.IsSortedFunc(list, func(a, b Category) int { return slices.Compare(a.Key, b.Key) }) {
				t.Error("not in order")
			}
			for _, c := range list {
				name := string(c.Key)
				want := cells[name]
				if v.Form() == Tree {
					want = 0
				}
				if c.Total != totals[name] || c.Cells != want {
					t.Errorf("%v: %q has %d points in %d cells, want %d in %d", v.Form(), name, c.Total, c.Cells, totals[name], want)
				}
			}
		}
	}
	dense := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true, Categories: true}), p)))
	if _, err := dense.ListCategories(); !errors.Is(err, ErrNotListed) {
		t.Errorf("counters: %v", err)
	}
	without := viewOf(t, blobOf(t, builderOf(t, config(t, Params{}), hot(r, 50, 9))))
	if list, err := without.ListCategories(); err != nil || list != nil {
		t.Errorf("without categories: %v, %v", list, err)
	}
}

func TestCellsOfCounters(t *testing.T) {
	v := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true}), hot(rand.New(rand.NewPCG(93, 0)), 50, 9))))
	if _, err := v.Cells(Box(v.Bounds), Categories{}); !errors.Is(err, ErrNotListed) {
		t.Errorf("counters: %v", err)
	}
	v = viewOf(t, blobOf(t, NewBuilder(config(t, Params{}), nil)))
	for c := range must(v.Cells(Box(grid.MaxRect()), Categories{})) {
		t.Errorf("an empty sketch has %v", c)
	}
	if v.Bounds != grid.EmptyRect() {
		t.Errorf("an empty sketch has cells in %v", v.Bounds)
	}
}
