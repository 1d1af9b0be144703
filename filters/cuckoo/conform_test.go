package cuckoo

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// The kit adds a key up to a thousand times at once. A multiset holds it at most 2*slots times, and
// seldom so many of many keys. So a subject of a multiset adds at most one or two of a key to its
// filter. It keeps the number of the others itself, and removes those first. The filter has at least
// one as long as the kit counts one, as the law Set requires. The numbers follow a filter through its
// BLOB, by the BLOB's hash.
type subject struct {
	*Sketch
	counts
	known *registry
}

type counts struct{ held, over map[uint64]uint64 }

func (c counts) clone() counts { return counts{maps.Clone(c.held), maps.Clone(c.over)} }

type registry map[[sha256.Size]byte]counts

func (r registry) of(blob []byte) counts {
	if c, ok := r[sha256.Sum256(blob)]; ok {
		return c.clone()
	}
	return counts{map[uint64]uint64{}, map[uint64]uint64{}}
}

func (s *subject) hash(id uint64) (h1, h2 uint64) { return key.HashUint64(s.Seed(), id) }

func (s *subject) Add(id, n uint64) error {
	h1, h2 := s.hash(id)
	if !s.multiset {
		return s.Sketch.Add(h1, h2, n)
	}
	most := max(min(uint64(s.b)/2, 2), 1)
	k := min(n, most-min(s.held[id], most))
	s.held[id] += k
	s.over[id] += n - k
	return s.Sketch.Add(h1, h2, k)
}

func (s *subject) Count(id uint64) uint64 {
	h1, h2 := s.hash(id)
	n := s.Sketch.Count(h1, h2)
	if contains := s.Contains(h1, h2); contains != (n > 0) {
		panic(fmt.Sprintf("key %d: count %d, contains %v", id, n, contains))
	}
	return min(n, 1)
}

func (s *subject) Remove(id, n uint64) error {
	h1, h2 := s.hash(id)
	k := min(n, s.over[id])
	if err := s.Sketch.Remove(h1, h2, n-k); err != nil {
		return err
	}
	s.over[id] -= k
	s.held[id] -= min(n-k, s.held[id])
	return nil
}

// makeRoom removes occurrences of keys of which a union would have too many.
func (s *subject) makeRoom(o counts) error {
	for id, n := range o.held {
		if have := s.held[id]; s.multiset && have+n > uint64(s.b) {
			h1, h2 := s.hash(id)
			if err := s.Sketch.Remove(h1, h2, have); err != nil {
				return err
			}
			s.held[id], s.over[id] = 0, s.over[id]+have
		}
	}
	return nil
}

func (s *subject) join(o counts) {
	for id, n := range o.held {
		s.held[id] += n
	}
	for id, n := range o.over {
		s.over[id] += n
	}
}

func (s *subject) Union(o conform.Subject) error {
	other := o.(*subject)
	c := other.clone()
	if err := s.makeRoom(c); err != nil {
		return err
	}
	if err := s.Sketch.Union(other.Sketch); err != nil {
		return err
	}
	s.join(c)
	return nil
}

// SubtractBlob subtracts the other numbers too. If the filter then has none of a key with other
// occurrences, it adds one.
func (s *subject) SubtractBlob(blob []byte) error {
	c := s.known.of(blob)
	if err := s.Sketch.SubtractBlob(blob); err != nil {
		return err
	}
	for id, n := range c.held {
		s.held[id] -= n
	}
	for id, n := range c.over {
		s.over[id] -= n
	}
	for id, n := range s.over {
		if n > 0 && s.held[id] == 0 {
			h1, h2 := s.hash(id)
			if err := s.Sketch.Add(h1, h2, 1); err != nil {
				return err
			}
			s.held[id], s.over[id] = 1, n-1
		}
	}
	return nil
}

func (s *subject) UnionBlob(blob []byte) error {
	c := s.known.of(blob)
	if err := s.makeRoom(c); err != nil {
		return err
	}
	if err := s.Sketch.UnionBlob(blob); err != nil {
		return err
	}
	s.join(c)
	return nil
}

func (s *subject) Blob() []byte {
	blob := s.Sketch.Blob()
	if s.multiset {
		(*s.known)[sha256.Sum256(blob)] = s.clone()
	}
	return blob
}

func (s *subject) clone() counts { return s.counts.clone() }

// family returns a form of the filter with room for the kit's 5,000 keys, a few times each in a
// multiset.
func family(p Params) conform.Family {
	small := p
	p.Capacity, small.Capacity = 60_000, 90
	if p.Duplicates {
		small.Capacity = 150
	}
	known := &registry{}
	make1 := func(p Params) func() conform.Subject {
		return func() conform.Subject {
			s, err := New(p)
			if err != nil {
				panic(err)
			}
			return &subject{Sketch: s, counts: known.of(nil), known: known}
		}
	}
	// The buckets have 2^f - 1 pairs of bucket and fingerprint each. At most 2 of these find one of the
	// 1,000 keys of the kit's test.
	s, err := New(p)
	if err != nil {
		panic(err)
	}
	rate := 2 * 1000 / (float64(s.buckets) * float64(s.base))
	return conform.Family{
		New: make1(p), Small: make1(small), Check: Check,
		Drawn: func(r *rand.Rand) func() conform.Subject {
			p := p
			p.Capacity, p.Seed = conform.Size(r, 60), r.Uint64()
			return make1(p)
		},
		// The bucket of a fingerprint depends on the keys that were added before it.
		Laws: conform.Laws{Set: true, Alone: true, Fills: true, Deletable: p.Duplicates},
		Decode: func(blob []byte) (conform.Subject, error) {
			s, err := Decode(blob)
			if err != nil {
				return nil, err
			}
			return &subject{Sketch: s, counts: known.of(blob), known: known}, nil
		},
		Look: func(blob []byte, id uint64) (uint64, error) {
			v, err := NewView(blob)
			if err != nil {
				return 0, err
			}
			h1, h2 := key.HashUint64(v.Seed(), id)
			return min(v.Count(h1, h2), 1), nil
		},
		Load: 1000, Absent: rate,
	}
}

// everyForm returns all combinations of the flags. Buckets of one word, of several and of two slots are
// among them.
func everyForm() []Params {
	var all []Params
	for _, variant := range []Variant{Plain, Tagged} {
		for _, variable := range []bool{false, true} {
			for _, duplicates := range []bool{false, true} {
				all = append(all, Params{Variant: variant, VariableLength: variable, Duplicates: duplicates, Seed: 9})
			}
		}
	}
	return append(all,
		Params{VariableLength: true, Duplicates: true, FingerprintBits: 20, Slots: 8},
		Params{Variant: Tagged, Duplicates: true, FingerprintBits: 21, Slots: 3},
		Params{Variant: Tagged, VariableLength: true, Duplicates: true, FingerprintBits: 17, Slots: 2},
		Params{VariableLength: true, FingerprintBits: 6, Slots: 5},
		Params{Slots: 1, FingerprintBits: 16, Variant: Tagged},
	)
}

func (p Params) name() string {
	p = p.WithDefaults()
	return fmt.Sprintf("%v/%dx%d/variable=%v/duplicates=%v", p.Variant, p.Slots, p.FingerprintBits, p.VariableLength, p.Duplicates)
}

func TestConformance(t *testing.T) {
	for i, p := range everyForm() {
		// Half of the combinations of the first eight, which differ in pairs, but
		// with CCBF_LONG=1 all of them.
		if i < 8 && bits.OnesCount(uint(i))%2 != 0 && os.Getenv("CCBF_LONG") != "1" {
			continue
		}
		t.Run(p.name(), func(t *testing.T) { conform.Run(t, family(p)) })
	}
}

func FuzzBlob(f *testing.F) { conform.Fuzz(f, family(Params{Duplicates: true})) }
func FuzzBlobVariable(f *testing.F) {
	conform.Fuzz(f, family(Params{VariableLength: true, Duplicates: true}))
}
func FuzzBlobWide(f *testing.F) {
	conform.Fuzz(f, family(Params{VariableLength: true, FingerprintBits: 20, Slots: 8}))
}
func FuzzOps(f *testing.F) {
	conform.FuzzOps(f, family(Params{VariableLength: true, Duplicates: true, Variant: Tagged}))
}
