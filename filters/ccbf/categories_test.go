package ccbf

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// The categories of a sketch are those of its points, in both forms that have a list.
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

// A range is by value, where the bytes of keys are in another order.
func TestBetween(t *testing.T) {
	b := NewBuilder(config(t, Params{Categories: true}), nil)
	for i := int64(-300); i <= 300; i += 3 {
		if err := b.Add(grid.Cell{X: i}, key.AppendInt64(nil, i), key.Int, 1); err != nil {
			t.Fatal(err)
		}
	}
	v := viewOf(t, blobOf(t, b))
	for _, c := range [][2]int64{{-300, 300}, {-7, 270}, {0, 0}, {1, 2}, {10, -10}, {-1000, -299}} {
		keys, err := v.Between(key.AppendInt64(nil, c[0]), key.AppendInt64(nil, c[1]))
		if err != nil {
			t.Fatal(err)
		}
		var want [][]byte
		for i := int64(-300); i <= 300; i += 3 {
			if c[0] <= i && i <= c[1] {
				want = append(want, key.AppendInt64(nil, i))
			}
		}
		if !slices.EqualFunc(keys, want, slices.Equal) {
			t.Errorf("from %d to %d: %d keys, want %d", c[0], c[1], len(keys), len(want))
		}
	}
	b = NewBuilder(config(t, Params{Categories: true}), nil)
	if err := b.Add(grid.Cell{}, key.AppendBool(nil, true), key.Bool, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := viewOf(t, blobOf(t, b)).Between(key.AppendBool(nil, false), key.AppendBool(nil, true)); err == nil {
		t.Error("a range of BOOLEANs")
	}
}
