package ccbf

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// memory returns the bytes that a builder holds, which its budget must have reserved.
func (b *Builder) memory() (n int64) {
	for _, s := range b.all {
		n += sectionBytes + int64(len(s.Category)) + s.cells.Bytes() + cells.SquareBytes(s.squares.Len()) + s.counting.bytes()
	}
	if b.dense != nil {
		n += int64(len(b.dense.Body))
	}
	return n + int64(b.sample.most)*sampledBytes
}

// TestBuilderAccountsForItsMemory: a builder holds exactly the memory that it reserved, for any
// input.
func TestBuilderAccountsForItsMemory(t *testing.T) {
	for name, params := range forms() {
		for _, hold := range []int64{1 << 30, 1 << 17} {
			r := rand.New(rand.NewPCG(71, 0))
			cfg := config(t, params)
			whole := &budget{}
			b := NewBuilder(cfg, whole)
			b.Hold = hold
			check := func(when string) {
				t.Helper()
				if b.held != whole.now || b.held != b.memory() {
					t.Fatalf("%s, %s: %d bytes accounted for, %d granted, %d held", name, when, b.held, whole.now, b.memory())
				}
			}
			for i := range 12 {
				p := hot(r, 8000, 500+300*i)
				if i%3 == 2 {
					weigh(r, p)
				}
				for _, o := range p {
					noError(t, b.Add(o.Cell, nil, 0, o.n))
				}
				check("after points")
				part := builderOf(t, cfg, hot(r, 5000, 3000))
				noError(t, b.Merge(part))
				check("after a merge")
				noError(t, b.AddView(viewOf(t, blobOf(t, part))))
				check("after a BLOB")
			}
			blobOf(t, b)
			check("after the sketch is made")
		}
	}
}

// TestBuilderRefuses: what would make a sketch that is not valid is an error, and changes nothing.
func TestBuilderRefuses(t *testing.T) {
	plain, withCategories := NewBuilder(config(t, Params{Res: 1}), nil), NewBuilder(config(t, Params{Res: 1, Categories: true}), nil)
	for name, err := range map[string]error{
		"a class without a category": plain.Add(grid.Cell{}, nil, key.Text, 1),
		"an unknown class":           withCategories.Add(grid.Cell{}, []byte("a"), 77, 1),
		"itself":                     plain.Merge(plain),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for _, b := range []*Builder{plain, withCategories} {
		noError(t, Check(blobOf(t, b)))
	}
}

// However many points there are, a builder of few cells stays small.
func TestBuilderOfFewCellsStaysSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(72, 0))
	budget := &budget{}
	b := NewBuilder(config(t, Params{Bytes: 1 << 16}), budget)
	keys := make([]uint64, 1<<16)
	const distinct = 5000
	for range 40 {
		for i := range keys {
			_, _, keys[i] = cells.Key(grid.Cell{X: r.Int64N(distinct / 50), Y: r.Int64N(50)})
		}
		noError(t, b.addPoints(keys))
	}
	// A buffer, its list, memory to sort it, and words for the keys of a call; all points would take 21 MB.
	if most := int64(1 << 23); budget.most > most {
		t.Errorf("%d bytes at most for %d cells, want no more than %d", budget.most, distinct, most)
	}
	if v := viewOf(t, blobOf(t, b)); !v.IsExact() {
		t.Error("not exact")
	}
}

// A builder of mode mi that may not hold its cells becomes dense, and still
// counts no cell too few, whatever follows.
func TestHoldExceeded(t *testing.T) {
	for _, mode := range []Mode{MinimalIncrement, Standard} {
		for _, hold := range []int64{0, 1 << 12, 1 << 14, 1 << 15} {
			r := rand.New(rand.NewPCG(74, 0))
			cfg := config(t, Params{Bytes: 1 << 12, Mode: mode}) // for fewer cells than there are
			b := NewBuilder(cfg, nil)
			b.Hold = hold
			all := weigh(r, hot(r, 30_000, 10_000))
			parts := split(r, all, 3)
			for _, o := range parts[0] {
				noError(t, b.Add(o.Cell, nil, 0, o.n))
			}
			noError(t, b.Merge(builderOf(t, cfg, parts[1])))
			noError(t, b.AddView(viewOf(t, blobOf(t, builderOf(t, cfg, parts[2])))))
			v := viewOf(t, blobOf(t, b))
			if v.IsExact() {
				t.Fatalf("%v, %d bytes: still exact", mode, hold)
			}
			counts(t, "past Hold", v, all.model(), false)
			want := uint64(0)
			for _, o := range all {
				want += o.n
			}
			if n, known := v.Total(); n != want || !known {
				t.Errorf("total %d, want %d", n, want)
			}
		}
	}
}

// TestSketchOnTheWay: window functions make a sketch while they add points. It has the bytes of the
// points so far, and does not change the builder.
func TestSketchOnTheWay(t *testing.T) {
	for name, params := range forms() {
		r := rand.New(rand.NewPCG(76, 0))
		cfg := config(t, params)
		all := weigh(r, hot(r, 3000, 1500))
		b := NewBuilder(cfg, nil)
		for i, o := range all {
			if i%500 == 250 {
				so := blobOf(t, b)
				if params.Mode == Standard || !params.Dense {
					sameBytes(t, name, blobOf(t, builderOf(t, cfg, all[:i])), so)
				}
				counts(t, name, viewOf(t, so), all[:i].model(), false)
			}
			noError(t, b.Add(o.Cell, nil, 0, o.n))
		}
		if params.Mode == Standard || !params.Dense {
			sameBytes(t, name+" at the end", blobOf(t, builderOf(t, cfg, all)), blobOf(t, b))
		}
	}
}

func TestNoAllocations(t *testing.T) {
	r := rand.New(rand.NewPCG(78, 0))
	for name, params := range forms() {
		for _, with := range []bool{false, true} {
			params.Categories, params.Totals = with, with
			cfg := config(t, params)
			p := hot(r, 2000, 300)
			category, class := []byte(nil), key.Class(0)
			if with {
				category, class = []byte("some category"), key.Text
				for i := range p {
					p[i].category = string(category)
				}
			}
			b := builderOf(t, cfg, p)
			blob := blobOf(t, b)
			v := viewOf(t, blob)
			cells := make([]grid.Cell, 100)
			dst := make([]uint64, len(cells))
			for i := range cells {
				cells[i] = p[i].Cell
			}
			sum := v.Count(cells[0], category)
			for what, f := range map[string]func(){
				"Count":           func() { sum += v.Count(cells[0], category) },
				"Counts":          func() { v.Counts(dst, cells, Of(category)) },
				"Reset and Count": func() { _ = v.Reset(blob); sum += v.Count(cells[0], category) },
			} {
				if n := conform.Allocations(f); n != 0 {
					t.Errorf("%s, categories %v: %s allocates %v times", name, with, what, n)
				}
			}
			if with {
				continue
			}
			// In steady state the buffer has its size: a point is a store, but
			// for the run that each full buffer becomes.
			steady := NewBuilder(cfg, nil)
			noError(t, steady.addPoints(make([]uint64, 3*countAtOnce/2)))
			key := []uint64{7}
			if n := conform.Allocations(func() { _ = steady.addPoints(key) }); n != 0 {
				t.Errorf("%s: addPoints allocates %v times", name, n)
			}
			if n := conform.Allocations(func() { _ = steady.Add(cells[0], category, class, 1) }); n != 0 {
				t.Errorf("%s: Add allocates %v times", name, n)
			}
		}
	}
}

// Whichever request for memory is refused, building ends in that error or in the same bytes: no
// refusal is lost, and with it points.
func TestEveryRefusalIsTold(t *testing.T) {
	for name, params := range forms() {
		r := rand.New(rand.NewPCG(161, 0))
		cfg := config(t, params)
		var parts []points
		for i := range 12 { // of few points and of many
			parts = append(parts, hot(r, []int{3, 40, 300, 1500}[i%4], 3000))
		}
		made := func(b *Builder) ([]byte, error) {
			for i, p := range parts {
				part := builderOf(t, cfg, p)
				if i%3 == 1 {
					for _, o := range p {
						if err := b.Add(o.Cell, nil, 0, o.n); err != nil {
							return nil, err
						}
					}
					continue
				}
				if i%3 == 2 {
					s, err := part.Sketch()
					if err != nil {
						return nil, err
					}
					if err := b.AddView(viewOf(t, s.Blob())); err != nil {
						return nil, err
					}
					continue
				}
				if err := b.Merge(part); err != nil {
					return nil, err
				}
			}
			s, err := b.Sketch()
			if err != nil {
				return nil, err
			}
			return s.Blob(), nil
		}
		want := must(made(NewBuilder(cfg, nil)))
		told := 0
		for at := 1; ; at++ {
			budget := &budget{refuse: at}
			got, err := made(NewBuilder(cfg, budget))
			if budget.asked < at {
				break
			}
			switch {
			case err == nil:
				sameBytes(t, name+", a request refused", want, got)
			case !errors.Is(err, errFull):
				t.Fatalf("%s, request %d: %v", name, at, err)
			default:
				told++
			}
		}
		if told < 3 {
			t.Errorf("%s: %d refusals", name, told)
		}
	}
}

// Encoding changes nothing, also where the cells no longer fit: the BLOB is dense
// then, and the sketch still counts and removes exactly.
func TestBlobChangesNothing(t *testing.T) {
	for _, mode := range []Mode{MinimalIncrement, Standard} {
		r := rand.New(rand.NewPCG(97, 0))
		p := hot(r, 20_000, 5000)
		s := must(New(Params{Res: 1, Bytes: 1 << 10, Mode: mode}))
		for _, o := range p {
			noError(t, s.Add(o.Cell, nil, o.n))
		}
		blob := s.Blob()
		sameBytes(t, "a Builder's", blob, blobOf(t, builderOf(t, s.Config, p)))
		if v := must(NewView(blob)); v.IsExact() || !s.IsExact() {
			t.Fatalf("%v: the BLOB is exact: %v, the sketch: %v", mode, v.IsExact(), s.IsExact())
		}
		sameBytes(t, "once more", blob, s.Blob())
		for c, n := range p.model() {
			if got := s.count(c.Cell, nil); got != n {
				t.Fatalf("%v: %v counts %d, want %d", mode, c, got, n)
			}
			noError(t, s.Remove(c.Cell, nil, n))
		}
		sameBytes(t, "emptied", s.Blob(), must(New(Params{Res: 1, Bytes: 1 << 10, Mode: mode})).Blob())
	}
}

// TestNewIsEmpty: New returns the sketch of an empty Builder.
func TestNewIsEmpty(t *testing.T) {
	for _, p := range []Params{{Res: 1}, {Res: 0.5, Dense: true}, {Res: 2, Dense: true, Mode: Standard, Levels: 2}, {Res: 1, Categories: true, Totals: true}} {
		sameBytes(t, "empty", must(New(p)).Blob(), must(NewBuilder(must(p.Config()), nil).Sketch()).Blob())
	}
	if _, err := New(Params{}); err == nil {
		t.Error("a sketch without a resolution")
	}
}

// TestSmallOfAnySize: for any number of keys, with and without repeats, Small appends the bytes of
// a Builder. Sketches are exact, or another form if the cells do not fit.
func TestSmallOfAnySize(t *testing.T) {
	r := rand.New(rand.NewPCG(76, 0))
	var small *smallEncoder // mostly one for several, as it is used
	forms := map[Form]int{}
	for n := range 2000 {
		params := Params{Res: 0.5, Seed: uint64(n % 2), Mode: Mode(n / 2 % 2), Bytes: 400 << (n % 4)}
		if n%5 == 0 {
			params.Overflow, params.Mode = ToTree, MinimalIncrement
		}
		if n%11 == 0 { // nearly no room for an exact body
			params.Widths, params.Counters, params.Bytes, params.Overflow = []int{8}, []uint64{24}, 0, 0
		}
		cfg := config(t, params)
		keys := make([]uint64, n/2)
		for j := range keys {
			_, _, keys[j] = cells.Key(grid.Cell{X: r.Int64N(20), Y: r.Int64N(1 << (n % 30))})
		}
		before := slices.Clone(keys)
		b := NewBuilder(cfg, nil)
		noError(t, b.addPoints(keys))
		if small == nil || small.sketch.Config != cfg {
			small = newSmall(&cfg)
		}
		got, fits := small.appendBlob([]byte("x"), keys)
		want := blobOf(t, b)
		form := viewOf(t, want).Form()
		forms[form]++
		if fits != (form == Exact && len(keys) > 0) {
			t.Fatalf("%d keys of a sketch that is %v: fits %v", len(keys), form, fits)
		}
		if fits {
			sameBytes(t, "small", append([]byte("x"), want...), got)
		}
		if !slices.Equal(keys, before) {
			t.Fatal("the keys were changed")
		}
	}
	if forms[Exact] < 500 || forms[Dense] < 100 || forms[Tree] < 100 {
		t.Errorf("forms %v", forms)
	}
}

// As long as the cells are one block.
func TestSmallDoesNotAllocate(t *testing.T) {
	cfg := config(t, Params{Res: 1})
	small := newSmall(&cfg)
	keys := make([]uint64, 128)
	for i := range keys {
		keys[i] = uint64(i*i) * 0x9e3779b9 >> 20
	}
	blob, _ := small.appendBlob(nil, keys)
	for _, n := range []int{1, 5, 6, 20, 128} {
		if allocs := testing.AllocsPerRun(100, func() { blob, _ = small.appendBlob(blob[:0], keys[:n]) }); allocs != 0 {
			t.Errorf("%d keys: %v allocations", n, allocs)
		}
	}
}
