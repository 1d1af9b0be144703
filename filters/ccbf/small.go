package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Small encodes sketches of some points, without an allocation for each where these are few. Its
// zero value is ready.
type Small struct {
	few     cells.Few
	counter cells.Counter

	// What all sketches of a configuration have: what stands before the bounds, from
	// total on their own, and what stands behind them.
	config      Config
	known       bool
	first, last []byte
	total       int
}

// MaxSmall is up to how many points it pays to encode by Small.
const MaxSmall = 1 << 9

// AppendBlob appends the sketch of keys from Config.Keys: the same bytes as a
// Builder's. Of more than MaxSmall keys it is no faster.
func (m *Small) AppendBlob(dst []byte, c *Config, keys []uint64) []byte {
	if !m.known || m.config != *c {
		m.reset(c)
	}
	if len(m.first) == 0 || len(keys) == 0 || len(keys) > MaxSmall {
		return build(dst, c, keys)
	}
	start := len(dst)
	var body int
	var ok bool
	if len(keys) <= cells.MaxFew {
		m.few.Set(keys)
		dst = m.appendHead(dst, len(keys), m.few.Bounds())
		body = len(dst)
		dst, ok = m.few.AppendBody(dst)
	} else {
		m.counter.Set(keys)
		dst = m.appendHead(dst, len(keys), m.counter.Bounds())
		body = len(dst)
		dst, ok = m.counter.AppendBody(dst, c.Bytes)
	}
	if !ok || uint64(len(dst)-body) > c.Bytes {
		return build(dst[:start], c, keys)
	}
	sketch.Seal(dst[start:])
	return dst
}

// appendHead appends all that stands before the body.
func (m *Small) appendHead(dst []byte, total int, bounds grid.Rect) []byte {
	at := len(dst) + m.total
	dst = append(dst, m.first...)
	if total < 1<<7 {
		dst[at] = byte(total)
	} else {
		dst = append(append(dst[:at], byte(total)|1<<7, byte(total>>7)), m.first[m.total+1:]...)
		at++
	}
	dst = append(appendBounds(dst, bounds), m.last...)
	dst[at+1] = byte(len(dst) - at - 2)
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
