package keyed

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Base is the part of a sketch of keys that all families share: seed, class of keys, number of
// occurrences, and flags of the header. A family embeds it in its Sketch and in its View, which gives
// both the methods, and changes it by the functions.
type Base struct {
	seed, total uint64
	flags       sketch.Flags
	class       key.Class
	isMade      bool // true if New or Read made the sketch
	bytes       int  // length of the BLOB that Read read
}

// MustBeMade panics if b is the zero value, so neither New nor Decode nor NewView of a family made the
// sketch or the view. The methods that add keys, answer queries, combine or encode call it.
func (b *Base) MustBeMade() {
	if !b.isMade {
		panic("a zero Sketch or View is used: New, Decode or NewView makes one")
	}
}

// self returns the Base of a sketch or a view that embeds it.
func (b *Base) self() *Base { return b }

// New returns the base of a sketch without keys. The total is known. flags are the family's own.
func New(seed uint64, flags sketch.Flags) Base {
	return Base{seed: seed, flags: flags | sketch.TotalKnown, isMade: true}
}

// Read returns the parts of a family's BLOB, the base of its header, and a Reader of its parameters. The flags
// may be those allowed and sketch.TotalKnown. An error of the header is the Reader's.
func Read(id sketch.ID, blob []byte, allowed sketch.Flags) (b sketch.Blob, base Base, params sketch.Reader) {
	b, err := sketch.ParseAs(id, blob)
	extra, class := b.Flags&^(allowed|sketch.TotalKnown), key.Class(b.KeyClass)
	switch {
	case err != nil:
	case extra != 0:
		err = sketch.Invalidf("flags %#x, which %v does not have", uint16(extra), id)
	case b.Levels != 0:
		err = sketch.Invalidf("%d levels, which %v does not have", b.Levels, id)
	case !class.Known():
		err = sketch.Invalidf("key class %d", b.KeyClass)
	}
	params = *sketch.NewReader("parameters", b.Params)
	params.Fail(err)
	return b, Base{seed: b.Seed, total: b.Total, flags: b.Flags, class: class, isMade: true, bytes: len(blob)}, params
}

// Header returns the header of a BLOB of this sketch.
func Header(b Base, id sketch.ID) sketch.Header {
	b.MustBeMade()
	return sketch.Header{Family: id, Flags: b.flags, KeyClass: uint64(b.class), Seed: b.seed, Total: b.total}
}

// Emptied returns the base of the sketch before its first key.
func (b *Base) Emptied() Base {
	b.MustBeMade()
	return New(b.seed, b.flags&^sketch.Saturated)
}

// Seed returns the seed of the keys' hashes.
func (b *Base) Seed() uint64 { return b.seed }

// KeyClass returns the class of the keys, key.None before the first.
func (b *Base) KeyClass() key.Class { return b.class }

// SetKeyClass sets the class of the keys. The first call decides; a
// later one with another class is a *key.ClassError.
func (b *Base) SetKeyClass(c key.Class) error {
	b.MustBeMade()
	if b.class != key.None && b.class != c {
		return &key.ClassError{From: c, To: b.class}
	}
	b.class = c
	return nil
}

// Total returns the number of occurrences that were added, less those removed. It is unknown once it
// exceeded 2^64-1.
func (b *Base) Total() (total uint64, known bool) {
	return b.total, b.flags.Has(sketch.TotalKnown)
}

// Additive reports whether counters are sums of occurrences, so that occurrences can be removed.
func (b *Base) Additive() bool { return b.flags.Has(sketch.Additive) }

// Saturated reports whether a counter reached its ceiling.
func (b *Base) Saturated() bool { return b.flags.Has(sketch.Saturated) }

// Saturate records that a counter reached its ceiling, if it did.
func Saturate(b *Base, did bool) {
	if did {
		b.flags |= sketch.Saturated
	}
}

// SetSaturated records whether a counter is at its ceiling.
func SetSaturated(b *Base, is bool) {
	b.flags &^= sketch.Saturated
	if is {
		b.flags |= sketch.Saturated
	}
}

// Grow adds occurrences to the total.
func Grow(b *Base, n uint64) {
	b.MustBeMade()
	if b.flags.Has(sketch.TotalKnown) {
		if b.total += n; b.total < n {
			Forget(b)
		}
	}
}

// GrowAll is Grow for many keys: ns[i] occurrences of each, or one if ns is nil.
func GrowAll(b *Base, keys int, ns []uint64) {
	if ns == nil {
		Grow(b, uint64(keys))
	}
	for _, n := range ns {
		Grow(b, n)
	}
}

// Shrink subtracts occurrences from the total. It returns false and changes nothing if there are fewer,
// which happens only in a BLOB that no sketch wrote.
func Shrink(b *Base, n uint64) bool {
	if !b.flags.Has(sketch.TotalKnown) {
		return true
	}
	if n > b.total {
		return false
	}
	b.total -= n
	return true
}

// Part returns nil if the occurrences of other can be part of those of b as far as totals show. Agree
// must be nil for the two. The error wraps sketch.ErrTooMany.
func Part(b, other Base) error {
	have, known := b.Total()
	switch n, ofOther := other.Total(); {
	case !known || ofOther && n <= have:
		return nil
	case !ofOther: // the other total passed 2^64-1, so it is not known
		return fmt.Errorf("subtract more than 2^64-1 of %d in total: %w", have, sketch.ErrTooMany)
	default:
		return fmt.Errorf("subtract %d of %d in total: %w", n, have, sketch.ErrTooMany)
	}
}

// ErrNoPart is the error for a sketch whose counters exceed those of the sketch that it is subtracted
// from.
var ErrNoPart = fmt.Errorf("subtract a sketch with occurrences that are not in this one: %w", sketch.ErrTooMany)

// Forget makes the total unknown.
func Forget(b *Base) {
	b.total = 0
	b.flags &^= sketch.TotalKnown
}

// Agree returns nil for sketches whose keys have one seed and one class. The error wraps
// sketch.ErrDiffer. A sketch without keys has no class and agrees with any.
func Agree(a, b Base) error {
	a.MustBeMade()
	b.MustBeMade()
	switch {
	case a.seed != b.seed:
		return sketch.Differ("seed", a.seed, b.seed)
	case a.class != b.class && a.class != key.None && b.class != key.None:
		return sketch.Differ("class of keys", a.class, b.class)
	}
	return nil
}

// Unite adds the base of another sketch, for which Agree is nil, to b: its class of keys, its
// occurrences, and whether it is saturated.
func Unite(b *Base, other Base) {
	if b.class == key.None {
		b.class = other.class
	}
	b.flags |= other.flags & sketch.Saturated
	if !other.flags.Has(sketch.TotalKnown) {
		Forget(b)
	}
	Grow(b, other.total)
}
