package ccbf

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// The BLOB that is written from the stores has the bytes of the sketch of these cells, of points of
// one builder or of two: also of cells in other regions, with more points than a word counts, and
// of too many for their bytes. A second one has the same bytes, and what is held is counted.
func TestBlobOfStores(t *testing.T) {
	for name, of := range map[string]struct {
		points, side int64
		bytes        uint64
		crowd        int  // points of one cell
		far          bool // a point in another region
	}{
		"few":        {points: 5000, side: 20},
		"some":       {points: 9000, side: 100},
		"many":       {points: 150_000, side: 1500},
		"a crowd":    {points: 20_000, side: 300, crowd: 1 << 20},
		"far":        {points: 20_000, side: 300, far: true},
		"do not fit": {points: 60_000, side: 1000, bytes: 20_000},
	} {
		cfg := config(t, Params{Bytes: of.bytes})
		r := rand.New(rand.NewPCG(311, uint64(of.points)))
		var p purse
		p.limit = 1 << 40
		b, o, both := NewBuilder(cfg, &p), NewBuilder(cfg, nil), NewBuilder(cfg, nil)
		want := map[spot]uint64{}
		add := func(at grid.Cell, n uint64) {
			to := b
			if r.IntN(2) == 0 {
				to = o
			}
			_, _, key := cells.Key(at)
			for range n {
				if err := to.addPoints([]uint64{key}); err != nil {
					t.Fatal(err)
				}
			}
			want[spot{at, plain}] += n
		}
		for range of.points {
			add(grid.Cell{X: r.Int64N(of.side), Y: r.Int64N(of.side)}, 1)
		}
		add(grid.Cell{X: 1, Y: 1}, uint64(of.crowd))
		for _, from := range []*Builder{b, o} {
			if err := both.Merge(from); err != nil {
				t.Fatal(err)
			}
		}
		if of.far {
			at := grid.Cell{X: 1 << 33, Y: 5}
			want[spot{at, plain}]++
			if err := both.Add(at, nil, 0, 1); err != nil {
				t.Fatal(err)
			}
		}
		var whole points
		for _, s := range sortedSpots(want) {
			whole.add(s, want[s])
		}
		blob := blobOf(t, builderOf(t, cfg, whole))
		got, err := both.appendBlob([]byte("head"))
		if err != nil {
			t.Fatal(err)
		}
		if string(got[:4]) != "head" {
			t.Fatalf("%s: what was there is gone", name)
		}
		sameBytes(t, name, blob, got[4:])
		for range 2 {
			if _, err := b.appendBlob(nil); err != nil {
				t.Fatal(err)
			}
			if p.given != b.held || b.held < b.memory() {
				t.Errorf("%s: %d given, %d held, %d taken", name, p.given, b.held, b.memory())
			}
		}
	}
}
