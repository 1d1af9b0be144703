package sbf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Sketch is a Spectral Bloom Filter in memory.
type Sketch struct {
	keyed.Base // Additive but with MI, and but for products
	shape
	first  table
	second table    // rm, trm
	marks  []byte   // one bit for each counter of first, where keys are marked
	traps  traps    // trm
	gather gathered // rm, trm: what the filters are to be made of; nil where they are made
	gaveUp bool     // there were too many keys to gather: none is moved
}

// New makes an empty sketch. Errors wrap sketch.ErrOption and name the value
// and its range.
func New(p Params) (*Sketch, error) {
	sh, err := p.shape()
	if err != nil {
		return nil, err
	}
	flags := sketch.Additive
	if p.Method == MI {
		flags = 0
	}
	s := &Sketch{Base: keyed.New(p.Seed, flags), shape: sh}
	if s.ByValue() {
		class := p.RangeClass
		if class == key.None {
			class = key.Int
		}
		if !isNumber(class) {
			return nil, sketch.OptionError("range", "is of %v keys, must be of whole numbers, dates or timestamps", class)
		}
		if err := s.Base.SetKeyClass(class); err != nil {
			return nil, err
		}
	}
	s.first = newTable(sh.encoding, int(sh.first.m))
	s.empty()
	return s, nil
}

// empty makes what a sketch has beside its first filter, without keys.
func (s *Sketch) empty() {
	if s.method.recurring() {
		s.second = newTable(s.encoding, int(s.shape.second.m))
	}
	if s.marker {
		s.marks = make([]byte, s.markBytes())
	}
	if s.method == TRM {
		s.traps = traps{}
	}
}

// Reset takes away all keys of a sketch to which keys were added and nothing else was done.
func (s *Sketch) Reset() {
	s.Base = s.Base.Emptied()
	s.first = s.first.emptied()
	if s.method.recurring() {
		s.second = s.second.emptied()
	}
	clear(s.marks)
	if s.method == TRM {
		s.traps = traps{}
	}
	if s.gather != nil || s.gaveUp {
		s.gather, s.gaveUp = gathered{}, false
	}
}

// emptied is a table without counts, in the same memory where that is as large as at first.
func (t *table) emptied() table {
	if t.index != nil {
		return newTable(Index, t.n)
	}
	t.words = words.Table{B: t.words.B[:t.n]}
	clear(t.words.B)
	return *t
}

// Clone is a copy.
func (s *Sketch) Clone() *Sketch {
	s.MustBeMade()
	c := *s
	c.first = s.first.table(Index)
	if s.method.recurring() {
		c.second = s.second.table(Index)
	}
	c.marks = append([]byte(nil), s.marks...)
	c.traps = s.traps.clone()
	c.gather = s.gather.clone()
	return &c
}

// Method is how keys are counted.
func (s *Sketch) Method() Method { return s.method }

// K is the number of counters per key.
func (s *Sketch) K() int { return s.k }

// Counters are the numbers of counters of the first filter and, with RM and
// TRM, of the second.
func (s *Sketch) Counters() (first, second uint64) { return s.shape.first.m, s.shape.second.m }

// Bytes is the memory that the sketch takes now.
func (s *Sketch) Bytes() int {
	s.MustBeMade()
	n := s.first.bytes() + len(s.marks) + s.traps.bytes() + s.gather.bytes()
	if s.method.recurring() {
		n += s.second.bytes()
	}
	return n
}

// Add counts n occurrences of a key by its hash. O(k), no allocation but when
// counters widen, at most three times in a sketch's life, or traps are set. A
// sketch with a Range needs the key: it takes AddKey and AddInt only.
func (s *Sketch) Add(h1, h2, n uint64) {
	s.hashesOnly()
	keyed.Grow(&s.Base, n)
	s.put([]uint64{h1}, []uint64{h2}, nil, n)
}

// AddHashes counts many keys: ns[i] occurrences of the key (h1s[i], h2s[i]),
// or one of each where ns is nil. The result is that of Add for each in turn.
// The slices must be as long as h1s.
func (s *Sketch) AddHashes(h1s, h2s, ns []uint64) {
	s.hashesOnly()
	if ns == nil {
		keyed.Grow(&s.Base, uint64(len(h1s)))
	}
	for _, n := range ns {
		keyed.Grow(&s.Base, n)
	}
	s.put(h1s, h2s, ns, 1)
}

func (s *Sketch) hashesOnly() {
	if s.ByValue() {
		panic("sbf: a sketch with a range takes keys, not hashes")
	}
}

// put counts ns[i] of each key, or n where ns is nil, without the total.
func (s *Sketch) put(h1s, h2s, ns []uint64, n uint64) {
	if (s.sums() || s.method == MI) && s.gather == nil && s.inRows(&s.first.cells) {
		rows, full := s.rows(&s.first.cells), false
		if s.method == MI {
			full = rows.AddLeast(h1s, h2s, ns, n)
		} else {
			full = rows.Add(h1s, h2s, ns, n)
		}
		if s.first.words = rows.Table; full {
			keyed.SetSaturated(&s.Base)
		}
		return
	}
	for i, h1 := range h1s {
		if ns != nil {
			n = ns[i]
		}
		s.putOne(h1, h2s[i], n)
	}
}

// putOne counts n of a key, without the total.
func (s *Sketch) putOne(h1, h2, n uint64) {
	if s.gather != nil {
		s.collect(h1, h2, n)
		return
	}
	var room [MaxK]uint32
	pos := room[:s.k]
	s.shape.first.positions(pos, h1, h2)
	s.putAt(pos, h1, h2, n)
}

// sums reports whether a key is added to its counters and nothing else is done.
func (s *Sketch) sums() bool { return s.method == MS || s.gaveUp }

// putAt counts n of a key whose counters in the first filter are given.
func (s *Sketch) putAt(pos []uint32, h1, h2, n uint64) {
	var full bool
	switch {
	case s.sums():
		full = s.first.add(pos, n)
	case s.method == MI:
		full = s.first.raise(pos, n)
	default:
		full = s.recur(pos, h1, h2, n)
	}
	if full {
		keyed.SetSaturated(&s.Base)
	}
}

// AddKey counts n occurrences of a key by its bytes (package key). With a
// Range, a key that is not in it is an error that wraps ErrOutside.
func (s *Sketch) AddKey(b []byte, n uint64) error {
	if s.ByValue() {
		v, err := intOf(b)
		if err != nil {
			return err
		}
		return s.AddInt(v, n)
	}
	h1, h2 := key.Hash(s.Seed(), b)
	s.Add(h1, h2, n)
	return nil
}

// Count is the estimate of a key's occurrences. With MS and MI it is never
// below the true count (unless what was removed was never added, or a counter
// saturated) and above it for a part of (1 - exp(-n*k/m))^k of all keys with
// MS, of fewer with MI, n being the number of different keys. With RM and TRM
// it can be below, see the package's documentation. O(k). Claims 1 and 4.
func (s *Sketch) Count(h1, h2 uint64) uint64 {
	var n [1]uint64
	s.CountHashes(n[:], []uint64{h1}, []uint64{h2})
	return n[0]
}

// CountKey is Count of a key's bytes (package key).
func (s *Sketch) CountKey(b []byte) uint64 {
	h1, h2 := key.Hash(s.Seed(), b)
	return s.Count(h1, h2)
}

// CountHashes writes the Count of every key to dst, which is as long as h1s
// and h2s.
func (s *Sketch) CountHashes(dst, h1s, h2s []uint64) {
	s.MustBeMade()
	if s.gather != nil {
		for i := range dst {
			dst[i] = s.gather[hash{h1s[i], h2s[i]}]
		}
		return
	}
	s.shape.countHashes(&s.first.cells, &s.second.cells, s.marks, dst, h1s, h2s)
}

// countHashes is CountHashes on the counters of a sketch or of a BLOB.
func (s *shape) countHashes(first, second *cells, marks []byte, dst, h1s, h2s []uint64) {
	if !s.method.recurring() && s.inRows(first) {
		rows := s.rows(first)
		rows.Least(dst, h1s, h2s)
		return
	}
	var room [MaxK]uint32
	pos := room[:s.k]
	for i := range dst {
		s.first.positions(pos, h1s[i], h2s[i])
		if s.method.recurring() {
			dst[i] = s.recurring(first, second, marks, pos, h1s[i], h2s[i])
		} else {
			dst[i] = first.least(pos)
		}
	}
}

// inRows reports whether counters are words in rows, which many keys take at once.
func (s *shape) inRows(c *cells) bool { return c.plain() && !s.blocked }

// rows are the counters of the first filter.
func (s *shape) rows(c *cells) words.Rows {
	return words.Rows{Table: c.words, Width: s.first.width, Factors: factors[:s.k]}
}

// factors are those of h2 in a key's positions.
var factors = func() (f [MaxK]uint64) {
	f[0] = 1
	for i := range MaxK - 1 {
		f[i+1] = f[i] * key.Spread
	}
	return f
}()

// Remove takes away n occurrences of a key that were added before; removing
// others can make estimates fall below the truth. Not with MI, and not from
// products (sketch.ErrNotAdditive). More than Count, or with RM and TRM than
// the first filter has, is an error (sketch.ErrTooMany). An error changes
// nothing. A sketch with a Range takes RemoveKey and RemoveInt only. O(k).
func (s *Sketch) Remove(h1, h2, n uint64) error {
	s.hashesOnly()
	return s.removeAll([]uint64{h1}, []uint64{h2}, n)
}

// RemoveKey is Remove of a key's bytes (package key).
func (s *Sketch) RemoveKey(b []byte, n uint64) error {
	if s.ByValue() {
		v, err := intOf(b)
		if err != nil {
			return err
		}
		return s.RemoveInt(v, n)
	}
	h1, h2 := key.Hash(s.Seed(), b)
	return s.Remove(h1, h2, n)
}

// removeAll takes n occurrences from each of the hashes that a key has: one,
// and one more for each level of its range.
func (s *Sketch) removeAll(h1s, h2s []uint64, n uint64) error {
	if !s.Additive() {
		return fmt.Errorf("remove from a sketch of method %s: %w", s.what(), sketch.ErrNotAdditive)
	}
	total, known := s.Total()
	if known && n > total {
		return fmt.Errorf("remove %d of %d in total: %w", n, total, sketch.ErrTooMany)
	}
	if s.gather != nil {
		if err := s.gather.remove(h1s, h2s, n); err != nil {
			return err
		}
	} else if err := s.removeFirst(h1s, h2s, n); err != nil {
		return err
	}
	keyed.Shrink(&s.Base, n)
	if s.gather == nil && s.method.recurring() {
		for i := range h1s {
			s.removeSecond(h1s[i], h2s[i], n)
		}
	}
	return nil
}

// removeFirst takes n from the first filter for each hash. Two hashes of one
// key may share a counter, so that only doing it shows whether it can be done:
// what was done is undone where it cannot.
func (s *Sketch) removeFirst(h1s, h2s []uint64, n uint64) error {
	var room [MaxK]uint32
	pos := room[:s.k]
	for i := range h1s {
		s.shape.first.positions(pos, h1s[i], h2s[i])
		have := s.first.least(pos)
		if n <= have {
			s.first.sub(pos, n)
			continue
		}
		for i--; i >= 0; i-- {
			s.shape.first.positions(pos, h1s[i], h2s[i])
			s.first.add(pos, n)
		}
		return fmt.Errorf("remove %d of a key whose estimate is %d: %w", n, have, sketch.ErrTooMany)
	}
	return nil
}

// what is the method, or what became of it.
func (s *shape) what() string {
	if s.product {
		return s.method.String() + " that is a product"
	}
	return s.method.String()
}
