package ccbf

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// TestSmallOfAnySize: for any number of keys, with and without repeats, Small appends the bytes of
// a Builder. Sketches are exact, or another form if the cells do not fit.
func TestSmallOfAnySize(t *testing.T) {
	r := rand.New(rand.NewPCG(76, 0))
	var small smallEncoder // one for all, as it is used
	forms := map[Form]int{}
	for n := range 2000 {
		params := Params{Res: 0.5, Seed: uint64(n % 2), Mode: Mode(n / 2 % 2), Bytes: 400 << (n % 4)}
		if n%5 == 0 {
			params.Overflow, params.Mode = ToTree, MinimalIncrement
		}
		if n%11 == 0 { // nearly no room for an exact body
			params.Widths, params.Counters, params.Bytes, params.Overflow = []int{8}, []uint64{24}, 0, 0
		}
		cfg := config(t, params)
		keys := make([]uint64, n/2)
		for j := range keys {
			_, _, keys[j] = cells.Key(grid.Cell{X: r.Int64N(20), Y: r.Int64N(1 << (n % 30))})
		}
		before := slices.Clone(keys)
		b := NewBuilder(cfg, nil)
		noError(t, b.addPoints(keys))
		small.Reset(&cfg)
		got := small.AppendBlob([]byte("x"), keys)
		sameBytes(t, "small", append([]byte("x"), blobOf(t, b)...), got)
		if !slices.Equal(keys, before) {
			t.Fatal("the keys were changed")
		}
		forms[viewOf(t, got[1:]).Form()]++
	}
	if forms[Exact] < 500 || forms[Dense] < 100 || forms[Tree] < 100 {
		t.Errorf("forms %v", forms)
	}
}

// As long as the cells are one block.
func TestSmallDoesNotAllocate(t *testing.T) {
	cfg := config(t, Params{Res: 1})
	var small smallEncoder
	keys := make([]uint64, 128)
	for i := range keys {
		keys[i] = uint64(i*i) * 0x9e3779b9 >> 20
	}
	small.Reset(&cfg)
	blob := small.AppendBlob(nil, keys)
	for _, n := range []int{1, 5, 6, 20, 128} {
		if allocs := testing.AllocsPerRun(100, func() { blob = small.AppendBlob(blob[:0], keys[:n]) }); allocs != 0 {
			t.Errorf("%d keys: %v allocations", n, allocs)
		}
	}
}
