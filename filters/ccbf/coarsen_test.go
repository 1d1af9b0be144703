package ccbf

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// larger is a model in cells factor times as large.
func larger(m model, factor int64) model {
	out := model{}
	for s, n := range m {
		// Not as the code does it: down to the multiple below, then divided.
		down := func(v int64) int64 { return (v - (v%factor+factor)%factor) / factor }
		out[spot{grid.Cell{X: down(s.X), Y: down(s.Y)}, s.category}] += n
	}
	return out
}

// TestCoarsenByAnyFactor: an exact sketch coarsened by any factor has the bytes of one built on the
// coarser grid. A tree is never below the truth, and its bounds of sums hold: around the origin, far away,
// and over the border of regions.
func TestCoarsenByAnyFactor(t *testing.T) {
	for _, factor := range []int64{1, 2, 3, 5, 7, 10, 12, 16, 100, 255, 1 << 10, 1 << 20} {
		r := rand.New(rand.NewPCG(311, uint64(factor)))
		p := strewn(r, 2000)
		p.add(spot{grid.Cell{X: 1<<40 + 3, Y: -1 << 33}, plain}, 5) // in regions of their own
		p.add(spot{grid.Cell{X: -1 << 40, Y: 1<<33 + 1}, plain}, 7)
		s := sketchOf(t, config(t, Params{Res: 0.25}), p)
		noError(t, s.Coarsen(uint64(factor)))
		var q points
		for s, n := range larger(p.model(), factor) {
			q.add(s, n)
		}
		want := sketchOf(t, config(t, Params{Res: 0.25 * float64(factor)}), q)
		sameBytes(t, fmt.Sprint("by ", factor), want.Blob(), s.Blob())

		for _, c := range []struct {
			at         grid.Cell
			categories []string
		}{
			{grid.Cell{}, nil},
			{grid.Cell{X: 3<<32 + 5, Y: -2<<32 - 7}, nil},
			{grid.Cell{X: 1 << 45, Y: -1 << 44}, nil},
			{grid.Cell{X: cells.Highest + 1, Y: 100}, nil}, // over the border of two regions
			{grid.Cell{X: cells.Highest + 1, Y: cells.Highest + 1}, []string{"oak", "elm"}},
		} {
			if c.at != (grid.Cell{}) && factor&(factor-1) != 0 {
				continue // such a grid may have a border inside of a square
			}
			p := villages(r, 4000, c.categories...)
			for i := range p {
				p[i].X, p[i].Y = p[i].X+c.at.X, p[i].Y+c.at.Y
			}
			s := sketchOf(t, config(t, Params{Bytes: 2500, Categories: c.categories != nil, Totals: c.categories != nil}), p)
			total := s.Total
			noError(t, s.Coarsen(uint64(factor)))
			blob := s.Blob()
			noError(t, Check(blob))
			j := judge{t, r, viewOf(t, blob), larger(p.model(), factor), true}
			if n, known := j.v.Total(); n != total || !known || j.v.Form() != Tree || j.v.Grid.Res() != float64(factor) {
				t.Fatalf("by %d: a %v of %d points, %d before", factor, j.v.Form(), n, total)
			}
			j.check(fmt.Sprintf("around %v, by %d", c.at, factor), c.categories...)
		}
	}
}

// A factor after another is their product, and coarsening and uniting commute while exact.
func TestCoarsenTwice(t *testing.T) {
	r := rand.New(rand.NewPCG(312, 0))
	p, q := strewn(r, 500), strewn(r, 500)
	c := config(t, Params{Res: 0.001})
	once, twice := sketchOf(t, c, p), sketchOf(t, c, p)
	noError(t, once.Coarsen(30))
	noError(t, twice.Coarsen(10))
	noError(t, twice.Coarsen(3))
	sameBytes(t, "by 10 and by 3", once.Blob(), twice.Blob())
	both, other := sketchOf(t, c, append(p[:len(p):len(p)], q...)), sketchOf(t, c, q)
	noError(t, both.Coarsen(30))
	noError(t, other.Coarsen(30))
	b := NewBuilder(once.Config, nil)
	noError(t, b.AddView(viewOf(t, once.Blob())))
	noError(t, b.AddView(viewOf(t, other.Blob())))
	sameBytes(t, "united", both.Blob(), blobOf(t, b))
}
