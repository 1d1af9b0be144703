package ccbf

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Cells that come again and again are not taken for many.
func TestFewCellsStayExact(t *testing.T) {
	for name, params := range map[string]Params{"tree": {Bytes: 4000}, "counters": {Bytes: 4000, Overflow: ToCounters}, "standard": {Bytes: 4000, Mode: Standard}} {
		cfg := config(t, params)
		part := NewBuilder(cfg, nil)
		for i := range 600 {
			if err := part.Add(grid.Cell{X: int64(i * 7 % 40), Y: int64(i / 40)}, nil, 0, 1); err != nil {
				t.Fatal(err)
			}
		}
		v := viewOf(t, blobOf(t, part))
		b := NewBuilder(cfg, nil)
		b.Hold = 1 << 20
		most := int64(0)
		for range 400 {
			if err := b.AddView(v); err != nil {
				t.Fatal(err)
			}
			most = max(most, b.held)
		}
		if most > 2*b.Hold || 400*cells.RunBytes(600) < 2*b.Hold {
			t.Errorf("%s: %d bytes held, %d are enough", name, most, b.Hold)
		}
		s, err := b.Sketch()
		if err != nil {
			t.Fatal(err)
		}
		if !s.IsExact() || s.Total != 400*600 || s.count(grid.Cell{X: 7, Y: 0}, nil) != 400*part.sectionCount(t, grid.Cell{X: 7, Y: 0}) {
			t.Errorf("%s: %v, total %d", name, s.Form(), s.Total)
		}
	}
}

// sectionCount is the count of a cell in what was added.
func (b *Builder) sectionCount(t *testing.T, c grid.Cell) uint64 {
	t.Helper()
	s, err := b.Sketch()
	if err != nil {
		t.Fatal(err)
	}
	return s.count(c, nil)
}
