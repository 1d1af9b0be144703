package ccbf

import (
	"math/bits"

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
const maxSmall = cells.MaxFew

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
	m.params = append(appendBounds(append(m.params[:0], m.first...), m.few.Bounds(run.Keys)), m.last...)
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

// run is the run of a few keys. Their order nobody foresees: no branch depends on it.
func (m *Small) run(keys []uint64) cells.Run {
	var places [maxSmall]uint64 // how many keys are before each
	for i := 1; i < len(keys); i++ {
		k, place := keys[i], uint64(i)
		for j, o := range keys[:i] {
			_, less := bits.Sub64(k, o, 0)
			places[j%maxSmall] += less
			place -= less
		}
		places[i%maxSmall] = place
	}
	var sorted [maxSmall]uint64
	for i, k := range keys {
		sorted[places[i%maxSmall]%maxSmall] = k
	}
	// A count is where the key's last one is, less where that of the key before is.
	at := uint64(0)
	m.keys[0] = sorted[0]
	for i, k := range sorted[:len(keys)] {
		d := m.keys[at%maxSmall] ^ k
		at += (d | -d) >> 63
		m.keys[at%maxSmall], m.counts[at%maxSmall] = k, uint64(i+1)
	}
	for i := at; i > 0; i-- {
		m.counts[i%maxSmall] -= m.counts[(i-1)%maxSmall]
	}
	return cells.Run{Keys: m.keys[:at+1], Counts: m.counts[:at+1]}
}
