package ccbf

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// anyParams draws parameters that sketches of one grid can have.
func anyParams(r *rand.Rand) Params {
	p := Params{Res: 1, Bytes: []uint64{0, 1 << 12, 1 << 14, 50_000}[r.IntN(4)], Seed: r.Uint64N(2)}
	switch r.IntN(6) {
	case 0:
		p.Mode = Standard
	case 1:
		p.K = 1 + r.IntN(8)
	case 2:
		p.Levels = r.IntN(4)
	case 3:
		p.Widths = [][]int{{8, 16}, {16, 16}, {8, 16, 32}}[r.IntN(3)]
	case 4:
		p.Bytes, p.Counters = 0, []uint64{2048 << r.IntN(3), 1024, 16, 4}
	}
	return p
}

// united is the union of BLOBs in an order, some of them put together before.
func united(t *testing.T, r *rand.Rand, blobs [][]byte, order []int) []byte {
	t.Helper()
	parts := []*Builder{NewBuilder(viewOf(t, blobs[order[0]]).Config, nil)}
	for _, i := range order {
		v := viewOf(t, blobs[i])
		if r.IntN(3) == 0 {
			parts = append(parts, NewBuilder(v.Config, nil))
		}
		noError(t, parts[len(parts)-1].AddView(v))
	}
	for len(parts) > 1 {
		i := r.IntN(len(parts) - 1)
		if parts[i+1].form() == Exact && parts[i+1].total == 0 && len(parts[i+1].all) == 0 && !parts[i+1].sketches {
			t.Fatal("a part of nothing")
		}
		if !parts[i].sketches { // the first, where the first sketch began another
			parts[i] = NewBuilder(parts[i+1].Config, nil)
		}
		noError(t, parts[i].Merge(parts[i+1]))
		parts = append(parts[:i+1], parts[i+2:]...)
	}
	return blobOf(t, parts[0])
}

// TestExactSketchesOfAnyParametersCombine: exact sketches of any parameters unite and intersect.
// They give the same bytes in any order and grouping, and are exact if the largest Bytes hold them.
func TestExactSketchesOfAnyParametersCombine(t *testing.T) {
	for round := range 60 {
		r := rand.New(rand.NewPCG(301, uint64(round)))
		var blobs [][]byte
		var all points
		most, common := uint64(0), model(nil)
		for i := range 2 + r.IntN(4) {
			p := weigh(r, hot(r, r.IntN(400), 300))
			s := sketchOf(t, config(t, anyParams(r)), p)
			if !s.IsExact() {
				t.Fatal("not exact")
			}
			most = max(most, s.Bytes)
			blobs, all = append(blobs, s.Blob()), append(all, p...)
			if i == 0 {
				common = p.model()
			} else {
				common = combined(common, p.model(), func(x, y uint64) uint64 { return min(x, y) })
			}
		}
		want, both := []byte(nil), []byte(nil)
		for range 5 {
			order := r.Perm(len(blobs))
			got := united(t, r, blobs, order)
			x := newIntersector(nil)
			for _, i := range order {
				noError(t, x.AddView(viewOf(t, blobs[i])))
			}
			narrow := must(x.Sketch()).Blob()
			if want == nil {
				want, both = got, narrow
			}
			sameBytes(t, "union in another order", want, got)
			sameBytes(t, "intersection in another order", both, narrow)
		}
		for what, c := range map[string]struct {
			blob  []byte
			model model
		}{"union": {want, all.model()}, "intersection": {both, common}} {
			v := viewOf(t, c.blob)
			if !v.IsExact() || v.Bytes != most || must(Decode(c.blob)) == nil {
				t.Fatalf("%s: a %v in %d bytes, want %d", what, v.Form(), v.Bytes, most)
			}
			counts(t, what, v, c.model, true)
		}
		// Two of them, both ways round; subtract and mask keep what the left one is.
		a, b := must(Decode(blobs[0])), must(Decode(blobs[1]))
		c, d := must(Decode(blobs[0])), must(Decode(blobs[1]))
		noError(t, c.Intersect(b))
		noError(t, d.Intersect(a))
		sameBytes(t, "intersect", c.Blob(), d.Blob())
		u := must(Decode(united(t, r, blobs, []int{0, 1})))
		parameters := u.Config
		noError(t, u.Subtract(b))
		if u.Config != parameters {
			t.Error("subtract changed parameters")
		}
		counts(t, "subtract", viewOf(t, u.Blob()), exactModel(blobs[0]), true)
		parameters = a.Config
		noError(t, a.Mask(b))
		if a.Config != parameters {
			t.Error("mask changed parameters")
		}
	}
}

// TestExactSketchesMeetOthers: exact sketches of any parameters combine with trees, and with
// counters, which decide on all other parameters. In mode standard the order does not matter.
func TestExactSketchesMeetOthers(t *testing.T) {
	for _, other := range []Params{
		{Dense: true, Mode: Standard, Bytes: 5000}, {Dense: true, Bytes: 3000, K: 3}, {Dense: true, Bytes: 4096, Levels: 2}, {Bytes: 1500},
	} {
		for round := range 6 {
			r := rand.New(rand.NewPCG(302, uint64(round)))
			p := strewn(r, 1500)
			s := sketchOf(t, config(t, other), p)
			form := s.Form()
			if form == Exact {
				t.Fatal("exact")
			}
			blobs, all, most := [][]byte{s.Blob()}, p, s.Bytes
			for range 3 {
				p := weigh(r, hot(r, 100, 3000))
				e := sketchOf(t, config(t, anyParams(r)), p)
				most = max(most, e.Bytes)
				blobs, all = append(blobs, e.Blob()), append(all, p...)
			}
			var want []byte
			for range 4 {
				got := united(t, r, blobs, r.Perm(len(blobs)))
				v := viewOf(t, got)
				noError(t, Check(got))
				counts(t, form.String(), v, all.model(), false)
				switch {
				case v.Form() != form:
					t.Fatalf("a %v and exact ones are %v", form, v.Form())
				case form == Dense && v.Config != s.Config:
					t.Fatalf("%+v, of counters that are %+v", v.Config, s.Config)
				case form == Tree && v.Bytes != most:
					t.Fatalf("a tree of %d bytes, want %d", v.Bytes, most)
				}
				if want == nil {
					want = got
				}
				if form == Tree || other.Mode == Standard {
					sameBytes(t, "another order", want, got)
				}
			}
			e := must(Decode(blobs[1]))
			for _, op := range operations {
				truth := [2]model{p.model(), exactModel(blobs[1])}
				for i, pair := range [][2]*Sketch{{must(Decode(blobs[0])), e}, {must(Decode(blobs[1])), s}} {
					model := combined(truth[i], truth[1-i], op.model)
					noError(t, op.run(pair[0], pair[1]))
					blob := pair[0].Blob()
					noError(t, Check(blob))
					counts(t, op.name, viewOf(t, blob), model, false)
				}
			}
		}
	}
}

// strewn is n points, hardly two of them in a cell.
func strewn(r *rand.Rand, n int) points {
	var p points
	for range n {
		p.add(spot{grid.Cell{X: r.Int64N(400) - 200, Y: r.Int64N(400) - 200}, plain}, 1+r.Uint64N(3))
	}
	return p
}

// exactModel is the cells of an exact BLOB.
func exactModel(blob []byte) model {
	m := model{}
	for _, s := range must(Decode(blob)).squares.Sections {
		for i, k := range s.Keys {
			m[spot{cells.CellOf(s.X, s.Y, k), plain}] = s.Counts[i]
		}
	}
	return m
}

// Trees of any bytes unite, and a tree and counters do not.
func TestTreesOfOtherBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(303, 0))
	p, q := strewn(r, 2000), strewn(r, 2000)
	a, b := sketchOf(t, config(t, Params{Bytes: 1000}), p), sketchOf(t, config(t, Params{Bytes: 2000}), q)
	if a.Form() != Tree || b.Form() != Tree {
		t.Fatal("no trees")
	}
	u := united(t, r, [][]byte{a.Blob(), b.Blob()}, []int{0, 1})
	v := viewOf(t, u)
	counts(t, "trees", v, append(p, q...).model(), false)
	if v.Bytes != 2000 || v.Form() != Tree {
		t.Errorf("a %v of %d bytes", v.Form(), v.Bytes)
	}
	sameBytes(t, "the other way", u, united(t, r, [][]byte{b.Blob(), a.Blob()}, []int{0, 1}))
	c := emptySketch(Params{Res: 1, Dense: true})
	if err := a.Intersect(c); !errors.Is(err, ErrForms) {
		t.Error(err)
	}
	x := newIntersector(nil)
	noError(t, x.AddView(viewOf(t, c.Blob())))
	if err := x.AddView(viewOf(t, b.Blob())); !errors.Is(err, ErrForms) {
		t.Error(err)
	}
}

// A sketch that is small in its own bytes, and many cells of others with fewer bytes: in
// any order they are one exact sketch.
func TestFewerBytesFirst(t *testing.T) {
	for _, p := range []Params{{Bytes: 512}, {Bytes: 512, Mode: Standard}} {
		r := rand.New(rand.NewPCG(304, 0))
		blobs := [][]byte{sketchOf(t, config(t, Params{Bytes: 1 << 16, Mode: p.Mode}), nil).Blob()}
		for i := range int64(100) {
			var q points
			for j := range int64(100) {
				q.add(spot{grid.Cell{X: 100*i + j, Y: j}, plain}, 1)
			}
			s := sketchOf(t, config(t, p), q)
			if !s.IsExact() {
				t.Fatal("not exact")
			}
			blobs = append(blobs, s.Blob())
		}
		order := r.Perm(len(blobs))
		for i, at := range order { // the large one last
			if at == 0 {
				order[i], order[len(order)-1] = order[len(order)-1], 0
			}
		}
		u := united(t, r, blobs, order)
		if v := viewOf(t, u); !v.IsExact() {
			t.Errorf("a %v", v.Form())
		}
		sameBytes(t, "the large one first", u, united(t, r, blobs, r.Perm(len(blobs))))
	}
}
