package ccbf

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// split deals points out to n parts of unequal size, some of them empty.
func split(r *rand.Rand, p points, n int) []points {
	parts := make([]points, n)
	for _, o := range p {
		i := r.IntN(n)
		i = r.IntN(i + 1) // the first get most
		parts[i].add(o.spot, o.n)
	}
	return parts
}

// unite makes one builder of parts in a random tree: by Builder.Merge, and by AddView of a BLOB if views
// is true. It leaves its sources unchanged, and accounts for its memory.
func unite(t testing.TB, r *rand.Rand, c Config, parts []points, views bool) *Builder {
	t.Helper()
	var bs []*Builder
	for _, p := range parts {
		b := NewBuilder(c, &budget{})
		for _, o := range p {
			noError(t, b.Add(o.Cell, o.bytes(), o.class(), o.n))
		}
		bs = append(bs, b)
	}
	sources := map[*Builder][]byte{}
	for len(bs) > 1 {
		i := r.IntN(len(bs) - 1)
		into, from := bs[i], bs[i+1]
		if r.IntN(2) == 0 {
			into, from = from, into
		}
		before := blobOf(t, from)
		if views && r.IntN(2) == 0 {
			noError(t, into.AddView(viewOf(t, before)))
		} else {
			noError(t, into.Merge(from))
			sources[from] = before
		}
		if into.held != into.budget.(*budget).now || into.held != into.memory() {
			t.Fatalf("%d bytes accounted for, %d granted, %d held", into.held, into.budget.(*budget).now, into.memory())
		}
		bs[i] = into
		bs = append(bs[:i+1], bs[i+2:]...)
	}
	for from, before := range sources { // at the end, as the union has grown since
		sameBytes(t, "the source of a merge", before, blobOf(t, from))
	}
	return bs[0]
}

// weigh gives every fifth point a weight.
func weigh(r *rand.Rand, p points) points {
	for i := range p {
		if i%5 == 0 {
			p[i].n = 1 + r.Uint64N(1000)
		}
	}
	return p
}

// TestUnionIsTheWhole: the union of parts has the bytes of the whole, for any parts, order
// and tree of merges. Sketches have counters from the first row on, stay exact, or are exact until
// the cells no longer fit. In mode mi this holds while exact counts are known: for builders, not for their
// BLOBs. Otherwise no count is too low.
func TestUnionIsTheWhole(t *testing.T) {
	for name, c := range map[string]struct {
		params Params
		points int
		form   Form
	}{
		"dense 8,16,32":                       {Params{Dense: true, Mode: Standard, Bytes: 4096}, 3000, Dense},
		"dense 2,2,2":                         {Params{Dense: true, Mode: Standard, Widths: []int{2, 2, 2}, Counters: []uint64{96, 24, 6}}, 800, Dense},
		"dense 4,8,16,32":                     {Params{Dense: true, Mode: Standard, Widths: []int{4, 8, 16, 32}, Bytes: 4096}, 3000, Dense},
		"dense 4,6,12":                        {Params{Dense: true, Mode: Standard, Widths: []int{4, 6, 12}, Counters: []uint64{1 << 12, 1 << 9, 1 << 6}}, 3000, Dense},
		"dense 12":                            {Params{Dense: true, Mode: Standard, Widths: []int{12}, Counters: []uint64{1001}}, 3000, Dense},
		"dense mi":                            {Params{Dense: true, Bytes: 4096}, 3000, Dense},
		"exact":                               {Params{Bytes: 1 << 20}, 60_000, Exact},
		"exact, standard":                     {Params{Bytes: 1 << 16, Mode: Standard}, 3000, Exact},
		"exact, counters":                     {Params{Bytes: 1 << 20, Overflow: ToCounters}, 60_000, Exact},
		"exact, then dense":                   {Params{Bytes: 1 << 9, Mode: Standard}, 3000, Dense},
		"exact, then dense while building":    {Params{Bytes: 1 << 9, Mode: Standard}, 30_000, Dense},
		"exact, then dense, 3,5,7":            {Params{Mode: Standard, Widths: []int{3, 5, 7}, Counters: []uint64{600, 60, 6}}, 3000, Dense},
		"exact, then dense mi, only builders": {Params{Bytes: 1 << 10, Overflow: ToCounters}, 8000, Dense},
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(21, uint64(c.points)))
			cfg := config(t, c.params)
			all := weigh(r, hot(r, c.points, c.points*2/3))
			for i := range all {
				if i%300 == 7 && c.form == Exact {
					all[i].n = 1 << r.UintN(40) // too large to be packed
				}
			}
			whole := blobOf(t, builderOf(t, cfg, all))
			v := viewOf(t, whole)
			if v.Form() != c.form {
				t.Fatalf("the whole is %v, want %v", v.Form(), c.form)
			}
			counts(t, "the whole", v, all.model(), c.form == Exact)
			for n := 2; n <= 10; n += 1 + c.points/20_000 {
				later := c.params.Overflow == ToCounters && c.form == Dense
				got := blobOf(t, unite(t, r, cfg, split(r, all.shuffled(r), n), !later))
				if c.params.Dense && c.params.Mode == MinimalIncrement {
					counts(t, "the union", viewOf(t, got), all.model(), false)
				} else {
					sameBytes(t, fmt.Sprintf("%d parts", n), whole, got)
				}
			}
		})
	}
}

// Every way to add the same points makes the same bytes.
func TestWaysToAdd(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 0))
	all := hot(r, 20_000, 3000)
	for _, p := range []Params{
		{Bytes: 1 << 15}, {Bytes: 1 << 10}, {Bytes: 1 << 10, Overflow: ToCounters}, {Bytes: 1 << 10, Mode: Standard},
		{Bytes: 1 << 12, Dense: true, Mode: Standard}, {Bytes: 1 << 12, Dense: true},
	} {
		cfg := config(t, p)
		want := blobOf(t, builderOf(t, cfg, all))
		var xs, ys []float64
		for _, o := range all {
			x, y := cfg.Grid.Center(o.Cell)
			xs, ys = append(xs, x), append(ys, y)
		}
		keys := make([]uint64, len(all))
		if n := cells.Keys(keys, xs, ys, cfg.Grid); n != len(all) {
			t.Fatalf("%d of %d points have a key", n, len(all))
		}
		one, batch, mixed := NewBuilder(cfg, nil), NewBuilder(cfg, nil), NewBuilder(cfg, nil)
		for i, k := range keys {
			noError(t, one.addPoints([]uint64{k}))
			var err error
			if i%1000 < 500 {
				err = mixed.addPoints([]uint64{k})
			} else {
				err = mixed.Add(all[i].Cell, nil, 0, 1)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		for from := 0; from < len(keys); {
			to := min(len(keys), from+r.IntN(3000))
			noError(t, batch.addPoints(keys[from:to]))
			from = to
		}
		for name, b := range map[string]*Builder{"one by one": one, "in batches": batch, "in both ways": mixed} {
			sameBytes(t, fmt.Sprintf("%+v %s", p, name), want, blobOf(t, b))
		}
		sameBytes(t, "the sketch of the same cells", want, must(one.Sketch()).Blob())
		if s := must(one.Sketch()); s.Total != uint64(len(keys)) || !s.TotalKnown {
			t.Errorf("total %d, known %v", s.Total, s.TotalKnown)
		}
	}
}

// Cells that come again and again are not taken for many.
func TestFewCellsStayExact(t *testing.T) {
	for name, params := range map[string]Params{"tree": {Bytes: 4000}, "counters": {Bytes: 4000, Overflow: ToCounters}, "standard": {Bytes: 4000, Mode: Standard}} {
		cfg := config(t, params)
		part, first := NewBuilder(cfg, nil), grid.Cell{X: 7, Y: 0}
		for i := range 600 {
			noError(t, part.Add(grid.Cell{X: int64(i * 7 % 40), Y: int64(i / 40)}, nil, 0, 1))
		}
		v := viewOf(t, blobOf(t, part))
		b := NewBuilder(cfg, nil)
		b.Hold = 1 << 20
		most := int64(0)
		for range 400 {
			noError(t, b.AddView(v))
			most = max(most, b.held)
		}
		if most > 2*b.Hold || 400*cells.Bytes(600) < 2*b.Hold {
			t.Errorf("%s: %d bytes held, %d are enough", name, most, b.Hold)
		}
		s := must(b.Sketch())
		if !s.IsExact() || s.Total != 400*600 || s.count(first, nil) != 400*v.Count(first, nil) {
			t.Errorf("%s: %v, total %d", name, s.Form(), s.Total)
		}
	}
}

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

// Adding parts up in any order comes to the same, and an empty one changes nothing.
func TestPartsInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(270, 0))
	type some struct {
		p     cascade.Origin
		total uint64
	}
	add := func(a, b some) some { return some{a.p.With(a.total, b.p, b.total), a.total + b.total} }
	for range 2000 {
		all := make([]some, 3)
		for i := range all {
			all[i].total = r.Uint64() >> (2 + r.UintN(62)) * r.Uint64N(4) / 3
			if r.IntN(2) == 0 {
				all[i].p = cascade.OnePart(all[i].total)
			}
			if all[i].total > 0 && r.IntN(4) == 0 {
				all[i].p = cascade.Origin{Number: uint8(1 + r.UintN(cascade.MostParts)), Halved: 0, Largest: cascade.Scaled(all[i].total)}
			}
		}
		a, b, c := all[0], all[1], all[2]
		if x, y := add(add(a, b), c), add(a, add(c, b)); x != y {
			t.Fatalf("%v: %v and %v", all, x, y)
		}
		if x := add(some{}, a); x != a {
			t.Fatalf("%v with nothing: %v", a, x)
		}
	}
}

// TestPartsInBlobs: a BLOB with impossible parts is refused. These are parts in an exact sketch or
// in mode standard, parts of no size, and halvings without a part.
func TestPartsInBlobs(t *testing.T) {
	p := cities()
	v := viewOf(t, blobOf(t, builderOf(t, config(t, Params{Res: 0.01, Dense: true, Bytes: 512}), p)))
	if v.parts != cascade.OnePart(6) {
		t.Errorf("streamed: %+v", v.parts)
	}
	for _, c := range []struct {
		params          Params
		number, largest byte
		valid           bool
	}{
		{Params{}, 0, 0, true},
		{Params{}, 1, 9, false},
		{Params{Dense: true, Mode: Standard}, 0, 0, true},
		{Params{Dense: true, Mode: Standard}, 1, 9, false},
		{Params{Dense: true}, 0, 0, true},
		{Params{Dense: true}, 63 | 3<<6, 255, true},
		{Params{Dense: true}, 1, 0, false},
		{Params{Dense: true}, 0, 9, false},
		{Params{Dense: true}, 1 << 6, 9, false},
		{Params{Dense: true}, 1 << 6, 0, false},
	} {
		c.params.Bytes = 512
		blob := blobOf(t, builderOf(t, config(t, c.params), p))
		if c.number != 0 || c.largest != 0 {
			blob = edited(t, blob, func(p *Head) { p.parts = cascade.OnePart(1) })
			end := len(blob) - len(must(sketch.Parse(blob)).Body)
			blob[end-2], blob[end-1] = c.number, c.largest
		}
		var v View
		if err := v.Reset(blob); (err == nil) != c.valid || err != nil && !errors.Is(err, sketch.ErrInvalid) {
			t.Errorf("%+v, %#x %#x: %v", c.params, c.number, c.largest, err)
		}
		if c.valid {
			v.Error() // whatever it says
		}
	}
}
