package udf

import (
	"bytes"
	"fmt"
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

// TestSketchCache checks that the least recently used sketches make room in a quarter of the budget, and
// that all memory is given back. A damaged sketch is not cached.
func TestSketchCache(t *testing.T) {
	s := newSketchCache()
	blob := exactSketch(t, 3000)
	v, err := ccbf.NewView(blob)
	if err != nil {
		t.Fatal(err)
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
	found := func(name cacheKey) bool { return s.find([]cacheKey{name}, nil)[0] != nil }
	_, cost := bridge.Costs(&v)
	names := make([]cacheKey, 5)
	for i := range names {
		names[i] = cacheKeyOf(fmt.Appendf(nil, "sketch %d", i), true)
		if s.addCost(names[i], cost-1, cost) || !s.addCost(names[i], 1, cost) || s.addCost(names[i], cost, cost) {
			t.Errorf("sketch %d is not decoded once its lookups cost as much", i)
		}
		s.decode(names[i], &v)
		found(names[0])
	}
	for i, want := range []bool{true, false, false, true, true} {
		if found(names[i]) != want {
			t.Errorf("sketch %d is cached: %v", i, !want)
		}
	}
	if n := s.empty(); n != 3*each || memory.Cached() != 0 || found(names[0]) {
		t.Errorf("%d bytes given up, %d left", n, memory.Cached())
	}
	// If the cache is empty, and another thread decodes a sketch, there is no room for one more.
	if !s.reserve(2*each) || s.reserve(2*each) {
		t.Error("room for what is too much, or none for what fits")
	}
	memory.UnreserveCache(2 * each)
	bad := bytes.Clone(blob)
	bad[len(bad)-1] ^= 1
	if v, err = ccbf.NewView(bad); err != nil {
		t.Fatal(err)
	}
	s.addCost(names[0], cost, cost)
	if s.decode(names[0], &v); found(names[0]) || memory.Cached() != 0 {
		t.Errorf("a damaged sketch is cached, or %d bytes for it", memory.Cached())
	}
}
