package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/hooks"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// Package bridge calls these functions, which databases and pipelines need. Package ccbf does not
// export them, so that its users do not see them.
func init() {
	hooks.Table = hooks.Functions[View, Head, Config, Sketch, Builder]{
		Reader:     (*View).reader,
		Blob:       func(v *View) []byte { return v.blob },
		LimitAreas: func(v *View) { v.head.Limit.Together() },
		Raster:     (*View).raster,

		ReadHead: func(h *Head, blob []byte) error {
			_, err := h.parse(blob)
			return err
		},

		Differ:     (*Config).differ,
		DenseBytes: func(c *Config) uint64 { return c.shape.Bytes() },

		PairBytes: pairBytes,
		KeepCells: func(s *Sketch, has func(c grid.Cell) bool) error { return s.body().keep(has) },

		AddKeys:    (*Builder).addPoints,
		AppendBlob: (*Builder).appendBlob,
		Free: func(b *Builder) {
			b.budget = nil // the owner gives back what was reserved
			b.dropCells()
		},

		SmallEncoder: func(c *Config) func(dst []byte, keys []uint64) ([]byte, bool) { return newSmall(c).appendBlob },
		NewIntersector: func(budget interface{ Grow(delta int64) error }) hooks.Intersector[View, Sketch] {
			return newIntersector(budget)
		},
	}
}
