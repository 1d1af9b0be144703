package ccbf

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
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
			sameBytes(t, "the source of a merge", before, blobOf(t, from))
		}
		if into.held != into.budget.(*budget).now || into.held != into.memory() {
			t.Fatalf("%d bytes accounted for, %d granted, %d held", into.held, into.budget.(*budget).now, into.memory())
		}
		bs[i] = into
		bs = append(bs[:i+1], bs[i+2:]...)
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
