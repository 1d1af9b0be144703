package udf

import (
	"bytes"
	"fmt"
	"sync"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// exactSketch is a sketch of n points in as many cells, in memory of its own.
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

// Bytes that lie elsewhere have the same name, sketches of other cells another, and so have
// questions with a category.
func TestNamesOfSketches(t *testing.T) {
	names := make(map[cacheKey]bool)
	for n := range 2000 {
		blob := exactSketch(t, n)
		name := nameOf(blob, true)
		if nameOf(append([]byte("x"), blob...)[1:], true) != name || nameOf(blob, false) == name || names[name] {
			t.Fatalf("%d cells: a copy has another name, or another sketch the same", n)
		}
		names[name] = true
	}
}

// What was paid for a sketch makes its price once, whoever pays, and again where it was given up. Those
// that were not asked for longest make room.
func TestKeptSketches(t *testing.T) {
	s := newKept()
	blob := exactSketch(t, 3000)
	v, err := ccbf.NewView(blob)
	if err != nil {
		t.Fatal(err)
	}
	name, price := nameOf(blob, true), bridge.DecodedCost(&v)
	found := func(name cacheKey) bool { return s.find([]cacheKey{name}, nil)[0] != nil }
	for round := range 2 {
		var buyers sync.WaitGroup
		bought := make(chan bool, 2*price)
		for range 2 * price {
			buyers.Go(func() {
				if s.pay(name, 1, price) {
					bought <- true
				}
			})
		}
		buyers.Wait()
		if len(bought) != 1 || found(name) {
			t.Fatalf("round %d: %d buyers, found %v", round, len(bought), found(name))
		}
		s.buy(name, &v)
		if !found(name) || s.pay(name, price, price) {
			t.Fatalf("round %d: it is not kept, or bought again", round)
		}
		if n := s.giveUp(); n == 0 || s.bytes != 0 || found(name) {
			t.Fatalf("round %d: %d bytes given up, %d left", round, n, s.bytes)
		}
	}
	before := duck.MemoryLimit()
	defer func() {
		if err := duck.SetMemoryLimit(before); err != nil {
			t.Error(err)
		}
	}()
	each, _ := bridge.DecodedBytes(&v, true)
	if err := duck.SetMemoryLimit(4 * 3 * each); err != nil { // of which a quarter holds three
		t.Fatal(err)
	}
	names := make([]cacheKey, 5)
	for i := range names {
		names[i] = nameOf(fmt.Appendf(nil, "sketch %d", i), true)
		s.pay(names[i], price, price)
		s.buy(names[i], &v)
		found(names[0])
	}
	for i, want := range []bool{true, false, false, true, true} {
		if found(names[i]) != want {
			t.Errorf("sketch %d is kept: %v", i, !want)
		}
	}
	// Where nothing is kept, and another thread decodes a sketch, there is no room for one more.
	s.giveUp()
	if !s.reserve(2*each) || s.reserve(2*each) {
		t.Error("room for what is too much, or none for what fits")
	}
	s.bytes -= 2 * each
	duck.UnreserveCache(2 * each)
	// What is damaged is not kept.
	bad := bytes.Clone(blob)
	bad[len(bad)-1] ^= 1
	if v, err = ccbf.NewView(bad); err != nil {
		t.Fatal(err)
	}
	s.giveUp()
	s.pay(name, price, price)
	if s.buy(name, &v); found(name) || s.bytes != 0 {
		t.Errorf("a damaged sketch is kept, or %d bytes for it", s.bytes)
	}
}
