package sbf

import (
	"encoding/binary"
	"maps"
	"slices"
)

// hash is the hash of a key that is kept.
type hash struct{ h1, h2 uint64 }

// traps maps counters of the first filter to the keys that were moved to the second because of them.
// Section 3.3.1, table L.
type traps map[uint32]hash

// trapBytes is the size of a trap in a BLOB.
const trapBytes = 20

// bytes returns about the memory of the map.
func (t traps) bytes() int { return 2 * trapBytes * len(t) }

func (t traps) append(dst []byte) []byte {
	for _, p := range slices.Sorted(maps.Keys(t)) {
		dst = binary.LittleEndian.AppendUint32(dst, p)
		dst = binary.LittleEndian.AppendUint64(dst, t[p].h1)
		dst = binary.LittleEndian.AppendUint64(dst, t[p].h2)
	}
	return dst
}

// isMarked reports whether a key is, or seems to be, in the marker filter.
func (f *filter) isMarked(h1, h2 uint64) bool {
	var room [MaxK]uint32
	for _, p := range f.markPositions(&room, h1, h2) {
		if f.marks[p/8]>>(p%8)&1 == 0 {
			return false
		}
	}
	return true
}

// mark puts a key into the marker filter.
func (f *filter) mark(h1, h2 uint64) {
	var room [MaxK]uint32
	for _, p := range f.markPositions(&room, h1, h2) {
		f.marks[p/8] |= 1 << (p % 8)
	}
}

// recurringCount returns the estimate of RM and TRM for a key with the positions pos in the first
// filter. It is the least counter if that recurs or, with a marker, if the key was not moved.
// Otherwise it is the count in the second filter. The first filter's least counter is always an
// upper bound, and the estimate if the second filter has nothing. Section 3.3.
func (f *filter) recurringCount(pos []uint32, h1, h2 uint64) uint64 {
	least, single, _ := f.first.minimum(pos)
	if least == 0 || !f.marker && !single || f.marker && !f.isMarked(h1, h2) {
		return least
	}
	var room [MaxK]uint32
	two := f.secondPositions(&room, h1, h2)
	if v := f.second.least(two); v > 0 {
		return min(v, least)
	}
	return least
}

// recur counts n occurrences of a key, whose counters in the first filter are at pos. full is true if a
// counter is saturated. Section 3.3, with
// two differences that keep estimates from falling below the truth. Without a marker, a key that the
// second filter has is counted there whether its least counter recurs or not. Otherwise a key that was
// moved would miss the occurrences that came while it did. With a marker, a key that seems to be moved
// but has nothing in the second filter is moved. Otherwise its occurrences in the first filter would be
// forgotten.
func (s *Sketch) recur(pos []uint32, h1, h2, n uint64) (full bool) {
	if n == 0 {
		return false
	}
	if len(s.traps) > 0 {
		s.springTraps(pos, hash{h1, h2})
	}
	moved := s.marker && s.isMarked(h1, h2)
	full = s.first.words.Increase(pos, n)
	least, single, at := s.first.minimum(pos)
	if s.marker && !moved && !single {
		return full
	}
	var room [MaxK]uint32
	two := s.secondPositions(&room, h1, h2)
	switch found := s.second.least(two) > 0; {
	case found && (moved || !s.marker):
		return s.second.words.Increase(two, n) || full
	case !single && !moved:
		return full
	}
	full = s.second.words.Increase(two, least) || full
	if s.marker {
		s.mark(h1, h2)
	}
	if s.traps != nil && single {
		s.traps[at] = hash{h1, h2}
	}
	return full
}

// springTraps removes the traps that a key steps on. Such a trap belongs to another key that was moved
// because of this counter, which also held this key's occurrences. If this key's least counter recurs,
// its count can be trusted and is subtracted from the other key. Otherwise nothing is corrected. The
// trap is removed in both cases, because later occurrences were not moved.
func (s *Sketch) springTraps(pos []uint32, by hash) {
	for _, p := range pos {
		x, ok := s.traps[p]
		if !ok || x == by {
			continue
		}
		delete(s.traps, p)
		if _, single, _ := s.first.minimum(pos); single {
			continue
		}
		n := s.recurringCount(pos, by.h1, by.h2)
		var room [MaxK]uint32
		two := s.secondPositions(&room, x.h1, x.h2)
		if v := s.second.least(two); v > n {
			s.second.words.Decrease(two, n)
		}
	}
}

// removeSecond removes n occurrences from the second filter if the key is, or seems to be, there. The
// first filter no longer has them. Section 3.3.
func (s *Sketch) removeSecond(h1, h2, n uint64) {
	var room [MaxK]uint32
	if s.marker {
		if !s.isMarked(h1, h2) {
			return
		}
	} else if _, single, _ := s.first.minimum(s.firstPositions(&room, h1, h2)); !single {
		return
	}
	pos := s.secondPositions(&room, h1, h2)
	s.second.words.Decrease(pos, min(n, s.second.least(pos)))
}
