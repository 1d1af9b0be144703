package udf

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/internal/memory"
)

// exactSketch returns a sketch of n points in n cells, in memory of its own.
func exactSketch(t *testing.T, n int) []byte {
	xs, ys := make([]float64, n), make([]float64, n)
	for i := range xs {
		xs[i], ys[i] = float64(i%97), float64(i/97)
	}
	s, err := ccbf.Build(ccbf.Params{Res: 1}, xs, ys)
	if err != nil {
		t.Fatal(err)
	}
	return s.Blob()
}

// TestCacheKeys checks that a copy of a sketch has the same key. Sketches of other cells have other
// keys, and so have lookups with a category.
func TestCacheKeys(t *testing.T) {
	names := make(map[cacheKey]bool)
	for n := range 2000 {
		blob := exactSketch(t, n)
		name := cacheKeyOf(blob, true)
		if cacheKeyOf(append([]byte("x"), blob...)[1:], true) != name || cacheKeyOf(blob, false) == name || names[name] {
			t.Fatalf("%d cells: a copy has another key, or another sketch the same", n)
		}
		names[name] = true
	}
}

// TestSketchCache checks that costs reach that of decoding in one thread, and again after the cache
// was emptied. The least recently used sketches make room.
func TestSketchCache(t *testing.T) {
	s := newSketchCache()
	blob := exactSketch(t, 3000)
	v, err := ccbf.NewView(blob)
	if err != nil {
		t.Fatal(err)
	}
	name, price := cacheKeyOf(blob, true), bridge.DecodedCost(&v)
	found := func(name cacheKey) bool { return s.find([]cacheKey{name}, nil)[0] != nil }
	for round := range 2 {
		var buyers sync.WaitGroup
		bought := make(chan bool, 2*price)
		for range 2 * price {
			buyers.Go(func() {
				if s.addCost(name, 1, price) {
					bought <- true
				}
			})
		}
		buyers.Wait()
		if len(bought) != 1 || found(name) {
			t.Fatalf("round %d: %d buyers, found %v", round, len(bought), found(name))
		}
		s.decode(name, &v)
		if !found(name) || s.addCost(name, price, price) {
			t.Fatalf("round %d: it is not cached, or decoded again", round)
		}
		if n := s.empty(); n == 0 || s.bytes != 0 || found(name) {
			t.Fatalf("round %d: %d bytes given up, %d left", round, n, s.bytes)
		}
	}
	before := memory.Limit()
	defer func() {
		if err := memory.SetLimit(before); err != nil {
			t.Error(err)
		}
	}()
	each, _ := bridge.DecodedBytes(&v, true)
	if err := memory.SetLimit(4 * 3 * each); err != nil { // of which a quarter holds three
		t.Fatal(err)
	}
	names := make([]cacheKey, 5)
	for i := range names {
		names[i] = cacheKeyOf(fmt.Appendf(nil, "sketch %d", i), true)
		s.addCost(names[i], price, price)
		s.decode(names[i], &v)
		found(names[0])
	}
	for i, want := range []bool{true, false, false, true, true} {
		if found(names[i]) != want {
			t.Errorf("sketch %d is cached: %v", i, !want)
		}
	}
	// If the cache is empty, and another thread decodes a sketch, there is no room for one more.
	s.empty()
	if !s.reserve(2*each) || s.reserve(2*each) {
		t.Error("room for what is too much, or none for what fits")
	}
	s.bytes -= 2 * each
	memory.UnreserveCache(2 * each)
	// A damaged sketch is not cached.
	bad := bytes.Clone(blob)
	bad[len(bad)-1] ^= 1
	if v, err = ccbf.NewView(bad); err != nil {
		t.Fatal(err)
	}
	s.empty()
	s.addCost(name, price, price)
	if s.decode(name, &v); found(name) || s.bytes != 0 {
		t.Errorf("a damaged sketch is cached, or %d bytes for it", s.bytes)
	}
}
