package conform

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// Keyed returns a form of a family of sketches of keys. Sketches of params have room for the random
// operations with about 5,000 keys. Sketches of small have a BLOB of a few KiB with 50 keys. drawn
// draws others (Family.Drawn). makes is the constructor, such as New. Laws are those that the family states.
func Keyed[P comparable, S keyed.Mergeable[S], V any](
	f *keyed.Family[P, S, V], name string, params, small P, drawn func(r *rand.Rand) P, makes func(P) (S, error),
) Family {
	of := func(p P) func() Subject {
		return func() Subject {
			s, err := makes(p)
			if err != nil {
				panic(err) // parameters that a test states
			}
			return keyedSubject[P, S, V]{f, s}
		}
	}
	return Family{
		Name: name, New: of(params), Small: of(small), Laws: f.Laws(params), Check: f.Check, NeverSubtracts: !f.Subtracts(),
		Drawn: func(r *rand.Rand) func() Subject { return of(drawn(r)) },
		Decode: func(blob []byte) (Subject, error) {
			s, err := f.Decode(blob)
			if err != nil {
				return nil, err
			}
			return keyedSubject[P, S, V]{f, s}, nil
		},
		Look: func(blob []byte, id uint64) (uint64, error) { return f.CountBlob(blob, bytesOf(id)) },
		Describe: func(blob []byte) {
			if r := f.Reader(); r.Open(blob) == nil {
				_ = r.Info(nil)
				_, _ = r.Rows()
			}
			_, _ = f.Family.Describe(blob)
		},
	}
}

// keyedSubject makes a sketch of a family a Subject, whose keys are integers.
type keyedSubject[P comparable, S keyed.Mergeable[S], V any] struct {
	f *keyed.Family[P, S, V]
	s S
}

func bytesOf(id uint64) []byte { return binary.LittleEndian.AppendUint64(nil, id) }

func (k keyedSubject[P, S, V]) Add(id, n uint64) error    { return k.f.AddKey(k.s, bytesOf(id), n) }
func (k keyedSubject[P, S, V]) Remove(id, n uint64) error { return k.f.RemoveKey(k.s, bytesOf(id), n) }
func (k keyedSubject[P, S, V]) Count(id uint64) uint64    { return k.f.Count(k.s, bytesOf(id)) }
func (k keyedSubject[P, S, V]) Blob() []byte              { return k.s.Blob() }
func (k keyedSubject[P, S, V]) UnionBlob(b []byte) error  { return k.f.UnionBlob(k.s, b) }
func (k keyedSubject[P, S, V]) SubtractBlob(b []byte) error {
	return k.f.SubtractBlob(k.s, b)
}

func (k keyedSubject[P, S, V]) Union(o Subject) error {
	return k.s.Union(o.(keyedSubject[P, S, V]).s)
}
