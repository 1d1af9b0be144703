package ccbf

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

func TestCellsOfCounters(t *testing.T) {
	v := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Dense: true}), hot(rand.New(rand.NewPCG(93, 0)), 50, 9))))
	if _, err := v.Cells(Box(v.Bounds), Categories{}); !errors.Is(err, ErrNotListed) {
		t.Errorf("counters: %v", err)
	}
	v = viewOf(t, blobOf(t, NewBuilder(config(t, Params{}), nil)))
	for c := range must(v.Cells(Box(grid.MaxRect()), Categories{})) {
		t.Errorf("an empty sketch has %v", c)
	}
	if v.Bounds != cells.NoBounds {
		t.Errorf("an empty sketch has cells in %v", v.Bounds)
	}
}
