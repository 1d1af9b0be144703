package ccbf

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
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
	begin       sketch.Prefix // of first, up to total
}

// MaxSmall is up to how many points it pays to encode by Small.
const MaxSmall = 1 << 9

// AppendBlob appends the sketch of keys from Keys of the configuration, which Reset was called with:
// the same bytes as a Builder's. Of more than MaxSmall keys it is no faster.
func (m *Small) AppendBlob(dst []byte, keys []uint64) []byte {
	if len(m.first) == 0 || len(keys) == 0 || len(keys) > MaxSmall {
		return build(dst, &m.config, keys)
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
		dst, ok = m.counter.AppendBody(dst, m.config.Bytes)
	}
	if !ok {
		return build(dst[:start], &m.config, keys)
	}
	return m.finish(dst, start, body, keys)
}

// finish ends what AppendBlob appends, whose body has begun.
func (m *Small) finish(dst []byte, start, body int, keys []uint64) []byte {
	if uint64(len(dst)-body) > m.config.Bytes {
		return build(dst[:start], &m.config, keys)
	}
	m.begin.Seal(dst[start:])
	return dst
}

// appendHead appends all that stands before the body.
func (m *Small) appendHead(dst []byte, total int, b grid.Rect) []byte {
	dst, at, bounds := m.beginHead(dst, total)
	n := bitio.PutUvarint(bounds, zigzag(b.MinX))
	n += bitio.PutUvarint(bounds[n:], zigzag(b.MinY))
	n += bitio.PutUvarint(bounds[n:], uint64(b.MaxX-b.MinX))
	n += bitio.PutUvarint(bounds[n:], uint64(b.MaxY-b.MinY))
	return m.endHead(dst, at, n)
}

// beginHead appends what stands before the bounds, and returns where the total ends and what the bounds
// are to be written to.
func (m *Small) beginHead(dst []byte, total int) (head []byte, at int, bounds []byte) {
	const room = mostBounds + bitio.VarintRoom
	at = len(dst) + m.total
	dst = append(slices.Grow(dst, len(m.first)+1+room+len(m.last)), m.first...)
	if total < 1<<7 {
		dst[at] = byte(total)
	} else {
		dst = append(append(dst[:at], byte(total)|1<<7, byte(total>>7)), m.first[m.total+1:]...)
		at++
	}
	return dst, at, dst[len(dst) : len(dst)+room]
}

// endHead appends what stands behind bounds of so many bytes, which have been written.
func (m *Small) endHead(dst []byte, at, bounds int) []byte {
	dst = append(dst[:len(dst)+bounds], m.last...)
	dst[at+1] = byte(len(dst) - at - 2)
	return dst
}

// zigzag is what binary.AppendVarint writes a number as.
func zigzag(v int64) uint64 { return uint64(v<<1 ^ v>>63) }

// build is AppendBlob by a Builder.
func build(dst []byte, c *Config, keys []uint64) []byte {
	b := NewBuilder(*c, nil)
	// Neither can fail: there is no budget, and keys are points.
	_ = b.AddKeys(keys)
	s, _ := b.Sketch()
	return s.AppendBlob(dst)
}

// Reset makes m one for a configuration.
func (m *Small) Reset(c *Config) {
	if m.known && m.config == *c {
		return
	}
	m.config, m.known = *c, true
	// Nothing stands first where sketches differ in more than cells, or take more parameters than
	// one byte counts.
	m.first, m.last = m.first[:0], m.last[:0]
	if !c.Exact || c.Categories {
		return
	}
	p := params{Config: *c, form: formExact} // with bounds, of whatever cells
	fields := p.fields()
	h := sketch.Header{Family: id, Seed: c.Seed, Levels: c.Levels, Flags: sketch.Additive | sketch.TotalKnown}
	m.first = sketch.Begin(m.first, h, nil)
	m.total = len(m.first) - 2
	m.begin = sketch.PrefixOf(m.first[:m.total])
	m.first = p.appendFirst(m.first, fields)
	if m.last = p.appendLast(m.last, fields); len(m.first)-m.total+mostBounds+len(m.last) >= 1<<7 {
		m.first = m.first[:0]
	}
}
