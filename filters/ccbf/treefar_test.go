package ccbf

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// A square that none of the coarser grid holds is an error, and the sketch stays.
func TestTreeCoarsensAcrossABorder(t *testing.T) {
	// The regions of both grids end at the same index. So cells of the finer grid lie across a
	// border that the coarser square does not cross.
	var p points
	for i := range int64(3000) {
		p.add(spot{grid.Cell{X: 2*(cells.Highest+1) + i*i%4001 - 2000, Y: i * 31 % 3989}, plain}, 1)
	}
	s := sketchOf(t, config(t, Params{Bytes: 400}), p)
	before := s.Blob()
	if err := s.Coarsen(2); !errors.Is(err, cells.ErrAcross) {
		t.Errorf("coarsening is %v", err)
	}
	sameBytes(t, "after an error", before, s.Blob())
}

// Intersections of trees that were built at once do not depend on their order, while
// what is left fits. Those of united trees can: in no order is a cell below the truth.
func TestTreeIntersectionsInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(158, 0))
	p := villages(r, 9000)
	c := config(t, Params{Bytes: 4000})
	for _, united := range []bool{false, true} {
		var views []*View
		var want model
		for i := range 3 {
			var part points // most of all, and each time others
			for j, o := range p {
				if j%5 != i {
					part.add(o.spot, o.n+uint64(r.IntN(3)))
				}
			}
			blob := blobOf(t, builderOf(t, c, part))
			if united {
				half := len(part) / 2
				blob = uniteBlobs(t, c, blobOf(t, builderOf(t, c, part[:half])), blobOf(t, builderOf(t, c, part[half:])))
			}
			if want == nil {
				want = part.model()
			}
			want = combined(want, part.model(), func(x, y uint64) uint64 { return min(x, y) })
			v := viewOf(t, blob)
			if v.Form() != Tree {
				t.Fatalf("a %v", v.Form())
			}
			views = append(views, v)
		}
		first := intersection(t, r, views, false).Blob()
		for range 12 {
			blob := intersection(t, r, views, r.IntN(2) == 0).Blob()
			counts(t, "the intersection", viewOf(t, blob), want, false)
			if !united {
				sameBytes(t, "another order", first, blob)
			}
		}
	}
}

// Default sketches, exact or trees, fold to any number of bytes down to that of their
// largest leaves, and then say how few.
func TestTreesFoldToAnySize(t *testing.T) {
	r := rand.New(rand.NewPCG(159, 0))
	p := villages(r, 6000)
	m := p.model()
	for _, bytes := range []uint64{1 << 20, 4000} {
		whole := sketchOf(t, config(t, Params{Bytes: bytes}), p).Blob()
		folded, refused := 0, 0
		for size := uint64(len(whole)) + 200; size > 0; size = size * 9 / 10 {
			s := must(Decode(whole))
			if err := s.Fold(size); err != nil {
				if !errors.Is(err, sketch.ErrOption) || size > 600 {
					t.Fatalf("to %d bytes: %v", size, err)
				}
				sameBytes(t, "after an error", whole, s.Blob())
				refused++
				continue
			}
			blob := s.Blob()
			v := viewOf(t, blob)
			if uint64(len(blob)) > size || v.Form() == Dense {
				t.Fatalf("a %v of %d bytes, at most %d were to be", v.Form(), len(blob), size)
			}
			counts(t, "folded", v, m, v.IsExact())
			sameBytes(t, "written again", blob, must(Decode(blob)).Blob())
			folded++
		}
		if folded < 20 || refused == 0 {
			t.Errorf("%d folded, %d refused", folded, refused)
		}
	}
}
