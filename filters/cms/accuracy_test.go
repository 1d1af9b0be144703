package cms

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// stream returns n keys, few of them frequent.
func stream(seed uint64, n, keys int) []uint64 {
	r := rand.New(rand.NewPCG(seed, 1))
	z := rand.NewZipf(r, 1.1, 10, uint64(keys-1))
	s := make([]uint64, n)
	for i := range s {
		s[i] = z.Uint64()
	}
	return s
}

func build(t testing.TB, p Params, stream []uint64) (*Sketch, map[uint64]uint64) {
	s, truth := mustNew(t, p), map[uint64]uint64{}
	for _, v := range stream {
		h1, h2 := key.HashUint64(p.Seed, v)
		s.Add(h1, h2, 1)
		truth[v]++
	}
	return s, truth
}

// An estimate exceeds the truth by more than epsilon times the total with a probability of at most
// delta (Cormode and Muthukrishnan 2005, theorem 1). Errors of keys of one sketch depend on each other.
// So each of many sketches with different seeds is queried for one key. These trials are independent:
// the bound is delta and 4 sigma.
func TestErrorBound(t *testing.T) {
	const trials = 2000
	for _, p := range []Params{
		{Width: 20, Depth: 1}, {Width: 20, Depth: 2}, {Width: 50, Depth: 3}, {Width: 20, Depth: 4}, {Width: 300, Depth: 2},
	} {
		keys := stream(1, 500, 3000)
		beyond := 0
		var delta float64
		for seed := range uint64(trials) {
			p.Seed = seed
			s, _ := build(t, p, keys)
			var excess float64
			excess, delta = s.ErrorBound()
			h1, h2 := key.HashUint64(seed, 1<<40)
			if float64(s.Count(h1, h2)) > excess {
				beyond++
			}
		}
		most := trials*delta + 4*math.Sqrt(trials*delta*(1-delta))
		if float64(beyond) > most {
			t.Errorf("%d x %d: %d of %d estimates are beyond the bound, at most %.1f (delta %.4f and 4 sigma)", p.Depth, p.Width, beyond, trials, most, delta)
		}
		t.Logf("%d x %d: %d of %d beyond the bound, delta allows %.1f", p.Depth, p.Width, beyond, trials, trials*delta)
	}
}

// The default sketch keeps its promise for the keys of one stream. The conservative one is nowhere
// further from the truth.
func TestConservativeIsCloser(t *testing.T) {
	keys := stream(2, 300_000, 100_000)
	plain, truth := build(t, Params{}, keys)
	conservative, _ := build(t, Params{Conservative: true}, keys)
	var far int
	var sums [2]float64
	excess, _ := plain.ErrorBound()
	for v, n := range truth {
		h1, h2 := key.HashUint64(0, v)
		a, b := plain.Count(h1, h2), conservative.Count(h1, h2)
		if b < n || a < b {
			t.Fatalf("key %d: true %d, conservative %d, plain %d", v, n, b, a)
		}
		sums[0] += float64(a - n)
		sums[1] += float64(b - n)
		if float64(a-n) > excess {
			far++
		}
	}
	t.Logf("%d keys: mean excess %.1f plain, %.1f conservative; %d beyond the bound of %.0f", len(truth),
		sums[0]/float64(len(truth)), sums[1]/float64(len(truth)), far, excess)
	// The fraction of the keys beyond the bound is delta on average. By Markov's inequality it is
	// beyond 10 delta in at most one sketch of ten. This one is seeded.
	if float64(far) > 0.1*float64(len(truth)) {
		t.Errorf("%d of %d keys are beyond the bound", far, len(truth))
	}
}

// JoinSize is never below the truth. With a probability of at most delta it is too high by more than
// e/width times the product of the totals (section 4.2).
func TestJoinSize(t *testing.T) {
	const trials = 500
	a, b := stream(3, 400, 1000), stream(4, 300, 1000)
	p := Params{Width: 60, Depth: 2}
	_, ta := build(t, p, a)
	_, tb := build(t, p, b)
	var truth uint64
	for v, n := range ta {
		truth += n * tb[v]
	}
	beyond := 0
	for seed := range uint64(trials) {
		p.Seed = seed
		sa, _ := build(t, p, a)
		sb, _ := build(t, p, b)
		hi, lo, err := JoinSize(sa, sb)
		if err != nil || hi != 0 || lo < truth {
			t.Fatalf("%d %d, true size %d, error %v", hi, lo, truth, err)
		}
		if h, l, err := JoinSizeBlobs(sa.Blob(), sb.Blob()); h != hi || l != lo || err != nil {
			t.Fatalf("of BLOBs %d %d, of sketches %d %d, error %v", h, l, hi, lo, err)
		}
		if float64(lo-truth) > math.E/60*float64(len(a))*float64(len(b)) {
			beyond++
		}
	}
	delta := math.Exp(-2)
	if most := trials*delta + 4*math.Sqrt(trials*delta*(1-delta)); float64(beyond) > most {
		t.Errorf("%d of %d are beyond the bound, at most %.1f", beyond, trials, most)
	}
}

func TestJoinSizeIsWide(t *testing.T) {
	a, b := mustNew(t, Params{Width: 3, Depth: 1}), mustNew(t, Params{Width: 3, Depth: 1})
	a.AddKey([]byte("x"), math.MaxUint64-1)
	b.AddKey([]byte("x"), 1<<32)
	if hi, lo, err := JoinSize(a, b); err != nil || hi != 1<<32-1 || lo != 1<<64-2<<32 {
		t.Errorf("(2^64-2) * 2^32 = %#x %#x, error %v", hi, lo, err)
	}
	// A counter at 2^64-1 can stand for more.
	a.AddKey([]byte("x"), 5)
	if hi, lo, err := JoinSize(a, b); err != nil || hi != math.MaxUint64 || lo != math.MaxUint64 {
		t.Errorf("of a saturated counter: %#x %#x, error %v", hi, lo, err)
	}
	if hi, lo, err := JoinSize(a, mustNew(t, Params{Width: 3, Depth: 1})); err != nil || hi != 0 || lo != 0 {
		t.Errorf("of a saturated counter and none: %#x %#x, error %v", hi, lo, err)
	}
	// Three counters of 2^64-1 squared do not fit 128 bits.
	full := mustNew(t, Params{Width: 3, Depth: 1})
	for i := range uint64(100) {
		h1, h2 := key.HashUint64(0, i)
		full.Add(h1, h2, math.MaxUint64)
	}
	if hi, lo, err := JoinSize(full, full); err != nil || hi != math.MaxUint64 || lo != math.MaxUint64 {
		t.Errorf("the largest: %#x %#x, error %v", hi, lo, err)
	}
	c := mustNew(t, Params{Conservative: true})
	if _, _, err := JoinSize(c, c); !errors.Is(err, sketch.ErrNotAdditive) {
		t.Errorf("conservative: %v", err)
	}
}
