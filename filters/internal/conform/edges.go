package conform

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Saturation checks counters that reach 2^64-1. They stay there through additions, removals, unions and
// BLOBs; the sketch is saturated and its total is unknown.
func Saturation[P comparable, S keyed.Mergeable[S], V any](t *testing.T, f *keyed.Family[P, S, V], all []P) {
	t.Helper()
	k := []byte("k")
	for _, p := range all {
		s := Made(t, f, p)
		base := keyed.BaseOf(s)
		expect := func(when string, count, total uint64, known, saturated bool) {
			t.Helper()
			n, is := base.Total()
			if f.Count(s, k) != count || n != total || is != known || base.Saturated() != saturated {
				t.Fatalf("%+v, %s: count %d, total %d (known %v), saturated %v", p, when, f.Count(s, k), n, is, base.Saturated())
			}
		}
		must(t, f.AddKey(s, k, math.MaxUint64-1))
		expect("one below the ceiling", math.MaxUint64-1, math.MaxUint64-1, true, false)
		must(t, f.AddKey(s, k, 5))
		expect("at the ceiling", math.MaxUint64, 0, false, true)
		if f.Laws(p).Deletable {
			must(t, f.RemoveKey(s, k, 100))
			expect("after a removal", math.MaxUint64, 0, false, true)
		}
		d, err := f.Decode(s.Blob())
		must(t, err)
		if !keyed.BaseOf(d).Saturated() {
			t.Fatalf("%+v: decoded, it is not saturated", p)
		}
		must(t, s.Union(d))
		expect("united", math.MaxUint64, 0, false, true)
		empty := Made(t, f, p)
		must(t, empty.Union(d))
		if _, known := keyed.BaseOf(empty).Total(); known || !keyed.BaseOf(empty).Saturated() {
			t.Fatalf("%+v: united with a saturated sketch, an empty one has a total (%v) or is not saturated", p, known)
		}
		must(t, f.Check(s.Blob()))
	}
}

// RefusedRemovals adds six keys, each as often as weight, to small sketches whose keys share counters.
// It then removes keys at random. A removal that finds too little at a later counter of the key must
// leave the earlier ones unchanged.
func RefusedRemovals[P comparable, S keyed.Mergeable[S], V any](t *testing.T, f *keyed.Family[P, S, V], weight uint64, all []P) {
	t.Helper()
	for _, p := range all {
		s, r, refused := Made(t, f, p), rand.New(rand.NewPCG(7, 7)), 0
		for id := range int64(6) {
			must(t, f.AddKey(s, key.AppendInt64(nil, 40*id), weight))
		}
		before := s.Blob()
		for range 2000 {
			err := f.RemoveKey(s, key.AppendInt64(nil, r.Int64N(256)), 1+r.Uint64N(weight+1))
			if err == nil {
				s, err = f.Decode(before)
				must(t, err)
				continue
			}
			if !errors.Is(err, sketch.ErrTooMany) {
				t.Fatal(err)
			}
			refused++
			same(t, "a refused removal", before, s.Blob())
		}
		if refused < 100 {
			t.Errorf("%+v: only %d removals were refused", p, refused)
		}
	}
}
