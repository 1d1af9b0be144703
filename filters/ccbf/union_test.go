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
		part, first := NewBuilder(cfg, nil), grid.Cell{X: 7, Y: 0}
		for i := range 600 {
			noError(t, part.Add(grid.Cell{X: int64(i * 7 % 40), Y: int64(i / 40)}, nil, 0, 1))
		}
		v := viewOf(t, blobOf(t, part))
		b := NewBuilder(cfg, nil)
		b.Hold = 1 << 20
		most := int64(0)
		for range 400 {
			noError(t, b.AddView(v))
			most = max(most, b.held)
		}
		if most > 2*b.Hold || 400*cells.Bytes(600) < 2*b.Hold {
			t.Errorf("%s: %d bytes held, %d are enough", name, most, b.Hold)
		}
		s := must(b.Sketch())
		if !s.IsExact() || s.Total != 400*600 || s.count(first, nil) != 400*v.Count(first, nil) {
			t.Errorf("%s: %v, total %d", name, s.Form(), s.Total)
		}
	}
}
