package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// exactSketch is the exact form in memory: a sorted list of cells.
type exactSketch struct{ *Sketch }

func (s exactSketch) limits() grid.Rect { return s.cells.Bounds() }
func (s exactSketch) memory() int64     { return s.cells.Memory() }

func (s exactSketch) count(c grid.Cell, category []byte) uint64 { return s.cells.Count(c, category) }

func (s exactSketch) add(c grid.Cell, category []byte, n uint64) error {
	s.cells = s.cells.Add(c, category, n)
	return nil
}

func (s exactSketch) remove(c grid.Cell, category []byte, n uint64) error {
	s.cells = s.cells.Remove(c, category, n)
	// Add up the total again: a total that stopped at 2^64-1 is not exact, so n cannot be subtracted from
	// it.
	s.Total = s.cells.Total()
	return nil
}

func (s exactSketch) coarsen(factor uint64) error {
	s.cells = s.cells.Coarser(int64(factor))
	return nil
}

func (s exactSketch) fold(f *reduction) error {
	if _, fits := s.cells.AppendBody(nil, s.cells.Bounds(), f.limit); !fits {
		if t := s.asTree(); t != nil {
			err := t.body().fold(f)
			if err == nil {
				*s.Sketch = *t
				return nil
			}
			if f.err != nil {
				return err
			}
		}
		if f.err != nil {
			return f.err
		}
		s.shape, s.Bytes = f.shape, f.bytes
		s.makeDense()
		return nil
	}
	f.resize(s.Sketch)
	return nil
}

func (s exactSketch) appendBody(dst []byte, bounds grid.Rect, limit uint64) ([]byte, bool) {
	return s.cells.AppendBody(dst, bounds, limit)
}
