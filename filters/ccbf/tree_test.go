package ccbf

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// villages are n points in some towns and a few anywhere, in categories where there are
// any.
func villages(r *rand.Rand, n int, categories ...string) points {
	var centres [6][3]float64
	for i := range centres {
		centres[i] = [3]float64{r.Float64()*3000 - 1500, r.Float64()*3000 - 1500, 2 + r.Float64()*30}
	}
	var p points
	for range n {
		c := centres[r.IntN(len(centres))]
		at := grid.Cell{X: int64(c[0] + c[2]*r.NormFloat64()), Y: int64(c[1] + c[2]*r.NormFloat64())}
		if r.IntN(20) == 0 {
			at = grid.Cell{X: r.Int64N(4000) - 2000, Y: r.Int64N(4000) - 2000}
		}
		s := spot{at, plain}
		if len(categories) > 0 {
			s.category = categories[r.IntN(len(categories))]
		}
		p.add(s, 1+r.Uint64N(3))
	}
	return p
}

// TestTree: counts of a tree are never below the truth and its bounds hold, after building,
// uniting, pruning and removing points.
func TestTree(t *testing.T) {
	r := rand.New(rand.NewPCG(150, 0))
	for _, kind := range []struct {
		name       string
		p          Params
		categories []string
	}{
		{"plain", Params{Bytes: 3000}, nil},
		{"few bytes", Params{Bytes: 400}, nil},
		{"categories", Params{Bytes: 3000, Categories: true, Totals: true}, []string{"", "oak", "elm"}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			kind.p.Overflow = ToTree
			c := config(t, kind.p)
			all := points{}
			var blobs [][]byte
			for range 4 {
				p := villages(r, 5000, kind.categories...)
				blob := blobOf(t, builderOf(t, c, p))
				sameBytes(t, "another order", blob, blobOf(t, builderOf(t, c, p.shuffled(r))))
				if v := viewOf(t, blob); v.Form() != Tree || len(v.treeBytes()) > int(c.Bytes) {
					t.Fatalf("a %v of %d bytes", v.Form(), len(blob))
				}
				blobs = append(blobs, blob)
				all = append(all, p...)
				if len(blobs) == 1 {
					j := judge{t, r, viewOf(t, blob), p.model(), true}
					j.check("built", kind.categories...)
				}
			}
			united := uniteBlobs(t, c, blobs...)
			sameBytes(t, "another order of sketches", united, uniteBlobs(t, c, blobs[2], blobs[0], blobs[3], blobs[1]))
			j := judge{t, r, viewOf(t, united), all.model(), true}
			j.check("united", kind.categories...)

			s := must(Decode(united))
			sameBytes(t, "written again", united, s.Blob())
			noError(t, s.Fold(uint64(len(united))*2/3))
			folded := s.Blob()
			if len(folded) > len(united)*2/3 {
				t.Fatalf("folded to %d of %d bytes", len(folded), len(united))
			}
			j.v = viewOf(t, folded)
			j.check("folded", kind.categories...)

			// Some points leave, some move.
			for i, o := range all {
				switch {
				case i%7 == 0:
					noError(t, s.Remove(o.Cell, o.bytes(), o.n))
					j.truth[o.spot] -= o.n
				case i%7 == 1 && i < 2000:
					to := spot{grid.Cell{X: o.X + 3, Y: o.Y - 900}, o.category}
					noError(t, s.Move(o.Cell, to.Cell, o.bytes(), &o.n))
					j.truth[o.spot] -= o.n
					j.truth[to] += o.n
				}
			}
			j.v = viewOf(t, s.Blob())
			j.check("after some left", kind.categories...)
		})
	}
}

func (v *View) treeBytes() []byte {
	b, _ := sketch.ParseAs(id, v.blob)
	return b.Body
}

func uniteBlobs(t *testing.T, c Config, blobs ...[]byte) []byte {
	t.Helper()
	b := NewBuilder(c, nil)
	for _, blob := range blobs {
		noError(t, b.AddView(viewOf(t, blob)))
	}
	return blobOf(t, b)
}

// Intersection and mask of trees, and of trees and exact sketches, are never below
// the truth.
func TestTreeNarrows(t *testing.T) {
	r := rand.New(rand.NewPCG(152, 0))
	c := config(t, Params{Bytes: 2500, Overflow: ToTree})
	p, q := villages(r, 6000), points{}
	for i, o := range p {
		if i%3 > 0 {
			q.add(o.spot, o.n+uint64(i%2))
		}
	}
	q = append(q, villages(r, 2000)...)
	few := p[:300]
	m := p.model()
	for _, right := range []points{q, few} {
		o := right.model()
		both, masked := model{}, model{}
		for s, n := range m {
			if o[s] > 0 {
				both[s], masked[s] = min(n, o[s]), n
			}
		}
		for _, op := range []struct {
			name  string
			do    func(a, b *Sketch) error
			truth model
		}{{"intersect", (*Sketch).Intersect, both}, {"mask", (*Sketch).Mask, masked}} {
			a, b := sketchOf(t, c, p), sketchOf(t, c, right)
			before := b.Blob()
			noError(t, op.do(a, b))
			sameBytes(t, "the right side of "+op.name, before, b.Blob())
			v := viewOf(t, a.Blob())
			if _, known := v.Total(); known || v.additive() || v.Form() != Tree {
				t.Fatalf("%s: a %v whose total is known (%v), additive %v", op.name, v.Form(), known, v.additive())
			}
			j := judge{t, r, v, op.truth, false}
			j.check(op.name)
			if err := a.Remove(p[0].Cell, nil, 1); !errors.Is(err, errNarrowed) {
				t.Errorf("%s: removal is %v", op.name, err)
			}
			if err := a.Subtract(b); !errors.Is(err, errNarrowed) {
				t.Errorf("%s: subtraction is %v", op.name, err)
			}
		}
		x := newIntersector(nil)
		for _, part := range []points{p, right} {
			noError(t, x.AddView(viewOf(t, blobOf(t, builderOf(t, c, part)))))
		}
		j := judge{t, r, viewOf(t, must(x.Sketch()).Blob()), both, false}
		j.check("intersect_agg")
	}
}

// TestTreeSubtracts: subtracting a part of the points leaves the others. Anything else is an error.
func TestTreeSubtracts(t *testing.T) {
	r := rand.New(rand.NewPCG(153, 0))
	c := config(t, Params{Bytes: 2500, Overflow: ToTree})
	p := villages(r, 6000)
	s, part := sketchOf(t, c, p), sketchOf(t, c, p[:200])
	if part.Form() != Exact {
		t.Fatal("the part is to be exact")
	}
	noError(t, s.Subtract(part))
	j := judge{t, r, viewOf(t, s.Blob()), p[200:].model(), true}
	j.check("less its part")
	if err := part.Subtract(sketchOf(t, c, p)); !errors.Is(err, sketch.ErrNotAdditive) && !errors.Is(err, sketch.ErrTooMany) {
		t.Errorf("an exact sketch less a tree: %v", err)
	}
	if err := sketchOf(t, c, p).Subtract(sketchOf(t, c, villages(r, 300))); !errors.Is(err, sketch.ErrTooMany) {
		t.Errorf("points that are not there: %v", err)
	}
}

// A builder that has to prune what it has keeps all promises.
func TestTreePrunesOnTheWay(t *testing.T) {
	r := rand.New(rand.NewPCG(154, 0))
	c := config(t, Params{Bytes: 400, Overflow: ToTree})
	p := villages(r, 60_000)
	b := NewBuilder(c, nil)
	for i, o := range p {
		noError(t, b.Add(o.Cell, nil, 0, o.n))
		if most := 4 * 8 * b.mostCells(); i%7 == 0 && b.held > most { // a front, and lists of twice as many words
			t.Fatalf("%d bytes are held, at most %d", b.held, most)
		}
	}
	if !b.pruned {
		t.Fatal("it was never pruned")
	}
	j := judge{t, r, viewOf(t, blobOf(t, b)), p.model(), true}
	j.check("pruned on the way")
	sampledError(t, "pruned on the way", j.v, p.model())
	// In two builders, one merged into the other.
	left, right := builderOf(t, c, p[:50_000]), builderOf(t, c, p[50_000:])
	noError(t, left.Merge(right))
	j.v = viewOf(t, blobOf(t, left))
	j.check("merged")
	sampledError(t, "merged", j.v, p.model())
}

// sampledError holds the error that a tree states, which was pruned while it was built, against
// its counts. A sample has at least half as many cells as it may have, and its mean is within 4
// standard deviations.
func sampledError(t *testing.T, what string, v *View, m model) {
	t.Helper()
	sum, squares, most := 0.0, 0.0, uint64(0)
	for s, n := range m {
		excess := v.Count(s.Cell, nil) - n
		most = max(most, excess)
		sum += float64(excess)
		squares += float64(excess) * float64(excess)
	}
	n := float64(len(m))
	mean := sum / n
	bound := 4 * math.Sqrt((squares/n-mean*mean)/float64(sampleSize(v.Bytes)/2))
	if e := v.Error(); !e.Measured || !e.Certain || e.Most < most || math.Abs(e.Occupied.Excess-mean) > bound {
		t.Errorf("%s: %+v, measured: most %d, occupied %g +- %g", what, e, most, mean, bound)
	}
	if i := v.Info(); i.CellsKnown {
		t.Errorf("%s: the number of cells is known, %d", what, i.Cells)
	}
}

// The error that a tree states is the one that its cells have.
func TestTreeError(t *testing.T) {
	r := rand.New(rand.NewPCG(155, 0))
	for range 3 {
		p := villages(r, 8000)
		for i := range p { // in fewer cells, all of which are queried
			p[i].X, p[i].Y = p[i].X>>3, p[i].Y>>3
		}
		v := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Bytes: 400 + r.Uint64N(300), Overflow: ToTree}), p)))
		e, m := v.Error(), p.model()
		over, most := 0.0, uint64(0)
		for s, n := range m {
			over += float64(v.Count(s.Cell, nil) - n)
		}
		none, held := 0.0, 0.0
		for x := v.Bounds.MinX; x <= v.Bounds.MaxX; x++ {
			for y := v.Bounds.MinY; y <= v.Bounds.MaxY; y++ {
				c := grid.Cell{X: x, Y: y}
				got, n := v.Count(c, nil), m[spot{c, plain}]
				most = max(most, got-n)
				if none += float64(got - n); n == 0 && got > 0 {
					held++
				}
			}
		}
		empty := float64(v.Bounds.Count()) - float64(len(m))
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(a, b) }
		if !e.Measured || !e.Certain || e.Most < most || !near(e.Occupied.Excess, over/float64(len(m))) ||
			!near(e.Empty.Excess, (none-over)/empty) || !near(e.Empty.Probability, held/empty) {
			t.Errorf("%+v, measured: most %d, occupied %g, empty %g with probability %g", e, most, over/float64(len(m)), (none-over)/empty, held/empty)
		}
		if i := v.Info(); i.Form != Tree || i.Cells != uint64(len(m)) || !i.CellsKnown || i.Tau == 0 || i.Leaves == 0 || i.Leaves > i.Cells {
			t.Errorf("%+v of %d cells", i, len(m))
		}
	}
}

// Where a tree cannot be because its categories take too much there are counters, and
// the two do not combine.
func TestTreeFallsBack(t *testing.T) {
	c := config(t, Params{Bytes: 400, Overflow: ToTree, Categories: true})
	var many, few points
	for i := range int64(200) {
		many.add(spot{grid.Cell{X: i * 7 % 50, Y: i % 3}, fmt.Sprint("category ", i)}, 1)
		few.add(spot{grid.Cell{X: i * i % 5000, Y: i % 300}, "oak"}, 1)
	}
	var most points // more than are held before anything is pruned
	for i := range int64(2000) {
		most.add(spot{grid.Cell{X: i * 7 % 50, Y: i % 3}, fmt.Sprint("category ", i)}, 1)
	}
	counts(t, "counters of many", viewOf(t, blobOf(t, builderOf(t, c, most))), most.model(), false)
	dense, tree := blobOf(t, builderOf(t, c, many)), blobOf(t, builderOf(t, c, few))
	v := viewOf(t, dense)
	if v.Form() != Dense || viewOf(t, tree).Form() != Tree {
		t.Fatalf("a %v and a %v", v.Form(), viewOf(t, tree).Form())
	}
	counts(t, "counters", v, many.model(), false)
	for _, order := range [][][]byte{{dense, tree}, {tree, dense}} {
		b := NewBuilder(c, nil)
		err := b.AddView(viewOf(t, order[0]))
		if err == nil {
			err = b.AddView(viewOf(t, order[1]))
		}
		if !errors.Is(err, ErrForms) {
			t.Errorf("a union is %v", err)
		}
		if err := must(Decode(order[0])).Intersect(must(Decode(order[1]))); !errors.Is(err, ErrForms) {
			t.Errorf("an intersection is %v", err)
		}
	}
	// A tree takes no more sections than it has bytes for.
	s := must(Decode(tree))
	var err error
	for i := 0; i < 1000 && err == nil; i++ {
		err = s.Add(grid.Cell{}, fmt.Append(nil, "another category ", i), 1)
	}
	if !errors.Is(err, sketch.ErrOption) {
		t.Errorf("categories without end: %v", err)
	}
	if v := viewOf(t, s.Blob()); v.Form() != Tree {
		t.Errorf("a %v", v.Form())
	}
}

// Options of counters ask for counters.
func TestOverflow(t *testing.T) {
	for _, p := range []Params{{Dense: true}, {K: 4}, {Mode: Standard}, {Widths: []int{8, 16, 32}}, {Counters: []uint64{1024, 128, 16, 4}}, {Levels: 2}} {
		if c := config(t, p); c.Overflow != ToCounters {
			t.Errorf("%+v: %v", p, c.Overflow)
		}
		p.Res, p.Overflow = 1, ToTree
		if _, err := p.Config(); !errors.Is(err, sketch.ErrOption) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if _, err := (Params{Res: 1, Overflow: 3}).Config(); !errors.Is(err, sketch.ErrOption) {
		t.Error(err)
	}
	a, b := config(t, Params{Overflow: ToTree}), config(t, Params{Overflow: ToCounters})
	if err := a.differ(&b); !errors.Is(err, sketch.ErrDiffer) {
		t.Error(err)
	}
	// A tree with no points left is one, and has no bounds.
	s := sketchOf(t, config(t, Params{Bytes: 400, Overflow: ToTree}), villages(rand.New(rand.NewPCG(156, 0)), 500))
	x, y := s.bounds, s.squares.Sections.Total()
	if s.Form() != Tree || x == grid.EmptyRect() || y == 0 {
		t.Fatalf("a %v of %d points", s.Form(), y)
	}
}

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
