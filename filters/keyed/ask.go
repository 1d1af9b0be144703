package keyed

import (
	"errors"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// This file makes sketches, answers a family's most important question for one key, and makes BLOBs.

// New makes an empty sketch.
func (f *Family[P, S, V]) New(p P) (S, error) { return f.spec.New(p) }

// Gather makes an empty sketch that is built once and then encoded.
func (f *Family[P, S, V]) Gather(p P) (S, error) { return f.spec.Gather(p) }

// Count returns the number of occurrences of a key by the first question. If that asks whether the key
// is there, it returns 1 or 0. The key is given by its bytes (package key).
func (f *Family[P, S, V]) Count(s S, b []byte) uint64 { return f.countIn(s, b) }

// countIn is Count for a sketch or a view.
func (f *Family[P, S, V]) countIn(s baseHolder, b []byte) uint64 {
	h1, h2 := key.Hash(s.self().seed, b)
	if f.spec.Questions[0].Kind == HowOften {
		n := []uint64{0}
		s.(counter).CountHashes(n, []uint64{h1}, []uint64{h2})
		return n[0]
	}
	is := []bool{false}
	s.(container).ContainsHashes(is, []uint64{h1}, []uint64{h2})
	if is[0] {
		return 1
	}
	return 0
}

// CountBlob is Count from a BLOB's memory.
func (f *Family[P, S, V]) CountBlob(blob, b []byte) (uint64, error) {
	v, err := f.spec.View(blob)
	if err != nil {
		return 0, err
	}
	return f.countIn(any(&v).(baseHolder), b), nil
}

// Later is a sketch that adds very many keys faster if it may defer them. Later may be called on a
// sketch without keys. The sketch then may keep the keys, for which it is larger. Until Finish it may
// only be added to, united with others like it, and copied. If Finish returns an error because keys do
// not fit, some of them may be in the sketch.
type Later interface {
	Later()
	// Finish adds the keys that were kept and returns the BLOB.
	Finish() ([]byte, error)
}

// Finish returns the BLOB of a sketch, whether it keeps keys (Later) or not.
func Finish(s Sketch) ([]byte, error) {
	if l, ok := s.(Later); ok {
		return l.Finish()
	}
	return s.Blob(), nil
}

// MarshalBinary returns the BLOB of a sketch. A zero Sketch is an error.
func MarshalBinary(s Sketch) ([]byte, error) {
	if !s.self().isMade {
		return nil, errors.New("a zero Sketch has no BLOB: New or Decode makes a sketch")
	}
	return Finish(s)
}
