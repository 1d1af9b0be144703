package ccbf

import (
	"errors"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

func TestHotspotLimits(t *testing.T) {
	var p points
	p.add(spot{grid.Cell{}, plain}, 2)
	p.add(spot{grid.Cell{X: 20_000, Y: 20_000}, plain}, 4)
	exact := viewOf(t, blobOf(t, builderOf(t, config(t, Params{}), p)))
	dense := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true}), p)))
	levels := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true, Levels: 10}), p)))
	want := []Spot{{grid.Cell{X: 20_000, Y: 20_000}, 4, 0}, {grid.Cell{}, 2, 0}}
	for _, v := range []*View{exact, levels} {
		if got, err := v.Hotspots(Box(grid.MaxRect()), 2, Categories{}); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v", got, err)
		}
		if got, err := v.TopK(Box(grid.MaxRect()), 1, Categories{}); err != nil || !slices.Equal(got, want[:1]) {
			t.Errorf("%v, %v", got, err)
		}
	}
	var tooMany *ErrTooManyCells
	if _, err := dense.Hotspots(Box(grid.MaxRect()), 2, Categories{}); !errors.As(err, &tooMany) || tooMany.Cells != 20_001*20_001 {
		t.Errorf("4e8 cells without levels: %v", err)
	}
	if _, err := dense.TopK(Box(grid.MaxRect()), 2, Categories{}); !errors.As(err, &tooMany) {
		t.Errorf("4e8 cells without levels: %v", err)
	}
	levels.limitAreas()
	levels.head.Limit.Covered = AreaLimit - 1000 // 400 squares of the highest level and at most 80 below fit twice
	for i := range 4 {
		if _, err := levels.Hotspots(Box(grid.MaxRect()), 2, Categories{}); (err == nil) != (i < 2) || err != nil && !errors.As(err, &tooMany) {
			t.Errorf("question %d of a chunk: %v", i, err)
		}
	}
	// All counters of a large sketch, large enough for such lists, hold something.
	full := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true, Widths: []int{8}, Counters: []uint64{1 << 18}, K: 1}), p)))
	for i := range full.counters.Counters.Body {
		full.counters.Counters.Body[i] = 2
	}
	box := grid.Rect{MaxX: 1999, MaxY: 999}
	for _, c := range []struct {
		what string
		ask  func(v *View) ([]Spot, error)
	}{
		{"threshold 0", func(v *View) ([]Spot, error) { return v.Hotspots(Box(box), 0, Categories{}) }},
		{"k of 0", func(v *View) ([]Spot, error) { return v.TopK(Box(box), 0, Categories{}) }},
		{"k below 0", func(v *View) ([]Spot, error) { return v.TopK(Box(box), -1, Categories{}) }},
		{"k above all", func(v *View) ([]Spot, error) { return v.TopK(Box(box), MaxSpots+1, Categories{}) }},
		{"2,000,000 cells", func(v *View) ([]Spot, error) { return full.Hotspots(Box(box), 1, Categories{}) }},
	} {
		for _, v := range []*View{exact, dense} {
			if got, err := c.ask(v); !errors.Is(err, ErrSpots) || got != nil {
				t.Errorf("%s: %v, %v", c.what, got, err)
			}
		}
	}
	if got, err := full.TopK(Box(box), MaxSpots, Categories{}); err != nil || len(got) != MaxSpots || got[MaxSpots-1].Cell != (grid.Cell{X: 1999, Y: 499}) {
		t.Errorf("%d of 2,000,000 equal cells, %v", len(got), err)
	}
	for _, v := range []*View{exact, dense, viewOf(t, blobOf(t, NewBuilder(config(t, Params{}), nil))), viewOf(t, blobOf(t, NewBuilder(config(t, Params{Dense: true, Levels: 3}), nil)))} {
		for _, box := range []grid.Rect{{MinX: 3, MinY: 3, MaxX: 2, MaxY: 9}, {MinX: -9, MinY: -9, MaxX: -1, MaxY: 99}} {
			if got, err := v.Hotspots(Box(box), 1, Categories{}); len(got) != 0 || err != nil {
				t.Errorf("%v: %v, %v", box, got, err)
			}
			if got, err := v.TopK(Box(box), 5, Categories{}); len(got) != 0 || err != nil {
				t.Errorf("%v: %v, %v", box, got, err)
			}
		}
	}
}
