package cells

import (
	"sync"
	"unsafe"

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

// tableParts is in how many parts a table is made, but for those of fewer cells than
// partCells: more than threads, as not all of these begin at once.
const tableParts, partCells = 16, 1 << 14

// tableMaker makes a table. Its parts are of other categories each, so that several can be made
// at once.
type tableMaker struct {
	*Table
	parts []tablePart

	mu  sync.Mutex // of more, and of bad
	bad bool
}

// tablePart is the sections of some categories.
type tablePart struct {
	sections []sectionView
	first    uint32 // of the categories
	cells    int
}

// Table is a table of all cells, together the sums of their categories, of which share,
// where it is not nil, makes parts. False where TableBytes says so, and where the cells are
// damaged.
func (v *View) Table(together bool, share Share) (Table, bool) {
	if _, ok := v.TableBytes(together); !ok {
		return Table{}, false
	}
	t, _ := v.layOut()
	m := tableMaker{Table: &t}
	enough, slots := max(v.total()/tableParts, partCells), 0
	v.eachCategory(together, func(sections []sectionView, cells int) {
		category := uint32(len(t.stretches))
		if !together && sections[0].category != nil {
			t.categories.add(sections[0].category)
		}
		in, all := stretchFor(slots, cells)
		t.stretches = append(t.stretches, in)
		slots += all
		if last := len(m.parts) - 1; last < 0 || m.parts[last].cells >= enough {
			m.parts = append(m.parts, tablePart{sections: sections[:0], first: category})
		}
		p := &m.parts[len(m.parts)-1]
		p.sections, p.cells = p.sections[:len(p.sections)+len(sections)], p.cells+cells
	})
	t.categories.index()
	if t.slotShift == 2 {
		t.narrow = make([]uint32, slots)
		endStretches(&t, t.narrow)
	} else {
		t.wide = make([]uint64, slots)
		endStretches(&t, t.wide)
	}
	if share == nil || len(m.parts) == 1 {
		share = oneByOne
	}
	share(len(m.parts), func(part int) { m.fill(&m.parts[part]) })
	return t, !m.bad
}

// endStretches writes what is at the ends of stretches.
func endStretches[S uint32 | uint64](t *Table, all []S) {
	for _, in := range t.stretches[1:] {
		all[in.from-1] = S(t.end())
	}
	all[len(all)-1] = S(t.end())
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
	q := lentBatch()
	defer batches.Put(q)
	category, of := p.first, p.sections[0].category
	for i := range p.sections {
		s := &p.sections[i]
		if len(m.stretches) > 1 && string(s.category) != string(of) {
			category, of = category+1, s.category
		}
		if !m.addSection(s, m.stretches[category], q) {
			return
		}
	}
	all = true
}

// addSection adds the cells of a section to a stretch; false where they are damaged.
func (m *tableMaker) addSection(s *sectionView, in stretch, q *batch) bool {
	var slots [BlockCells]uint32
	for j, all := 0, blockCount(s.cells); j < all; j += together {
		n := min(together, all-j)
		q.readFrom(&s.blocks, j, j+n)
		for k := range n {
			r := q.cells(k)
			if len(r.Keys) == 0 {
				return false
			}
			for l, z := range r.Keys {
				place := m.place(CellOf(s.x, s.y, z))
				if place == m.area {
					return false
				}
				r.Keys[l], slots[l] = place, m.offset(&in, place)
			}
			m.fetch(slots[:len(r.Keys)])
			if m.narrow != nil {
				addCells(m, m.narrow, r, &slots)
			} else {
				addCells(m, m.wide, r, &slots)
			}
		}
	}
	return true
}

// addCells adds to the counts of places, each of whose slots is at an offset or one that follows.
func addCells[S uint32 | uint64](m *tableMaker, all []S, r Run, offsets *[BlockCells]uint32) {
	shift := m.countBits & 63
	full := uint64(1)<<shift - 1
	for l, place := range r.Keys {
		i := offsets[l] / uint32(unsafe.Sizeof(all[0]))
		for s := uint64(all[i]); s != 0 && s>>shift != place; s = uint64(all[i]) {
			if i++; s == m.end() {
				i = m.begin(i - 1)
			}
		}
		n := r.Counts[l]
		if have := uint64(all[i]) & full; n < full-have {
			n += have
		} else {
			m.addMore(i, n, have, full)
			n = full
		}
		all[i] = S(place<<shift | n)
	}
}

// addMore adds n to a count that has not the bits for that in its slot i.
func (m *tableMaker) addMore(i uint32, n, have, full uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if have == full {
		have = m.more[i]
	}
	if m.more == nil {
		m.more = make(map[uint32]uint64)
	}
	m.more[i] = saturate.Add(n, have)
}
