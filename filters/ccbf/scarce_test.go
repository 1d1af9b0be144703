package ccbf

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

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
