package bloom

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func gathering(t testing.TB, p Params, from, to uint64) *Sketch {
	t.Helper()
	p.Grow = true
	s, err := NewGathering(p)
	if err != nil {
		t.Fatal(err)
	}
	for i := from; i < to; i++ {
		h1, h2 := key.HashUint64(p.Seed, i)
		s.Add(h1, h2, 1)
	}
	return s
}

func decode(t testing.TB, s *Sketch) *Sketch {
	t.Helper()
	d, err := Decode(s.Blob())
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestGrow: whatever the number of keys, the filter equals one that New makes in the same size. It has
// at most twice the size that the keys need. It finds absent keys at the rate of the option fpp: at
// most the mean of a binomial sample of 20,000 and four standard deviations.
func TestGrow(t *testing.T) {
	for _, fpp := range []float64{0.3, 0.01, 1e-4} {
		for _, n := range []uint64{0, 1, 16, 17, 1000, 1024, 1025, 30_000} {
			g := gathering(t, Params{FPP: fpp, Seed: 5}, 0, n)
			s := decode(t, g)
			if !bytes.Equal(g.Blob(), s.Blob()) {
				t.Fatal("a BLOB that comes back is another")
			}
			capacity := s.Capacity()
			if capacity < n || capacity >= 2*max(n, FirstStep) && n > 0 {
				t.Errorf("fpp %v, %d keys: a capacity of %d", fpp, n, capacity)
			}
			need, err := sizeFor(FirstStep, fpp, math.Ceil(-math.Log2(fpp)), 1)
			if err != nil || s.Bits() != need*(capacity/FirstStep) {
				t.Errorf("fpp %v, %d keys: %d bits, %d for each %d keys, error %v", fpp, n, s.Bits(), need, FirstStep, err)
			}
			plain, err := New(Params{Bits: s.Bits(), K: s.K(), Capacity: capacity, Seed: 5})
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				h1, h2 := key.HashUint64(5, i)
				plain.Add(h1, h2, 1)
			}
			if !bytes.Equal(plain.Blob(), g.Blob()) {
				t.Errorf("fpp %v, %d keys: not the filter of that size", fpp, n)
			}
			// The expected rate is FPPAt, of one filter's fill no more than 4 sigma apart.
			most := s.FPPAt(float64(n)) + 4*rateSigma(&s.filter, float64(n))
			if got, limit := 20_000*conform.Positives(s, 20_000), 20_000*most+4*math.Sqrt(20_000*most); got > limit {
				t.Errorf("fpp %v, %d keys: %v absent ones are found, at most %.0f expected", fpp, n, got, limit)
			}
			// In some hundred bits positions of one key coincide, which fpp does not count.
			if at := s.FPPAt(float64(capacity)); at > fpp*1.02 {
				t.Errorf("fpp %v, %d keys: %v at its capacity", fpp, n, at)
			}
		}
	}
}

// TestGrowUnions: encoded filters of any sizes unite and lose no key. The order does not matter. They
// find absent keys at the rate of FPP.
func TestGrowUnions(t *testing.T) {
	r := rand.New(rand.NewPCG(17, 7))
	for range 20 {
		var parts []*Sketch
		at := uint64(0)
		for range 3 {
			n := uint64(math.Exp(r.Float64() * 9))
			parts = append(parts, gathering(t, Params{}, at, at+n))
			at += n
		}
		together := parts[0].Clone()
		for _, p := range parts[1:] {
			if err := together.Union(p); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(together.Blob(), gathering(t, Params{}, 0, at).Blob()) {
			t.Fatal("parts united in memory are not the whole")
		}
		united := decode(t, parts[0])
		for _, p := range parts[1:] {
			if err := united.UnionBlob(p.Blob()); err != nil {
				t.Fatal(err)
			}
		}
		other := decode(t, parts[2])
		for _, p := range []*Sketch{parts[0], parts[1]} {
			if err := other.Union(decode(t, p)); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(united.Blob(), other.Blob()) {
			t.Fatal("another order is another filter")
		}
		if err := Check(united.Blob()); err != nil {
			t.Fatal(err)
		}
		for i := range at {
			if h1, h2 := key.HashUint64(0, i); !united.Contains(h1, h2) {
				t.Fatalf("key %d of %d is lost", i, at)
			}
		}
		// Positions of absent keys are independent of the bits: a binomial of their rate, and
		// four standard deviations of it.
		want := united.FPP()
		if got, limit := 20_000*conform.Positives(united, 20_000), 20_000*want+4*math.Sqrt(20_000*want)+4; got > limit {
			t.Errorf("%v of 20,000 absent keys are found, %.0f at the rate %v", got, 20_000*want, want)
		}
	}
}

// TestGrowIntersects: a key of both is found.
func TestGrowIntersects(t *testing.T) {
	a, b := decode(t, gathering(t, Params{}, 0, 100)), gathering(t, Params{}, 50, 5000)
	if err := a.IntersectBlob(b.Blob()); err != nil {
		t.Fatal(err)
	}
	for i := range uint64(50) {
		if h1, h2 := key.HashUint64(0, i+50); !a.Contains(h1, h2) {
			t.Fatalf("key %d is lost", i+50)
		}
	}
}

func TestGrowErrors(t *testing.T) {
	for want, p := range map[string]Params{
		`option "bits" is 64 and "grow" is true: give one of them`:                                     {Bits: 64},
		`option "k" is given and "grow" is true, which chooses it: give "fpp"`:                         {K: 3},
		`option "variant" is 'blocks', must be 'standard' if "grow" is true`:                           {Variant: Blocks},
		`option "capacity" is 17179869184, which needs more than the 8589934592 bits that are allowed`: {Capacity: 1 << 34},
	} {
		p.Grow = true
		if _, err := NewGathering(p); !errors.Is(err, sketch.ErrOption) || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	a, b := gathering(t, Params{}, 0, 10), gathering(t, Params{FPP: 0.001}, 0, 10)
	if err := a.Union(b); !errors.Is(err, sketch.ErrDiffer) {
		t.Error(err)
	}
	fixed, err := New(Params{})
	if err != nil {
		t.Fatal(err)
	}
	if err := decode(t, a).Union(fixed); !errors.Is(err, sketch.ErrDiffer) {
		t.Error(err)
	}
	// The documentation says that the memory is 21 to 43 bytes a key.
	for _, n := range []uint64{1 << 10, 3 << 10, 3<<11 + 1} {
		if per := float64(gathering(t, Params{}, 0, n).keys.bytes()) / float64(n); per < 21 || per > 43 {
			t.Errorf("%v bytes a key of %d", per, n)
		}
	}
}

// Two filters, one with twice the bits and the capacity of the other, unite if they have the same k.
// Otherwise the union is an error, because keys would be lost.
func TestDoubledFiltersOfAnotherK(t *testing.T) {
	for _, k := range []float64{3, 4} {
		small := mustNew(t, Params{Bits: 640, K: 3, Capacity: 50})
		large := mustNew(t, Params{Bits: 1280, K: k, Capacity: 100})
		for i := range uint64(50) {
			h1, h2 := key.HashUint64(0, i)
			small.Add(h1, h2, 1)
			h1, h2 = key.HashUint64(0, 1000+i)
			large.Add(h1, h2, 1)
		}
		for _, s := range []*Sketch{small.Clone(), large.Clone()} {
			other := large
			if s.size == large.size {
				other = small
			}
			before := s.Blob()
			err := s.Union(other)
			if k != 3 {
				if !errors.Is(err, sketch.ErrDiffer) || !bytes.Equal(before, s.Blob()) {
					t.Errorf("k 3 and %v: %v", k, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for i := range uint64(50) {
				for _, v := range []uint64{i, 1000 + i} {
					if h1, h2 := key.HashUint64(0, v); !s.Contains(h1, h2) {
						t.Fatalf("key %d is lost", v)
					}
				}
			}
		}
	}
}
