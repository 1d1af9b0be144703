package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// exactView is the list of cells in a BLOB.
type exactView struct{ *View }

func (v exactView) reset(body []byte) error {
	if !v.header.Flags.Has(sketch.TotalKnown) || v.header.Flags.Has(sketch.Saturated) {
		return sketch.Invalidf("an exact sketch with flags %#x", uint16(v.header.Flags))
	}
	return v.cells.Reset(body, v.Bounds, v.Categories, v.header.Total)
}

func (v exactView) open(s *Sketch) error {
	return v.cells.EachSection(func(sec cells.Section) error {
		s.cells = append(s.cells, sec)
		return nil
	})
}

func (v exactView) addTo(b *Builder, _ uint64) error {
	var to *section
	reserved := int64(0)
	room := func(w *cells.Wanted) (r cells.Room, err error) {
		if w.Wide { // the room of before is of no use
			if err := b.grow(-reserved); err != nil {
				return r, err
			}
		}
		if to, err = b.at(w.Category, w.X, w.Y, partOf(w.Base)); err != nil {
			return r, err
		}
		reserved = cells.RunBytes(w.Cells) + to.cells.Need(w.Cells)
		if err := b.grow(reserved); err != nil { // before cells are read
			return r, err
		}
		if !w.Wide && !b.spilled {
			r.Words = to.cells.Room(w.Cells, w.Base)
		}
		if r.Words == nil {
			r.Run = cells.NewRun(w.Cells)
		}
		return r, nil
	}
	return v.cells.EachSectionIn(room, func(w *cells.Wanted, r cells.Room) error {
		if r.Words != nil {
			to.cells.Fill(w.Cells)
			if err := b.account(to, reserved); err != nil {
				return err
			}
			return b.settle(to)
		}
		label := w.Label()
		if err := b.addRun(&label, r.Run); err != nil {
			return err
		}
		return b.grow(-reserved)
	})
}

func (v exactView) memory() int64 { return v.cells.Memory() }

func (v exactView) count(c grid.Cell, category []byte) uint64 { return v.cells.Count(c, category) }

func (v exactView) counts(dst []uint64, at []grid.Cell, of Categories) { v.cells.Counts(dst, at, of) }

func (v exactView) sum(a area, of Categories) (uint64, error) { return v.cells.AreaSum(a, of), nil }

func (v exactView) estimate(a area, of Categories) (Estimate, error) {
	return exactly(v.cells.AreaSum(a, of)), nil
}

// exactly is the estimate of an exact sketch.
func exactly(n uint64) Estimate {
	return Estimate{Value: float64(n), Low: n, High: n, Certain: n < full}
}

func (v exactView) raster(p *pixels, clip grid.Rect, of Categories) error {
	v.cells.Each(clip, of, func(c grid.Cell, n uint64) { p.add(p.columns.part(c.X), p.lines.part(c.Y), n) })
	return nil
}

func (v exactView) density(p *picture, of Categories) error {
	return v.paint(p, 0, func(clip grid.Rect, to *painting) error {
		v.cells.Each(clip, of, to.add)
		return nil
	})
}

func (v exactView) hotspots(a area, threshold uint64, of Categories, add func(Spot) bool) error {
	var stop bool
	v.cells.EachSum(a, of, threshold, &stop, func(c grid.Cell, n uint64) { stop = !add(Spot{Cell: c, Count: n}) })
	return nil
}

func (v exactView) topK(a area, of Categories, t *topCells) error {
	var stop bool
	v.cells.EachSum(a, of, 1, &stop, func(c grid.Cell, n uint64) { stop = !t.add(candidate{Spot{Cell: c, Count: n}, n}) })
	return nil
}

func (v exactView) error() Error   { return Error{Exact: true, Certain: true, Known: true} }
func (v exactView) unbiased() bool { return true }

func (v exactView) info(i *Info) {
	i.Cells, i.Categories = v.cells.Size()
	i.CellsKnown = true
}

func (v exactView) describe() string {
	n, _ := v.cells.Size()
	return "exact, " + sketch.Count(n, "cell")
}

// exactSketch is a list of cells in memory.
type exactSketch struct{ *Sketch }

func (s exactSketch) form() Form        { return Exact }
func (s exactSketch) limits() grid.Rect { return s.cells.Bounds() }
func (s exactSketch) additive() bool    { return true }
func (s exactSketch) saturated() bool   { return s.Total == full }
func (s exactSketch) memory() int64     { return s.cells.Memory() }

func (s exactSketch) count(c grid.Cell, category []byte) uint64 { return s.cells.Count(c, category) }

func (s exactSketch) removable(c grid.Cell, category []byte) uint64 {
	return s.cells.Count(c, category)
}

func (s exactSketch) all(c grid.Cell, category []byte) (uint64, error) {
	return s.cells.Count(c, category), nil
}

func (s exactSketch) add(c grid.Cell, category []byte, n uint64) error {
	s.cells = s.cells.Add(c, category, n)
	return nil
}

func (s exactSketch) remove(c grid.Cell, category []byte, n uint64) error {
	s.cells = s.cells.Remove(c, category, n)
	s.Total = s.cells.Total() // a total that had reached 2^64-1 does not tell
	return nil
}

func (s exactSketch) coarsen(factor uint64) error {
	s.cells = s.cells.CoarserBy(int64(factor))
	return nil
}

func (s exactSketch) fold(f *folding) error {
	if _, fits := s.cells.AppendBody(nil, s.cells.Bounds(), f.limit); !fits {
		if t := s.asTree(); t != nil {
			err := t.in().fold(f)
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
