package cells

import (
	"bytes"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// Blocks that are made in halves are those that are made one after the other, and too
// many bytes are noticed in either half.
func TestBlocksInHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 0))
	var w bitio.Writer
	for _, extra := range []int{0, 1, 128, 200} {
		var run Run
		at := uint64(0)
		for range manyBlocks*blockCells + extra {
			at += 1 + r.Uint64N(100)
			run.Keys, run.Counts = append(run.Keys, at), append(run.Counts, 1+r.Uint64N(9))
		}
		want := appendSome([]byte("before"), &w, &runSource{run}, ^uint64(0), new(atomic.Int64))
		size := uint64(len(want) - len("before"))
		got, ok := appendBlocks([]byte("before"), &w, &runSource{run}, size, func() bool { return true })
		if !ok || !bytes.Equal(got, want) {
			t.Fatalf("%d cells: %d bytes of %d, they fit: %v", len(run.Keys), len(got), len(want), ok)
		}
		for _, limit := range []uint64{0, size / 3, size - 1} {
			if _, ok := appendBlocks(nil, &w, &runSource{run}, limit, func() bool { return true }); ok {
				t.Errorf("%d cells of %d bytes fit %d", len(run.Keys), size, limit)
			}
		}
	}
}
