package ccbf

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

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
