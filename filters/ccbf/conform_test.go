package ccbf

import (
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
)

// subject adapts a sketch to the conformance kit.
type subject struct {
	*Sketch
	cell func(id uint64) grid.Cell
}

// cellOfID returns a different cell for every id. Small ids lie around the origin in all four
// quadrants, large ones beyond the region (0, 0).
func cellOfID(id uint64) grid.Cell {
	x, y := grid.Deinterleave(id&(1<<48-1) ^ 0b1100)
	return grid.Cell{X: int64(x) - 2, Y: int64(y) - 2 - int64(id>>48)<<28}
}

// cellNear is one in the region (0, 0): the sections of a tree take bytes, and many do
// not fit into few.
func cellNear(id uint64) grid.Cell {
	_, _, origin := cells.Key(grid.Cell{})
	return cells.CellOf(0, 0, id^origin)
}

func (s subject) Add(id, n uint64) error    { return s.Sketch.Add(s.cell(id), nil, n) }
func (s subject) Count(id uint64) uint64    { return s.Sketch.count(s.cell(id), nil) }
func (s subject) Remove(id, n uint64) error { return s.Sketch.Remove(s.cell(id), nil, n) }
func (s subject) Blob() []byte              { c := *s.Sketch; return c.Blob() }

func (s subject) Union(o conform.Subject) error { return s.UnionBlob(o.Blob()) }

func (s subject) UnionBlob(blob []byte) error {
	o, err := Decode(blob)
	if err != nil {
		return err
	}
	return s.Sketch.Union(o)
}

func emptySketch(p Params) *Sketch { return must(NewBuilder(must(p.Config()), nil).Sketch()) }

// boundedSketch returns an empty sketch. If it has counters, its bounds are so wide that they do
// not grow: counters keep their bounds when they lose points.
func boundedSketch(p Params) *Sketch {
	s := emptySketch(p)
	if s.dense != nil {
		s.bounds = grid.Rect{MinX: -1 << 50, MinY: -1 << 50, MaxX: 1 << 50, MaxY: 1 << 50}
	}
	return s
}

// drawn returns p with random sizes, number of positions and seed. The layers are small and odd, so
// that positions meet and counters fill up.
func drawn(r *rand.Rand, p Params) Params {
	p.Seed = r.Uint64()
	if p.Overflow == ToTree {
		p.Bytes = 400 + r.Uint64N(1<<11)
		return p
	}
	p.K = 1 + r.IntN(6)
	if r.IntN(8) == 0 {
		p.K = 1 + r.IntN(MaxK)
	}
	if p.Counters == nil { // stays exact
		return p
	}
	p.Dense = r.IntN(3) > 0
	p.Counters = make([]uint64, len(p.Widths))
	m := conform.Size(r, 12)
	for i := len(p.Counters) - 1; i >= 0; i-- {
		p.Counters[i] = m
		m *= 2 + r.Uint64N(3)
	}
	return p
}

func conformFamily(name string, large, small Params, laws conform.Laws, load int, absent float64) conform.Family {
	large.Res, small.Res = 1, 1
	cell := cellOfID
	if large.Overflow == ToTree {
		cell = cellNear
	}
	return conform.Family{
		Name:  name,
		New:   func() conform.Subject { return subject{boundedSketch(large), cell} },
		Small: func() conform.Subject { return subject{boundedSketch(small), cell} },
		Decode: func(blob []byte) (conform.Subject, error) {
			s, err := Decode(blob)
			return subject{s, cell}, err
		},
		Look: func(blob []byte, id uint64) (uint64, error) {
			var v View
			if err := v.Reset(blob); err != nil {
				return 0, err
			}
			return v.Count(cell(id), nil), nil
		},
		Drawn: func(r *rand.Rand) func() conform.Subject {
			p := drawn(r, large)
			return func() conform.Subject { return subject{boundedSketch(p), cell} }
		},
		Check: Family.Check,
		Laws:  laws, Load: load, Absent: absent,
		Heavy: large.Levels + 1,
	}
}

// families are sketches of every form. Counters have the layers of both modes, and packed ones.
func families() map[string]conform.Family {
	sums := conform.Laws{Alone: true, OrderFree: true, UnionCommutes: true, UnionEqualsWhole: true, Deletable: true}
	exact := sums
	exact.Exact, exact.Restores = true, true
	mi := conform.Laws{Alone: true, UnionCommutes: true}
	pruned := conform.Laws{OrderFree: true, UnionCommutes: true, Prunes: true, Deletable: true, Alone: true}
	all := map[string]conform.Family{
		"exact": conformFamily("exact", Params{}, Params{}, exact, 5000, 0),
		"tree":  conformFamily("tree", Params{Overflow: ToTree, Bytes: 1 << 10}, Params{Overflow: ToTree, Bytes: 400}, pruned, 0, 0),
	}
	for _, c := range []struct {
		name         string
		laws         conform.Laws
		mode         Mode
		widths       []int
		large, small []uint64
		levels       [2]int
	}{
		{"mi", mi, MinimalIncrement, []int{4, 8, 16, 32}, []uint64{1 << 16, 1 << 13, 1 << 10, 1 << 7}, []uint64{256, 32, 16, 4}, [2]int{}},
		{"standard", sums, Standard, []int{8, 16, 32}, []uint64{1 << 16, 1 << 12, 1 << 8}, []uint64{256, 16, 4}, [2]int{}},
		{"standard, packed", sums, Standard, []int{4, 6, 12, 24}, []uint64{1 << 16, 1 << 13, 1 << 10, 1 << 8}, []uint64{256, 64, 16, 4}, [2]int{}},
		// Squares around the origin are shared by cells there, as are their counters.
		{"standard, levels", sums, Standard, []int{4, 8, 16, 32}, []uint64{1 << 18, 1 << 15, 1 << 12, 1 << 9}, []uint64{512, 64, 16, 4}, [2]int{6, 2}},
	} {
		large := Params{Dense: true, Mode: c.mode, Widths: c.widths, Counters: c.large, Levels: c.levels[0]}
		small := Params{Dense: true, Mode: c.mode, Widths: c.widths, Counters: c.small, Levels: c.levels[1]}
		// There are 5,000 keys at 4 positions each. The fraction of counters in use is at most 1 -
		// e^(-20000/50000), so four of them are in use with p below 0.013.
		all[c.name] = conformFamily(c.name, large, small, c.laws, 5000, 0.013)
	}
	return all
}

func TestConformance(t *testing.T) {
	for name, f := range families() {
		t.Run(name, func(t *testing.T) { conform.Run(t, f) })
	}
}

func FuzzBlobExact(f *testing.F)    { conform.Fuzz(f, families()["exact"]) }
func FuzzBlobMi(f *testing.F)       { conform.Fuzz(f, families()["mi"]) }
func FuzzBlobStandard(f *testing.F) { conform.Fuzz(f, families()["standard"]) }
func FuzzBlobTree(f *testing.F)     { conform.Fuzz(f, families()["tree"]) }
func FuzzOpsExact(f *testing.F)     { conform.FuzzOps(f, families()["exact"]) }
func FuzzOpsPacked(f *testing.F)    { conform.FuzzOps(f, families()["standard, packed"]) }
func FuzzOpsTree(f *testing.F)      { conform.FuzzOps(f, families()["tree"]) }
