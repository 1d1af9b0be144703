package ccbf

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// TestAllocationsAreCounted: memory is reserved before sketches are read and written. The test
// measures all allocations, so slices that grow may reach twice their size, and pooled memory a
// megabyte.
func TestAllocationsAreCounted(t *testing.T) {
	const cells = 200_000
	for name, params := range map[string]Params{
		"exact":                   {Bytes: 4 << 20},
		"becomes a tree":          {Bytes: 1 << 17},
		"becomes dense":           {Bytes: 1 << 17, Overflow: ToCounters},
		"becomes dense, standard": {Bytes: 1 << 17, Mode: Standard},
		"dense":                   {Bytes: 4 << 20, Dense: true},
		"dense, standard":         {Bytes: 4 << 20, Dense: true, Mode: Standard},
	} {
		var in budget
		b := NewBuilder(config(t, params), &in)
		for i := range cells {
			noError(t, b.Add(grid.Cell{X: int64(i * 7919 % 100_003), Y: int64(i % 503)}, nil, 0, 1))
		}
		before := in.now
		in.most = before
		blob := make([]byte, 0, b.Bytes)
		made := bytesAllocated(func() {
			var err error
			if blob, err = b.appendBlob(blob); err != nil {
				t.Fatal(err)
			}
		})
		promised := in.most - before
		if made > 2*promised+1<<20 {
			t.Errorf("%s: %d bytes allocated for a BLOB of %d, %d promised", name, made, len(blob), promised)
		}
		if in.now != b.held || in.now < 0 {
			t.Errorf("%s: %d held, counted as %d", name, in.now, b.held)
		}
		v := viewOf(t, blob)
		if made, memory := bytesAllocated(func() { must(v.Sketch()) }), v.reader().Memory(); made > memory*5/4+1<<16 {
			t.Errorf("%s: %d bytes allocated to read it, Memory is %d", name, made, memory)
		}
		// United with itself: what is read is counted, and what is merged.
		var out budget
		made = bytesAllocated(func() {
			u := NewBuilder(v.Config, &out)
			for range 2 {
				noError(t, u.AddView(v))
			}
		})
		if made > 2*out.most+1<<20 {
			t.Errorf("%s: %d bytes allocated for a union, the peak is %d", name, made, out.most)
		}
	}
}

// A builder that spills counts the counters and what they are made from.
func TestSpillingIsCounted(t *testing.T) {
	for name, params := range map[string]Params{"cells": {Bytes: 1 << 20, Overflow: ToCounters}, "levels": {Bytes: 1 << 20, Levels: 3}} {
		var p budget
		b := NewBuilder(config(t, params), &p)
		for i := range 200_000 {
			noError(t, b.Add(grid.Cell{X: int64(i * 7919 % 100_003), Y: int64(i % 503)}, nil, 0, 1))
		}
		noError(t, b.finish())
		must(b.sources()) // merges the stores
		p.most = p.now
		before := p.now
		made := bytesAllocated(func() {
			noError(t, b.goToCounters())
		})
		// The squares of a level are made from those below, for each layer anew.
		if counted := (p.most - before) * int64(1+params.Levels*b.shape.Layers); b.dense == nil || made > counted*5/4+1<<16 {
			t.Errorf("%s: %d bytes allocated, %d counted", name, made, counted)
		}
	}
}

// bytesAllocated returns the bytes that f allocates in all.
func bytesAllocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// bombs returns trees with as many leaves as few bytes can have. Cells lie side by side with a
// point each, with and without leaves around them.
func bombs(t *testing.T, n uint64) map[string][]byte {
	t.Helper()
	var flat, nested cells.Squares
	add := func(s *cells.Squares, key uint64, level uint8) {
		s.Keys, s.Levels, s.Counts = append(s.Keys, key), append(s.Levels, level), append(s.Counts, 1)
	}
	for i := range n {
		add(&flat, i, 0)
		if i%4 == 0 {
			add(&nested, i, 1)
		}
		add(&nested, i, 0)
	}
	out := map[string][]byte{}
	for name, squares := range map[string]cells.Squares{"flat": flat, "nested": nested} {
		list := &tree.List{Sections: cells.List{{Squares: squares}}}
		s := &Sketch{
			Config: config(t, Params{}), Total: list.Sections.Total(), TotalKnown: true, squares: list, pruned: true,
			bounds: grid.Rect{MinX: math.MinInt32, MinY: math.MinInt32, MaxX: math.MaxInt32, MaxY: math.MaxInt32},
		}
		out[name] = s.Blob()
	}
	return out
}

// TestTreesAreCounted: the memory to decode a tree is reserved before, even for 50 leaves a byte. A
// BLOB of 4 KB is decoded within 16 MB.
func TestTreesAreCounted(t *testing.T) {
	const leaves = 1 << 19
	for name, blob := range bombs(t, leaves) {
		if len(blob) > leaves/20 {
			t.Fatalf("%s: %d bytes, too many for this test", name, len(blob))
		}
		v := viewOf(t, blob)
		promised := v.reader().Memory()
		made := bytesAllocated(func() { must(Decode(blob)) })
		if made > 2*promised+1<<20 {
			t.Errorf("%s: %d bytes allocated, %d promised, for a BLOB of %d", name, made, promised, len(blob))
		}
	}
	for name, blob := range bombs(t, 3<<16) {
		for n := uint64(3 << 16); len(blob) > 4096; blob = bombs(t, n)[name] {
			n -= 1 << 14
		}
		if len(blob) < 3000 {
			t.Fatalf("%s: %d bytes", name, len(blob))
		}
		if made := bytesAllocated(func() { must(Decode(blob)) }); made > 16<<20 {
			t.Errorf("%s: %d bytes allocated for a BLOB of %d", name, made, len(blob))
		}
	}
}

// TestScarceMemory builds many groups of several parts, as threads do. In half or a third of the
// memory that they need at 16 bytes a cell, they have the same bytes.
func TestScarceMemory(t *testing.T) {
	const groups, parts, points = 60, 2, 10_000
	for name, of := range map[string]struct {
		params Params
		part   int64 // of the memory
	}{
		"exact":              {Params{Res: 1}, 3},
		"categories":         {Params{Res: 1, Categories: true}, 2}, // shorter runs, and more buffers
		"counters, standard": {Params{Res: 1, Mode: Standard, Bytes: 1 << 12}, 3},
		"tree":               {Params{Res: 1, Bytes: 1 << 12}, 2}, // of which pruning the last needs much
		"levels":             {Params{Res: 1, Levels: 3, Bytes: 1 << 12}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config(t, of.params)
			build := func(budget func() Budget) ([][]byte, error) {
				r := rand.New(rand.NewPCG(16, 3))
				var built [parts][groups]*Builder
				for part := range built {
					for i := range built[part] {
						built[part][i] = NewBuilder(cfg, budget())
					}
					for range points * groups / parts {
						c := grid.Cell{X: int64(r.ExpFloat64() * 60), Y: int64(r.ExpFloat64() * 60)}
						var category []byte
						if cfg.Categories {
							category = fmt.Append(nil, "c", r.IntN(3))
						}
						n := uint64(1)
						if r.IntN(50) == 0 {
							n = r.Uint64N(1000)
						}
						if err := built[part][r.IntN(groups)].Add(c, category, 0, n); err != nil {
							return nil, err
						}
					}
				}
				blobs := make([][]byte, groups)
				for i := range blobs {
					into := NewBuilder(cfg, budget())
					for part := range built {
						from := built[part][i]
						if err := into.Merge(from); err != nil {
							return nil, err
						}
						if err := from.grow(-from.held); err != nil { // as one that is dropped
							return nil, err
						}
					}
					var err error
					if blobs[i], err = into.appendBlob(nil); err != nil {
						return nil, err
					}
					if i == 0 { // once more, and nothing was spoilt
						again, err := into.appendBlob(nil)
						if err != nil {
							return nil, err
						}
						sameBytes(t, "again", again, blobs[i])
					}
					if err := into.budget.Grow(-into.held); err != nil {
						return nil, err
					}
				}
				return blobs, nil
			}
			plenty := &budget{limit: 1 << 40, scarce: true}
			want := must(build(func() Budget { return plenty }))
			limit := plenty.most / of.part
			unknowing := &budget{limit: plenty.most - 1}
			if _, err := build(func() Budget { return unknowing }); !errors.Is(err, errFull) {
				t.Errorf("whoever does not know that memory is scarce: error %v", err)
			}
			scarce := &budget{limit: limit, scarce: true}
			got, err := build(func() Budget { return scarce })
			if err != nil {
				t.Fatalf("in %d of %d bytes: %v", limit, plenty.most, err)
			}
			if scarce.now != 0 {
				t.Errorf("%d bytes are held in the end", scarce.now)
			}
			for i := range want {
				sameBytes(t, fmt.Sprint("group ", i), got[i], want[i])
			}
		})
	}
}
