package ccbf

import (
	"math"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// bombs returns trees with as many leaves as few bytes can have. Cells lie side by side with a
// point each, with and without leaves around them.
func bombs(t *testing.T, n uint64) map[string][]byte {
	t.Helper()
	var flat, nested cells.Squares
	add := func(s *cells.Squares, key uint64, level uint8) {
		s.Keys, s.Levels, s.Counts = append(s.Keys, key), append(s.Levels, level), append(s.Counts, 1)
	}
	for i := range n {
		add(&flat, i, 0)
		if i%4 == 0 {
			add(&nested, i, 1)
		}
		add(&nested, i, 0)
	}
	out := map[string][]byte{}
	for name, squares := range map[string]cells.Squares{"flat": flat, "nested": nested} {
		list := &tree.List{Sections: cells.List{{Label: cells.Label{None: true}, Squares: squares}}}
		s := &Sketch{
			Config: config(t, Params{}), Total: list.Sections.Total(), TotalKnown: true, squares: list, pruned: true, sums: true,
			bounds: grid.Rect{MinX: math.MinInt32, MinY: math.MinInt32, MaxX: math.MaxInt32, MaxY: math.MaxInt32},
		}
		out[name] = s.Blob()
	}
	return out
}

// TestTreesAreCounted: the memory to decode a tree is reserved before, even for 50 leaves a byte. A
// BLOB of 4 KB is decoded within 16 MB.
func TestTreesAreCounted(t *testing.T) {
	const leaves = 1 << 19
	for name, blob := range bombs(t, leaves) {
		if len(blob) > leaves/20 {
			t.Fatalf("%s: %d bytes, too many for this test", name, len(blob))
		}
		v := viewOf(t, blob)
		promised := v.reader().Memory()
		made := bytesAllocated(func() { must(Decode(blob)) })
		if made > 2*promised+1<<20 {
			t.Errorf("%s: %d bytes allocated, %d promised, for a BLOB of %d", name, made, promised, len(blob))
		}
	}
	for name, blob := range bombs(t, 3<<16) {
		for n := uint64(3 << 16); len(blob) > 4096; blob = bombs(t, n)[name] {
			n -= 1 << 14
		}
		if len(blob) < 3000 {
			t.Fatalf("%s: %d bytes", name, len(blob))
		}
		if made := bytesAllocated(func() { must(Decode(blob)) }); made > 16<<20 {
			t.Errorf("%s: %d bytes allocated for a BLOB of %d", name, made, len(blob))
		}
	}
}
