package ccbf

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/beside"
)

// A sketch whose end is made by two goroutines, its last sort, the merge of two parts and
// its BLOB, has the bytes that one makes; and there is no second one without Spare.
func TestMadeInHalves(t *testing.T) {
	cfg := config(t, Params{Res: 1, Bytes: 1 << 20})
	asked := 0
	var blobs [2][]byte
	for i := range blobs {
		r := rand.New(rand.NewPCG(77, 0))
		b := NewBuilder(cfg, nil)
		if i == 1 {
			b.Spare = func() bool { asked++; return true }
		}
		for b.plain == nil || len(b.plain.buf) < halvesFrom || b.cells < 100_000 {
			if err := b.Add(grid.Cell{X: r.Int64N(2000), Y: r.Int64N(200)}, nil, 0, 1); err != nil {
				t.Fatal(err)
			}
		}
		before := beside.Started()
		blobs[i] = blobOf(t, b)
		if got := int(beside.Started() - before); (got > 0) != (i == 1) || got != asked {
			t.Errorf("%d goroutines, asked %d times", got, asked)
		}
	}
	sameBytes(t, "halves", blobs[0], blobs[1])
	if asked < 3 { // sort, merge, BLOB
		t.Errorf("asked %d times", asked)
	}
}
