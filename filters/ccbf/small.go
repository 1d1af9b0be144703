package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Small encodes sketches of a few points without an allocation for each. Its
// zero value is ready.
type Small struct {
	keys   [maxSmall]uint64
	counts [maxSmall]uint64
	few    cells.Few

	// What all sketches of a configuration have: their header, and the parameters
	// before and behind the bounds.
	config      Config
	known       bool
	header      sketch.Header
	first, last []byte
	params      []byte
}

// maxSmall is the most keys of a Small.
const maxSmall = 8

// AppendBlob appends the sketch of at most 8 keys from Config.Keys, which it
// does not change: the same bytes as a Builder's.
func (m *Small) AppendBlob(dst []byte, c *Config, keys []uint64) []byte {
	if !c.Exact || c.Categories || len(keys) == 0 {
		return build(dst, c, keys)
	}
	if !m.known || m.config != *c {
		m.reset(c)
	}
	run := m.run(keys)
	m.header.Total = uint64(len(keys))
	m.params = append(appendBounds(append(m.params[:0], m.first...), cells.FewBounds(run.Keys)), m.last...)
	start := len(dst)
	dst = sketch.Begin(dst, m.header, m.params)
	body := len(dst)
	if dst = m.few.AppendBody(dst, run); uint64(len(dst)-body) > c.Bytes {
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

// reset makes m one for a configuration.
func (m *Small) reset(c *Config) {
	m.config, m.known = *c, true
	p := params{Config: *c, form: formExact} // with bounds, of whatever cells
	fields := p.fields()
	m.first, m.last = p.appendFirst(m.first[:0], fields), p.appendLast(m.last[:0], fields)
	m.header = sketch.Header{Family: id, Seed: c.Seed, Levels: c.Levels, Flags: sketch.Additive | sketch.TotalKnown}
}

// run is the run of a few keys.
func (m *Small) run(keys []uint64) cells.Run {
	n := 0
	for _, k := range keys {
		// Insertion: fewer keys than any other way would pay for.
		i := n
		for i > 0 && m.keys[i-1] > k {
			i--
		}
		if i > 0 && m.keys[i-1] == k {
			m.counts[i-1]++
			continue
		}
		copy(m.keys[i+1:n+1], m.keys[i:n])
		copy(m.counts[i+1:n+1], m.counts[i:n])
		m.keys[i], m.counts[i] = k, 1
		n++
	}
	return cells.Run{Keys: m.keys[:n], Counts: m.counts[:n]}
}
