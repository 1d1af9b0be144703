package ccbf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/exact"
	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// smallEncoder encodes sketches for bridge.SmallEncoder.
type smallEncoder struct {
	sketch       Sketch // has the parameters and the total, but no cells.
	keys, counts []uint64
	radix        radix.Scratch
}

func newSmall(c *Config) *smallEncoder {
	return &smallEncoder{sketch: Sketch{Config: *c, TotalKnown: true}}
}

// appendBlob implements the function of bridge.SmallEncoder.
func (m *smallEncoder) appendBlob(dst []byte, keys []uint64) ([]byte, bool) {
	if len(keys) == 0 {
		return dst, false
	}
	s, few := &m.sketch, m.count(keys)
	s.Total = uint64(len(keys))
	start, bounds := len(dst), cells.CornersOf(few.Keys...).Rect(0, 0)
	dst, fits := exact.AppendSmall(s.appendHead(dst, bounds), few, bounds, s.Bytes)
	if fits {
		sketch.Seal(dst[start:])
	}
	return dst, fits
}

// count returns the cells of keys.
func (m *smallEncoder) count(keys []uint64) cells.Squares {
	m.keys = append(m.keys[:0], keys...)
	m.counts = m.counts[:0]
	n := 0
	for i, k := range m.radix.Sort(m.keys, 0) {
		if i > 0 && k == m.keys[n-1] {
			m.counts[n-1]++
			continue
		}
		m.keys[n], m.counts = k, append(m.counts, 1)
		n++
	}
	if n == len(keys) && n <= cells.BlockCells {
		return cells.Squares{Keys: m.keys}
	}
	return cells.Squares{Keys: m.keys[:n], Counts: m.counts}
}

// Build returns the sketch of points, with the BLOB of ccbf_agg over two columns. xs and ys must be
// equally long. A coordinate without a cell is an error. So are parameters with categories, which
// need a Builder.
func Build(p Params, xs, ys []float64) (*Sketch, error) {
	if len(xs) != len(ys) {
		return nil, fmt.Errorf("%d xs and %d ys", len(xs), len(ys))
	}
	c, err := p.Config()
	if err != nil {
		return nil, err
	}
	if c.Categories {
		return nil, sketch.OptionError("category", "is given, but Build takes points without one: use NewBuilder")
	}
	const atOnce = 1024
	var keys [atOnce]uint64
	b := NewBuilder(c, nil)
	for at := 0; at < len(xs); {
		end := min(at+atOnce, len(xs))
		n := cells.Keys(keys[:end-at], xs[at:end], ys[at:end], c.Grid)
		if err := b.addPoints(keys[:n]); err != nil {
			return nil, err
		}
		if at += n; at == end {
			continue
		}
		// Points outside region (0, 0) come here, and points without a cell.
		cell, err := c.Grid.Cell(xs[at], ys[at])
		if err != nil {
			return nil, fmt.Errorf("point %d: %w", at, err)
		}
		if err := b.Add(cell, nil, key.None, 1); err != nil {
			return nil, err
		}
		at++
	}
	return b.Sketch()
}
