package ccbf

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/form"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
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

// TestEstimatesAreCounted: an interval takes the quantiles of three sums, one after the other. Each
// takes two spectra, and roots of unity for the transforms of each class.
func TestEstimatesAreCounted(t *testing.T) {
	r := rand.New(rand.NewPCG(270, 0))
	for _, params := range []Params{{Bytes: 4000}, {Bytes: 4000, K: 32}, {Widths: []int{2, 3, 4, 5, 6, 7, 8, 9}, Counters: []uint64{1 << 13, 1 << 11, 1 << 9, 128, 32, 8, 4, 2}}} {
		params.Dense = true
		blob := blobOf(t, builderOf(t, config(t, params), counted(r, spreads[3])))
		v := reset(t, edited(t, blob, within(grid.Rect{MaxX: 1 << 20, MaxY: 1 << 20})))
		body := blob[len(blob)-int(v.shape.Bytes()):]
		for i := range body {
			body[i] = byte(r.Uint32())
		}
		v = reset(t, edited(t, blob, within(grid.Rect{MaxX: 1 << 20, MaxY: 1 << 20})))
		square := orb.MultiPolygon{{{{0, 0}, {250, 0}, {250, 250}, {0, 250}, {0, 0}}}}
		promised := v.reader().(form.EstimateCoster).EstimateBytes()
		if promised > 4<<20 {
			t.Errorf("%+v: %d bytes promised", params, promised)
		}
		made := bytesAllocated(func() { must(v.Estimate(NewPolygon(square).Area(), Categories{})) })
		if roots := int64(v.shape.Layers + 1); made > 3*promised*(4+roots)/5+1<<20 {
			t.Errorf("%+v: %d bytes allocated, %d promised", params, made, promised)
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
