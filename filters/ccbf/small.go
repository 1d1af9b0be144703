package ccbf

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
)

// Small encodes sketches of a few points without allocating anew for each. Its
// zero value is ready.
type Small struct {
	s      Sketch
	one    [1]cells.Section
	keys   [8]uint64
	counts [8]uint64
}

// AppendBlob appends the sketch of at most 8 keys from Config.Keys, which it
// leaves alone: the bytes that a Builder would come to.
func (m *Small) AppendBlob(dst []byte, c *Config, keys []uint64) []byte {
	n := copy(m.keys[:], keys)
	if !c.Exact {
		b := NewBuilder(*c, nil)
		// Neither can fail: there is no budget, and keys are points.
		_ = b.AddKeys(m.keys[:n])
		s, _ := b.Sketch()
		return s.AppendBlob(dst)
	}
	slices.Sort(m.keys[:n])
	distinct := 0
	for i, k := range m.keys[:n] {
		if i > 0 && k == m.keys[distinct-1] {
			m.counts[distinct-1]++
			continue
		}
		m.keys[distinct], m.counts[distinct] = k, 1
		distinct++
	}
	m.s = Sketch{Config: *c, Total: uint64(n), TotalKnown: true}
	if n > 0 {
		m.one[0] = cells.Section{Label: cells.Label{None: true}, Run: cells.Run{Keys: m.keys[:distinct], Counts: m.counts[:distinct]}}
		m.s.cells = m.one[:]
	}
	return m.s.AppendBlob(dst)
}
