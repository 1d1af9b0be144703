package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/hooks"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Package bridge does what databases and pipelines need by methods of the types below, which users do
// not see. They are types of their own, so that package ccbf exports no method for it.
type (
	hookedView        View
	hookedHead        Head
	hookedConfig      Config
	hookedSketch      Sketch
	hookedBuilder     Builder
	hookedSmall       struct{ smallEncoder }
	hookedIntersector struct{ *intersector }
)

func init() {
	hooks.View = func(v any) hooks.ViewMethods { return (*hookedView)(v.(*View)) }
	hooks.Head = func(h any) hooks.HeadMethods { return (*hookedHead)(h.(*Head)) }
	hooks.Config = func(c any) hooks.ConfigMethods { return (*hookedConfig)(c.(*Config)) }
	hooks.Sketch = func(s any) hooks.SketchMethods { return (*hookedSketch)(s.(*Sketch)) }
	hooks.Builder = func(b any) hooks.BuilderMethods { return (*hookedBuilder)(b.(*Builder)) }
	hooks.NewSmall = func() hooks.Small { return new(hookedSmall) }
	hooks.NewIntersector = func(budget interface{ Grow(delta int64) error }) hooks.Intersector {
		return hookedIntersector{newIntersector(budget)}
	}
}

func (v *hookedView) Reader() form.Reader { return (*View)(v).reader() }
func (v *hookedView) Blob() []byte        { return v.blob }
func (v *hookedView) LimitAreas()         { (*View)(v).limitAreas() }
func (v *hookedView) Listed(area any, of Categories) (cells int, bytes int64) {
	return (*View)(v).listed(*area.(*Area), of)
}

func (h *hookedHead) Reset(blob []byte) error { return (*Head)(h).reset(blob) }
func (h *hookedHead) Meets(polygon any) (bool, error) {
	return (*Head)(h).meets(polygon.(*Polygon).Area())
}

func (c *hookedConfig) Differ(from any) error { return (*Config)(c).differ(from.(*Config)) }
func (c *hookedConfig) DenseBytes() uint64    { return c.shape.Bytes() }

func (s *hookedSketch) CellBytes() int64         { return (*Sketch)(s).body().memory() }
func (s *hookedSketch) PairBytes(with any) int64 { return pairBytes((*Sketch)(s), with.(*Sketch)) }
func (s *hookedSketch) KeepCells(has func(c grid.Cell) bool) error {
	return (*Sketch)(s).keepCells(has)
}

func (b *hookedBuilder) AddKeys(keys []uint64) error { return (*Builder)(b).addPoints(keys) }
func (b *hookedBuilder) AppendBlob(dst []byte) ([]byte, error) {
	return (*Builder)(b).appendBlob(dst)
}
func (b *hookedBuilder) Class() key.Class { return b.class }

func (m *hookedSmall) Reset(config any) { m.smallEncoder.Reset(config.(*Config)) }

func (x hookedIntersector) AddView(v any) error { return x.intersector.AddView(v.(*View)) }
func (x hookedIntersector) Merge(from hooks.Intersector) error {
	return x.intersector.Merge(from.(hookedIntersector).intersector)
}
func (x hookedIntersector) Sketch() (any, error) { return x.intersector.Sketch() }
