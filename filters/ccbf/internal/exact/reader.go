// Package exact reads the exact form of a sketch: a sorted list of cells, which package cells
// encodes.
package exact

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Reader implements form.Reader for an exact sketch, which is a list of cells.
type Reader struct {
	Head  *form.Head
	Cells cells.View
}

var (
	_ form.Reader = (*Reader)(nil)
	_ form.Lister = (*Reader)(nil)
)

// Reset makes r a reader of a body. It reads lengths and the index. Errors wrap sketch.ErrInvalid.
func (r *Reader) Reset(body []byte) error {
	return r.Cells.Reset(body, r.Head.Bounds, r.Head.Categories, r.Head.Total)
}

// Memory implements form.Reader.
func (r *Reader) Memory() int64 { return r.Cells.Memory() }

// Count implements form.Reader.
func (r *Reader) Count(c grid.Cell, category []byte) uint64 { return r.Cells.Count(c, category) }

// Counts implements form.Reader.
func (r *Reader) Counts(dst []uint64, at []grid.Cell, of cells.Categories) {
	r.Cells.Counts(dst, at, of)
}

// Sum implements form.Reader.
func (r *Reader) Sum(a form.Area, of cells.Categories) (uint64, error) {
	return r.Cells.AreaSum(a, of), nil
}

// Estimate implements form.Reader.
func (r *Reader) Estimate(a form.Area, of cells.Categories) (form.Estimate, error) {
	return exactly(r.Cells.AreaSum(a, of)), nil
}

// exactly returns the estimate of a sum that is known.
func exactly(n uint64) form.Estimate {
	return form.Estimate{Value: float64(n), Low: n, High: n, Certain: n < ^uint64(0)}
}

// Raster implements form.Reader.
func (r *Reader) Raster(p *form.Pixels, clip grid.Rect, of cells.Categories) error {
	r.Cells.Each(clip, of, func(c grid.Cell, n uint64) { p.Add(p.Columns.Part(c.X), p.Lines.Part(c.Y), n) })
	return nil
}

// Density implements form.Reader.
func (r *Reader) Density(p *form.Picture, of cells.Categories) error {
	return p.Paint(r.Head, 0, func(clip grid.Rect, to *form.Painting) error {
		r.Cells.Each(clip, of, to.Add)
		return nil
	})
}

// Hotspots implements form.Reader.
func (r *Reader) Hotspots(a form.Area, threshold uint64, of cells.Categories, add func(form.Spot) bool) error {
	var stop bool
	r.Cells.EachSum(a, of, threshold, &stop, func(c grid.Cell, n uint64) { stop = !add(form.Spot{Cell: c, Count: n}) })
	return nil
}

// TopK implements form.Reader.
func (r *Reader) TopK(a form.Area, of cells.Categories, t *form.Top) error {
	var stop bool
	r.Cells.EachSum(a, of, 1, &stop, func(c grid.Cell, n uint64) {
		stop = !t.Add(form.Candidate{Spot: form.Spot{Cell: c, Count: n}, Least: n})
	})
	return nil
}

// Error implements form.Reader.
func (r *Reader) Error() form.Error { return form.Error{Exact: true, Certain: true, Known: true} }

// Unbiased implements form.Reader.
func (r *Reader) Unbiased() bool { return true }

// Describe implements form.Reader.
func (r *Reader) Describe(i *form.Info) {
	i.Cells, i.Categories = r.Cells.Size()
	i.CellsKnown = true
}

// String implements form.Reader.
func (r *Reader) String() string {
	n, _ := r.Cells.Size()
	return "exact, " + sketch.Count(n, "cell")
}

// EachCell implements form.Lister.
func (r *Reader) EachCell(a form.Area, of cells.Categories, stop *bool, f func(form.Spot)) {
	r.Cells.EachSum(a, of, 1, stop, func(c grid.Cell, n uint64) { f(form.Spot{Cell: c, Count: n}) })
}

// Listed implements form.Lister.
func (r *Reader) Listed(isBox bool, of cells.Categories) (int, int64) { return r.Cells.Most(isBox, of) }

// EachCategory implements form.Lister.
func (r *Reader) EachCategory(f func(category []byte, cells, total uint64)) { r.Cells.EachCategory(f) }

// Sections implements form.Lister.
func (r *Reader) Sections() int { return r.Cells.Sections() }

// EachCategorySum implements form.Lister.
func (r *Reader) EachCategorySum(a form.Area, of cells.Categories, f func(category []byte, e form.Estimate)) {
	r.Cells.EachCategorySum(a, of, func(category []byte, n uint64) { f(category, exactly(n)) })
}
