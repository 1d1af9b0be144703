package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Small encodes sketches of a few points without an allocation for each. Its
// zero value is ready.
type Small struct {
	few cells.Few

	// What all sketches of a configuration have: what stands before the bounds, from
	// total on their own, and what stands behind them.
	config      Config
	known       bool
	first, last []byte
	total       int
}

// AppendBlob appends the sketch of keys from Config.Keys: the same bytes as a
// Builder's. Of more than a few keys it is no faster.
func (m *Small) AppendBlob(dst []byte, c *Config, keys []uint64) []byte {
	if !m.known || m.config != *c {
		m.reset(c)
	}
	if len(m.first) == 0 || len(keys) == 0 || len(keys) > cells.MaxFew {
		return build(dst, c, keys)
	}
	m.few.Set(keys)
	start := len(dst)
	dst = append(dst, m.first...)
	dst = append(appendBounds(dst, m.few.Bounds()), m.last...)
	body := len(dst)
	total := start + m.total
	dst[total], dst[total+1] = byte(len(keys)), byte(body-total-2)
	dst, ok := m.few.AppendBody(dst)
	if !ok || uint64(len(dst)-body) > c.Bytes {
		return build(dst[:start], c, keys)
	}
	sketch.Seal(dst[start:])
	return dst
}

// build is AppendBlob by a Builder.
func build(dst []byte, c *Config, keys []uint64) []byte {
	b := NewBuilder(*c, nil)
	// Neither can fail: there is no budget, and keys are points.
	_ = b.AddKeys(keys)
	s, _ := b.Sketch()
	return s.AppendBlob(dst)
}

// reset makes m one for a configuration. Nothing stands first where its sketches differ in
// more than cells, or take more parameters than one byte counts.
func (m *Small) reset(c *Config) {
	m.config, m.known = *c, true
	m.first, m.last = m.first[:0], m.last[:0]
	if !c.Exact || c.Categories {
		return
	}
	p := params{Config: *c, form: formExact} // with bounds, of whatever cells
	fields := p.fields()
	h := sketch.Header{Family: id, Seed: c.Seed, Levels: c.Levels, Flags: sketch.Additive | sketch.TotalKnown}
	m.first = sketch.Begin(m.first, h, nil)
	m.total = len(m.first) - 2
	m.first = p.appendFirst(m.first, fields)
	if m.last = p.appendLast(m.last, fields); len(m.first)-m.total+mostBounds+len(m.last) >= 1<<7 {
		m.first = m.first[:0]
	}
}
