package bloom

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// subject adapts a Sketch to the conformance kit.
type subject struct{ *Sketch }

func (s subject) Add(id, n uint64) error {
	h1, h2 := key.HashUint64(s.Seed(), id)
	s.Sketch.Add(h1, h2, n)
	return nil
}

func (s subject) Count(id uint64) uint64 {
	h1, h2 := key.HashUint64(s.Seed(), id)
	return count(&s.filter, h1, h2)
}

func count(f *filter, h1, h2 uint64) uint64 {
	if f.Contains(h1, h2) {
		return 1
	}
	return 0
}

func (s subject) Union(o conform.Subject) error { return s.Sketch.Union(o.(subject).Sketch) }

// family is a form of filter: 12 bits for each of 5,000 keys, so that a bit
// that is not set is a key that is missed; and for small BLOBs 6 bits for each
// of 50. keep is the part of the bits that a shrink leaves, 0 without one.
func family(name string, p Params, keep float64) conform.Family {
	p.Seed = 9
	p.Bits = 60_013 // a prime, of binary digits 1110101001101101
	made := func(p Params) conform.Subject {
		s, err := New(p)
		if err != nil {
			panic(err)
		}
		if keep != 0 {
			if err := s.Shrink(uint64(keep*float64(len(s.Blob())-paramsSize-48)) + paramsSize + 48); err != nil {
				panic(err)
			}
		}
		return subject{s}
	}
	small := p
	small.Bits = 299 // 100101011
	const load = 5000
	return conform.Family{
		Name:  name,
		New:   func() conform.Subject { return made(p) },
		Small: func() conform.Subject { return made(small) },
		Laws:  conform.Laws{OrderFree: true, UnionCommutes: true, UnionEqualsWhole: true, Set: true},
		Check: Check,
		Drawn: func(r *rand.Rand) func() conform.Subject {
			p := p
			p.Bits, p.Seed = conform.Size(r, 300), r.Uint64()
			if p.K = 64 * r.Float64(); p.Variant == Standard {
				p.K = float64(1 + r.IntN(64))
			}
			return func() conform.Subject {
				s, err := New(p)
				if err != nil {
					panic(err)
				}
				return subject{s}
			}
		},
		Decode: func(blob []byte) (conform.Subject, error) {
			s, err := Decode(blob)
			if err != nil {
				return nil, err
			}
			return subject{s}, nil
		},
		Look: func(blob []byte, id uint64) (uint64, error) {
			v, err := NewView(blob)
			if err != nil {
				return 0, err
			}
			h1, h2 := key.HashUint64(v.Seed(), id)
			return count(&v.filter, h1, h2), nil
		},
		// The mean, and four sigma of the one filter's fill.
		Load: load, Absent: made(p).(subject).FPPAt(load) + 4*rateSigma(&made(p).(subject).filter, load),
	}
}

var families = []conform.Family{
	family("standard", Params{K: 4}, 0),
	family("rational", Params{K: 4.3, Variant: Rational}, 0),
	family("by position", Params{K: 4.3, Variant: Rational, Activation: ByPosition}, 0),
	family("blocks", Params{K: 4.3, Variant: Blocks}, 0),
	family("shrunk", Params{K: 4.3, Variant: Blocks}, 0.9),
}

func TestConformance(t *testing.T) {
	for _, f := range families {
		t.Run(f.Name, func(t *testing.T) { conform.Run(t, f) })
	}
}

func FuzzBlob(f *testing.F)         { conform.Fuzz(f, families[0]) }
func FuzzBlobRational(f *testing.F) { conform.Fuzz(f, families[1]) }
func FuzzBlobShrunk(f *testing.F)   { conform.Fuzz(f, families[4]) }
func FuzzOps(f *testing.F)          { conform.FuzzOps(f, families[3]) }
