package bloom

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// agree returns nil for filters that may be used together. Otherwise it returns an error that wraps
// sketch.ErrDiffer and names both values.
func agree(a, b *filter) error {
	if a.variant == b.variant && a.doubled(&b.form) != 0 {
		return keyed.Agree(a.Base, b.Base)
	}
	return cmp.Or(
		sketch.Same("variant", a.variant, b.variant),
		sketch.Same("bits", a.size, b.size),
		sketch.Same("bits kept", fraction{a.kept, a.size}, fraction{b.kept, b.size}),
		sketch.Same("k", a.k, b.k),
		sketch.Same("activation", a.activation, b.activation),
		sketch.Same("capacity", a.capacity, b.capacity),
		keyed.Agree(a.Base, b.Base),
	)
}

// fraction is a number of bits out of all.
type fraction struct{ n, all uint64 }

func (f fraction) String() string { return fmt.Sprintf("%d of %d", f.n, f.all) }

// Union adds the keys of other, which is unchanged and must agree in everything except its keys
// (sketch.ErrDiffer). The union of filters of parts is the filter of the whole, to the byte. Filters
// that grew (Params.Grow) may differ in size by a power of two. They unite in the larger size: every
// bit of the smaller one sets all bits that fold to it. So no key is lost, FPP follows from the bits
// that are set, and the total is not known. The union of two that still gather is the filter of the
// whole, to the byte. O(m).
func (s *Sketch) Union(other *Sketch) error {
	if s.keys != nil && other.keys != nil {
		return s.uniteKeys(other)
	}
	to, from, err := s.join(other)
	if err != nil {
		return err
	}
	for i := 0; i+8 <= len(to); i += 8 {
		binary.LittleEndian.PutUint64(to[i:], binary.LittleEndian.Uint64(to[i:])|binary.LittleEndian.Uint64(from[i:]))
	}
	return nil
}

// join gives s the larger of both sizes, and the keys' class and the total of both. It returns the bits of s, and
// those of other in this size.
func (s *Sketch) join(other *Sketch) (to, from []byte, err error) {
	o := other.finished()
	if err := agree(s.finished(), o); err != nil {
		return nil, nil, err
	}
	o = s.sameSize(o)
	keyed.Unite(&s.Base, o.Base)
	return s.bits, o.bits[:len(s.bits)], nil
}

// Intersect keeps the bits that other has too, which is unchanged and must agree as for Union. Every
// key that is in both is still contained. An absent key is contained no more often than in either, but
// more often than in a filter of the common keys alone. The total is unknown afterwards. O(m).
func (s *Sketch) Intersect(other *Sketch) error {
	to, from, err := s.join(other)
	if err != nil {
		return err
	}
	keyed.Forget(&s.Base)
	for i := 0; i+8 <= len(to); i += 8 {
		binary.LittleEndian.PutUint64(to[i:], binary.LittleEndian.Uint64(to[i:])&binary.LittleEndian.Uint64(from[i:]))
	}
	return nil
}

// IntersectBlob is Intersect with the filter of a BLOB, as UnionBlob is Union.
func (s *Sketch) IntersectBlob(blob []byte) error {
	v, err := Family.Verified(blob)
	if err != nil {
		return err
	}
	return s.Intersect(v.sketch())
}

// Shrink drops blocks until the BLOB has at most size bytes, and keeps as many bits as it can. Only the
// variant Blocks can shrink. A size that leaves no block is an error (sketch.ErrOption), and an error
// changes nothing. No key is lost. A key's positions in the dropped blocks are no longer checked. So
// the false positive rate grows, about to FPP to the power of Bits after over Bits before. FPP and
// FPPAt return it exactly. Shrunk filters still take keys, and unite with filters of the same blocks.
// O(m). Walther et al., section 3.
func (s *Sketch) Shrink(size uint64) error {
	if s.variant != Blocks {
		return fmt.Errorf("shrink a filter of variant '%v': only '%v' has blocks to drop", s.variant, Blocks)
	}
	smallest := s.kept & -s.kept
	around := mostAround + sketch.ClassMore(uint64(s.KeyClass()))
	least := around + 8*((smallest+63)/64)
	if size < least {
		return sketch.OptionError("bytes", "is %d, must be at least %d, which the smallest block takes", size, least)
	}
	room := (size - around) / 8 * 64
	to := s.form
	to.kept = 0
	for _, block := range s.Blocks() { // each block is larger than all later blocks together
		if to.kept+block <= room {
			to.kept += block
		}
	}
	if to.kept == s.kept {
		return nil
	}
	b := make([]byte, 8*to.words())
	from, at := uint64(0), uint64(0)
	for _, block := range s.Blocks() {
		if to.kept&block != 0 {
			move(b, at, s.bits, from, block)
			at += block
		}
		from += block
	}
	s.form, s.route, s.bits = to, to.route(), b
	return nil
}

// move copies a block between positions that are multiples of its size.
func move(dst []byte, at uint64, src []byte, from, size uint64) {
	if size >= 64 {
		copy(dst[at/8:(at+size)/8], src[from/8:])
		return
	}
	word := binary.LittleEndian.Uint64(src[from/64*8:]) >> (from % 64) & (1<<size - 1)
	b := dst[at/64*8:]
	binary.LittleEndian.PutUint64(b, binary.LittleEndian.Uint64(b)|bits.RotateLeft64(word, int(at%64)))
}
