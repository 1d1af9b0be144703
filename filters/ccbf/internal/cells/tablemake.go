package cells

import (
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Share calls do for each of parts, on any goroutines, and returns when all have ended.
type Share = func(parts int, do func(part int))

// oneByOne shares with nobody.
func oneByOne(parts int, do func(part int)) {
	for i := range parts {
		do(i)
	}
}

const (
	// tableParts is in how many parts a table is made, but for those of fewer cells than
	// partCells: more than threads, as not all of these begin at once.
	tableParts, partCells = 16, 1 << 14
	// mostLate is how many cells may find no slot in their part.
	mostLate = 1 << 12
)

// tableMaker makes a table. Its parts are of other categories and of other slots each, so that
// several can be made at once.
type tableMaker struct {
	*Table
	parts []tablePart

	mu   sync.Mutex // of more, and of what follows
	late []lateCell
	bad  bool
}

// tablePart is the sections of some categories, and where their slots end.
type tablePart struct {
	sections []sectionView
	first    uint32 // of the categories
	cells    int
	end      uint64
}

// lateCell is a cell that found no slot before its part's end, from where on it gets one when
// all parts are made: linear probing does not mind the order.
type lateCell struct{ place, at, count uint64 }

// Table is a table of all cells, together the sums of their categories, of which share,
// where it is not nil, makes parts. False where TableBytes says so, and where the cells are
// damaged.
func (v *View) Table(together bool, share Share) (Table, bool) {
	if _, ok := v.TableBytes(together); !ok {
		return Table{}, false
	}
	t, _ := v.layOut(together)
	t.slots = make([]uint64, slotsFor(v.total()))
	t.mask = uint64(len(t.slots) - 1)
	m := tableMaker{Table: &t}
	if together || v.sections[0].category == nil {
		t.stretches = []stretch{{0, uint32(len(t.slots))}}
		m.parts = []tablePart{{sections: v.sections, end: uint64(len(t.slots))}}
	} else {
		m.eachCategory(v.sections, v.total())
	}
	t.categories.index()
	if share == nil || len(m.parts) == 1 {
		share = oneByOne
	}
	share(len(m.parts), func(part int) { m.fill(&m.parts[part]) })
	for len(m.late) > 0 {
		late := m.late
		m.late = nil
		for _, c := range late {
			m.addSlowly(c.place, c.at&t.mask, uint64(len(t.slots)), c.count)
		}
	}
	return t, !m.bad
}

// eachCategory gives categories their stretches of slots, and divides them among parts.
func (m *tableMaker) eachCategory(sections []sectionView, all int) {
	slots, before := uint64(len(m.slots)), uint64(0)
	for len(sections) > 0 {
		n, cells := 0, 0
		for n < len(sections) && string(sections[n].category) == string(sections[0].category) {
			cells += sections[n].cells
			n++
		}
		category := m.categories.add(sections[0].category)
		from, to := before*slots/uint64(all), (before+uint64(cells))*slots/uint64(all)
		m.stretches = append(m.stretches, stretch{uint32(from), uint32(to - from)})
		if last := len(m.parts) - 1; last < 0 || m.parts[last].cells >= max(all/tableParts, partCells) {
			m.parts = append(m.parts, tablePart{sections: sections[:0], first: category})
		}
		p := &m.parts[len(m.parts)-1]
		p.sections, p.cells, p.end = p.sections[:len(p.sections)+n], p.cells+cells, to
		before, sections = before+uint64(cells), sections[n:]
	}
}

// fill adds the cells of a part.
func (m *tableMaker) fill(p *tablePart) {
	all := false // also where it panics, which is another's trouble
	defer func() {
		if !all {
			m.mu.Lock()
			defer m.mu.Unlock()
			m.bad = true
		}
	}()
	var q octet
	category, of := p.first, p.sections[0].category
	for i := range p.sections {
		s := &p.sections[i]
		if len(m.stretches) > 1 && string(s.category) != string(of) {
			category, of = category+1, s.category
		}
		if !m.addSection(s, category, p.end, &q) {
			return
		}
	}
	all = true
}

// addSection adds the cells of a section to slots before end; false where they are damaged.
func (m *tableMaker) addSection(s *sectionView, category uint32, end uint64, q *octet) bool {
	var slots [blockCells]uint32
	in := m.stretches[category]
	for j, all := 0, blockCount(s.cells); j < all; j += together {
		n := min(together, all-j)
		q.readFrom(&s.blocks, j, j+n)
		for k := range n {
			r := q.cells(k)
			if len(r.Keys) == 0 {
				return false
			}
			for l, z := range r.Keys {
				place := m.place(CellOf(s.x, s.y, z), category)
				if place == m.places {
					return false
				}
				r.Keys[l], slots[l] = place, in.offset(place)
			}
			m.fetch(slots[:len(r.Keys)])
			for l, place := range r.Keys {
				if i, n := uint64(slots[l]/slotBytes), r.Counts[l]; !m.add(place, i, end, n) && !m.addSlowly(place, i, end, n) {
					return false
				}
			}
		}
	}
	return true
}

// add adds n to the count of a place, whose slot is i or one that follows. It changes nothing,
// and returns false, where there is none before end, and where the sum does not fit.
func (t *Table) add(place, i, end, n uint64) bool {
	full := uint64(1)<<t.countBits - 1
	for slots := t.slots[:end]; i < uint64(len(slots)); i++ {
		s := slots[i]
		if s != 0 && s>>t.countBits != place {
			continue
		}
		if n >= full-s&full {
			return false
		}
		slots[i] = place<<t.countBits | (s&full + n)
		return true
	}
	return false
}

// addSlowly is add of a count that fills its bits, and of a cell that is late; false where
// very many are, which no hash makes of cells that nobody chose for it.
func (m *tableMaker) addSlowly(place, i, end, n uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	full := uint64(1)<<m.countBits - 1
	for ; i < end; i++ {
		s := m.slots[i]
		if s != 0 && s>>m.countBits != place {
			continue
		}
		have := s & full
		if have == full {
			have = m.more[place]
		}
		if n = saturate.Add(n, have); n >= full {
			if m.more == nil {
				m.more = make(map[uint64]uint64)
			}
			m.more[place] = n
			n = full
		}
		m.slots[i] = place<<m.countBits | n
		return true
	}
	if len(m.late) == mostLate {
		return false
	}
	m.late = append(m.late, lateCell{place, end, n})
	return true
}
