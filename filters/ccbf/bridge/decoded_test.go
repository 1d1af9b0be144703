package bridge

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/kit"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Decoded answers as the view does. Neither counters, nor an empty sketch, nor one that was
// damaged is decoded.
func TestDecode(t *testing.T) {
	points := kit.Hot(rand.New(rand.NewPCG(61, 0)), 20_000, 3000)
	v := viewOf(t, ccbf.Params{Bytes: 1 << 20}, points)
	d, ok := Decode(v, true)
	spent, cost := Costs(v)
	if bytes, has := DecodedBytes(v, true); !ok || !has || bytes < 8*3000 || cost < 2 || spent != 0 {
		t.Fatalf("decoded %v, %v with %d bytes, cost %d, spent %d", ok, has, bytes, cost, spent)
	}
	want, got := make([]uint64, len(points)), make([]uint64, len(points))
	places, slots := make([]uint64, len(points)), make([]uint32, len(points))
	v.Counts(want, points, ccbf.Categories{})
	d.FindCells(places, slots, points, nil)
	d.ReadCounts(got, places, slots)
	if !slices.Equal(got, want) {
		t.Error("decoded it answers otherwise")
	}
	if spent, _ = Costs(v); spent == 0 {
		t.Error("questions cost nothing")
	}
	for name, v := range map[string]*ccbf.View{
		"counters": viewOf(t, ccbf.Params{Dense: true}, points),
		"empty":    viewOf(t, ccbf.Params{}, nil),
	} {
		if _, ok := Decode(v, true); ok {
			t.Errorf("%s: decoded", name)
		}
		if _, ok := DecodedBytes(v, true); ok {
			t.Errorf("%s: has bytes", name)
		}
	}
}

// A damaged sketch is never decoded, whatever was done to it, and listing its cells comes to an end.
func TestDamagedSketches(t *testing.T) {
	r := rand.New(rand.NewPCG(64, 0))
	for _, categories := range []bool{false, true} {
		blob := blobOf(t, ccbf.Params{Bytes: 1 << 20, Categories: categories, Totals: categories}, kit.Hot(r, 3000, 1000))
		opened := 0
		for range 2000 {
			bad := slices.Clone(blob)
			for range 1 + r.IntN(3) {
				bad[r.IntN(len(bad))] ^= byte(1 + r.UintN(255))
			}
			v, err := ccbf.NewView(bad)
			if err != nil || sketch.Verify(bad) == nil {
				continue
			}
			opened++
			_ = slices.Collect(kit.Must(v.Cells(ccbf.Box(grid.MaxRect()), ccbf.Categories{})))
			for _, together := range []bool{false, true} {
				if _, ok := Decode(&v, together); ok {
					t.Fatal("a damaged sketch was decoded")
				}
			}
		}
		if opened < 100 {
			t.Errorf("%d of 2000 could be asked", opened)
		}
	}
}
