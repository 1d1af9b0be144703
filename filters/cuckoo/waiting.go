package cuckoo

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// A filter that is larger than the caches takes two cache misses for each key. A sketch that waits
// keeps fingerprints, 4 bytes each, by the part of the filter that has their bucket. Later it enters
// them part by part: most go into a bucket that is in a cache, and their other bucket is not read. The
// union of two sketches that wait appends the fingerprints of the other, so that those of two threads
// are entered once.

const (
	// leastWaiting is the number of bytes of the smallest filter whose fingerprints wait.
	leastWaiting = 1 << 20
	// partBytes is about the number of bytes of the buckets of a part.
	partBytes  = 1 << 17
	entryBytes = 4
)

// entry is a fingerprint and, above it, the low bits of its own bucket, one of its two. The part
// determines the other bits.
type entry = uint32

// pendingEntries are fingerprints that are not in the filter yet.
type pendingEntries struct {
	shift uint      // a part has 2^shift buckets
	parts [][]entry // part q has the entries for buckets from q<<shift on
	n     uint64    // number of entries
}

// Later implements keyed.Later: a sketch without keys keeps those that come until Finish, if that pays.
// Until then only AddHashes, AddKey, Union, Clone, Bytes and Finish may be called.
func (s *Sketch) Later() {
	s.MustBeMade()
	if s.narrow && !s.variable && len(s.mem) >= leastWaiting && s.stored == 0 {
		s.wait()
	}
}

// wait makes the sketch keep fingerprints, if 32 bits hold one and the low bits of its bucket.
func (s *Sketch) wait() {
	shift := uint(bits.Len64(partBytes*8/uint64(s.bits)) - 1)
	if shift+s.f <= 32 {
		s.pending = &pendingEntries{shift: shift, parts: make([][]entry, int((s.buckets-1)>>shift)+1)}
	}
}

// bytes returns the memory of the entries.
func (w *pendingEntries) bytes() (n int) {
	if w == nil {
		return 0
	}
	for _, part := range w.parts {
		n += entryBytes * cap(part)
	}
	return n
}

func (w *pendingEntries) clone() *pendingEntries {
	if w == nil {
		return nil
	}
	c := &pendingEntries{shift: w.shift, parts: make([][]entry, len(w.parts))}
	c.take(w)
	return c
}

// take appends the entries of from, which are another sketch's.
func (w *pendingEntries) take(from *pendingEntries) {
	w.n += from.n
	for q, part := range from.parts {
		w.parts[q] = append(w.parts[q], part...)
	}
}

// keep adds a key, given by its buckets and fingerprint, to the fingerprints that wait. Each waits with
// its own bucket, one of its two. The choice does not depend on which of the two is the key's first
// bucket. So keys that a set cannot tell apart have the same own bucket.
func (s *Sketch) keep(i, j, fp uint64) {
	w := s.pending
	_, less := bits.Sub64(j, i, 0)
	x := (i ^ j) & -(less ^ (i+j+fp)*0x9e3779b97f4a7c15>>63)
	own := i ^ x
	part := &w.parts[own>>(w.shift&63)]
	*part = append(*part, entry(own<<(s.f&63)|fp))
	w.n++
}

// addLater is AddHashes for a sketch whose fingerprints wait. When more of them wait than the capacity,
// it enters them into the buckets.
func (s *Sketch) addLater(h1s, h2s, ns []uint64) error {
	keyed.GrowAll(&s.Base, len(h1s), ns)
	for k, h1 := range h1s {
		if ns == nil || ns[k] > 0 {
			i, fp := s.first(h1), s.fingerprintOf(h2s[k])
			s.keep(i, s.other(i, fp), fp)
		}
	}
	return s.enterMost()
}

// enterMost enters the fingerprints that wait if they are more than the capacity. Later ones wait again.
func (s *Sketch) enterMost() error {
	if s.pending.n <= s.params.Capacity {
		return nil
	}
	if err := s.enterPending(); err != nil {
		return err
	}
	s.wait()
	return nil
}

// uniteWaiting is Union if one of the sketches waits.
func (s *Sketch) uniteWaiting(other *Sketch) error {
	if s.pending == nil {
		c := other.Clone()
		if err := c.enterPending(); err != nil {
			return err
		}
		return s.unite(&c.table, c.Base)
	}
	w := other.pending.clone() // a copy, because other may be s
	if other.stored > 0 {
		if err := s.unite(&other.table, other.Base); err != nil {
			return err
		}
	} else {
		keyed.Unite(&s.Base, other.Base)
	}
	if w != nil {
		s.pending.take(w)
	}
	return s.enterMost()
}

// Finish implements keyed.Later: it enters the fingerprints that wait and returns the BLOB. Errors are
// those of Add; some of the keys are then in the filter.
func (s *Sketch) Finish() ([]byte, error) {
	if err := s.enterPending(); err != nil {
		return nil, err
	}
	return s.Blob(), nil
}

// enterPending enters the fingerprints that wait.
func (s *Sketch) enterPending() error {
	w := s.pending
	if w == nil {
		return nil
	}
	s.pending = nil
	if s.stored > 0 { // buckets may be full, or have these keys already, so enterOwn only tells where they belong
		for q := range w.parts {
			_, located := s.enterOwn(w, q, q+1, 0)
			if err := s.enterLocated(located); err != nil {
				return err
			}
		}
		return nil
	}
	parts := len(w.parts)
	// The fingerprints for the last buckets of the first half of parts are entered last. The order
	// decides which of its two buckets a fingerprint gets. So another order would change the BLOBs of
	// the same keys.
	middle := parts / 2
	first, rest := s.enterOwn(w, 0, middle, uint64(middle)<<w.shift-s.span())
	second, others := s.enterOwn(w, middle, parts, s.buckets)
	s.stored = first + second
	if err := s.enterLocated(rest); err != nil {
		return err
	}
	return s.enterLocated(others)
}

// span returns how many buckets before a border to leave out. Writing an earlier bucket, which takes 8
// bytes, then does not touch the buckets behind the border.
func (t *table) span() uint64 { return 72/uint64(t.bits) + 2 }

// enterOwn puts the fingerprints that wait in parts from to to-1 into the buckets with which they wait.
// It skips fingerprints for bucket end and later ones, and leaves one slot of each bucket empty. added
// is the number that it stored, and rest is the fingerprints that it did not, with their buckets.
func (t *table) enterOwn(w *pendingEntries, from, to int, end uint64) (added uint64, rest []uint64) {
	mem, width, ones, highs, top := t.mem, uint64(t.bits), t.ones, t.highs, t.f-1
	low, multiset, f, base := ^highs, t.params.Duplicates, t.f&63, t.base
	least := min(t.b-1, 1) // enterOwn leaves this many slots of each bucket empty
	inPart := uint64(1)<<w.shift - 1
	for q := from; q < to; q++ {
		high := uint64(q) << w.shift
		for _, e := range w.parts[q] {
			i, fp := high|uint64(e)>>f&inPart, uint64(e)&base
			if i >= end {
				rest = append(rest, i<<f|fp)
				continue
			}
			at := i * width
			x := fetch(mem, at)
			if !multiset {
				if d := x ^ fp*ones; (d-ones)&^d&highs != 0 {
					continue
				}
			}
			x = ^((x&low + low) | x) & highs // marks the empty slots
			if x == 0 || x&(x-1) == 0 && least > 0 {
				rest = append(rest, i<<f|fp)
				continue
			}
			word := mem[at>>3 : at>>3+8 : at>>3+8]
			shift := uint(bits.TrailingZeros64(x)) - top + uint(at&7)
			binary.LittleEndian.PutUint64(word, binary.LittleEndian.Uint64(word)|fp<<(shift&63))
			added++
		}
	}
	return added, rest
}

// enterLocated puts each of these fingerprints into one of its two buckets. Above a fingerprint is the
// bucket with which it waited.
func (s *Sketch) enterLocated(all []uint64) error {
	var b batch
	for located := range slices.Chunk(all, batchLen) {
		n := len(located)
		for k, e := range located {
			i, fp := e>>s.f, e&s.base
			b.i[k], b.j[k], b.fp[k] = i, s.other(i, fp), fp
		}
		s.prefetch(&b, n)
		if _, err := s.addOnes(b.i[:n], b.j[:n], b.fp[:n]); err != nil {
			return err
		}
	}
	return nil
}
