package sbf

import (
	"encoding/binary"
	"maps"
	"slices"
)

// hash is a key's hash where keys are kept.
type hash struct{ h1, h2 uint64 }

// traps says for counters of the first filter which key was moved to the
// second because of them. Section 3.3.1, table L.
type traps map[uint32]hash

func (t traps) clone() traps { return maps.Clone(t) }

// trapBytes is the size of a trap in a BLOB.
const trapBytes = 20

// bytes is about the memory of the map.
func (t traps) bytes() int { return 2 * trapBytes * len(t) }

func (t traps) append(dst []byte) []byte {
	for _, p := range slices.Sorted(maps.Keys(t)) {
		dst = binary.LittleEndian.AppendUint32(dst, p)
		dst = binary.LittleEndian.AppendUint64(dst, t[p].h1)
		dst = binary.LittleEndian.AppendUint64(dst, t[p].h2)
	}
	return dst
}

// marked reports whether a key is, or seems to be, in the marker filter.
func (s *shape) marked(marks []byte, h1, h2 uint64) bool {
	h1, h2 = derive(h1, h2, tagMarker)
	var room [MaxK]uint32
	pos := room[:s.k]
	l := s.first
	l.blocked = false
	l.positions(pos, h1, h2)
	for _, p := range pos {
		if marks[p/8]>>(p%8)&1 == 0 {
			return false
		}
	}
	return true
}

func (s *shape) mark(marks []byte, h1, h2 uint64) {
	h1, h2 = derive(h1, h2, tagMarker)
	var room [MaxK]uint32
	pos := room[:s.k]
	l := s.first
	l.blocked = false
	l.positions(pos, h1, h2)
	for _, p := range pos {
		marks[p/8] |= 1 << (p % 8)
	}
}

// secondPositions are a key's counters in the second filter.
func (s *shape) secondPositions(dst []uint32, h1, h2 uint64) {
	h1, h2 = derive(h1, h2, tagSecond)
	s.second.positions(dst, h1, h2)
}

// recurring is the estimate of RM and TRM: the least counter where it recurs
// (or, with a marker, where the key was not moved), otherwise what the second
// filter has. The first filter's least is an upper bound whatever happened, and
// the answer where the second has nothing. Section 3.3.
func (s *shape) recurring(first, second *cells, marks []byte, pos []uint32, h1, h2 uint64) uint64 {
	least, single, _ := first.minimum(pos)
	if least == 0 || !s.marker && !single || s.marker && !s.marked(marks, h1, h2) {
		return least
	}
	var room [MaxK]uint32
	two := room[:s.k]
	s.secondPositions(two, h1, h2)
	if v := second.least(two); v > 0 {
		return min(v, least)
	}
	return least
}

// recur counts n occurrences of a key, whose counters in the first filter are
// given. Section 3.3, but for two things that keep estimates from falling below
// the truth. Without a marker, a key that the second filter has is counted there
// whether its least counter recurs at the moment or not: a key that was moved
// would otherwise miss there what came while it did. With one, a key that seems
// to be moved but has nothing in the second filter is moved: what the first
// filter has of it would otherwise be forgotten.
func (s *Sketch) recur(pos []uint32, h1, h2, n uint64) (full bool) {
	if n == 0 {
		return false
	}
	if len(s.traps) > 0 {
		s.spring(pos, hash{h1, h2})
	}
	moved := s.marker && s.marked(s.marks, h1, h2)
	full = s.first.add(pos, n)
	least, single, at := s.first.minimum(pos)
	if s.marker && !moved && !single {
		return full
	}
	var room [MaxK]uint32
	two := room[:s.k]
	s.secondPositions(two, h1, h2)
	switch found := s.second.least(two) > 0; {
	case found && (moved || !s.marker):
		return s.second.add(two, n) || full
	case !single && !moved:
		return full
	}
	full = s.second.add(two, least) || full
	if s.marker {
		s.mark(s.marks, h1, h2)
	}
	if s.traps != nil && single {
		s.traps[at] = hash{h1, h2}
	}
	return full
}

// spring spends the traps that a key steps on: the least counter of the key
// that a trap belongs to held this key's occurrences too when it was moved.
// They are as many as this key has, where its least counter recurs and so can
// be trusted; otherwise nothing is corrected. Either way the trap is gone: a
// later occurrence would count what was not moved.
func (s *Sketch) spring(pos []uint32, by hash) {
	for _, p := range pos {
		x, ok := s.traps[p]
		if !ok || x == by {
			continue
		}
		delete(s.traps, p)
		if _, single, _ := s.first.minimum(pos); single {
			continue
		}
		n := s.recurring(&s.first.cells, &s.second.cells, s.marks, pos, by.h1, by.h2)
		var room [MaxK]uint32
		two := room[:s.k]
		s.secondPositions(two, x.h1, x.h2)
		if v := s.second.least(two); v > n {
			s.second.sub(two, n)
		}
	}
}

// removeSecond takes n occurrences, which the first filter no longer has, from
// the second where the key is, or seems to be, there. Section 3.3.
func (s *Sketch) removeSecond(h1, h2, n uint64) {
	var room [MaxK]uint32
	pos := room[:s.k]
	if s.marker {
		if !s.marked(s.marks, h1, h2) {
			return
		}
	} else {
		s.shape.first.positions(pos, h1, h2)
		if _, single, _ := s.first.minimum(pos); !single {
			return
		}
	}
	s.secondPositions(pos, h1, h2)
	s.second.sub(pos, min(n, s.second.least(pos)))
}
