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

// unite makes one builder of parts in a random tree: by Builder.Merge, by
// AddView of a BLOB, or by adding the points themselves.
func unite(t testing.TB, r *rand.Rand, c Config, parts []points) *Builder {
	t.Helper()
	var bs []*Builder
	for _, p := range parts {
		bs = append(bs, builderOf(t, c, p))
	}
	for len(bs) > 1 {
		i := r.IntN(len(bs) - 1)
		into, from := bs[i], bs[i+1]
		if r.IntN(2) == 0 {
			into, from = from, into
		}
		if r.IntN(2) == 0 {
			noError(t, into.Merge(from))
		} else {
			noError(t, into.AddView(viewOf(t, blobOf(t, from))))
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

// TestStandardUnionIsTheWhole: the union of parts has the bytes of the whole, for any parts, order
// and tree of merges. Sketches have counters from the first row on, stay exact, or are exact until
// the cells no longer fit.
func TestStandardUnionIsTheWhole(t *testing.T) {
	for _, c := range []struct {
		name   string
		params Params
		points int
		cells  int
		exact  bool
	}{
		{"dense 8,16,32", Params{Dense: true, Bytes: 4096}, 3000, 2000, false},
		{"dense 2,2,2", Params{Dense: true, Widths: []int{2, 2, 2}, Counters: []uint64{96, 24, 6}}, 3000, 500, false},
		{"dense 4,8,16,32", Params{Dense: true, Widths: []int{4, 8, 16, 32}, Bytes: 4096}, 3000, 2000, false},
		{"dense 4,6,12", Params{Dense: true, Widths: []int{4, 6, 12}, Counters: []uint64{1 << 12, 1 << 9, 1 << 6}}, 3000, 500, false},
		{"dense 12", Params{Dense: true, Widths: []int{12}, Counters: []uint64{1001}}, 3000, 500, false},
		{"exact", Params{Bytes: 1 << 16}, 3000, 2000, true},
		{"exact, then dense", Params{Bytes: 1 << 9}, 3000, 2000, false},
		{"exact, then dense while building", Params{Bytes: 1 << 9}, 30_000, 20_000, false},
		{"exact, then dense, 3,5,7", Params{Widths: []int{3, 5, 7}, Counters: []uint64{600, 60, 6}}, 3000, 2000, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(21, uint64(c.points)))
			c.params.Mode = Standard
			cfg := config(t, c.params)
			all := weigh(r, hot(r, c.points, c.cells))
			whole := blobOf(t, builderOf(t, cfg, all))
			v := viewOf(t, whole)
			if v.IsExact() != c.exact {
				t.Fatalf("the whole is exact: %v, want %v", v.IsExact(), c.exact)
			}
			counts(t, "the whole", v, all.model(), c.exact)
			sameBytes(t, "another order", whole, blobOf(t, builderOf(t, cfg, all.shuffled(r))))
			for n := 2; n <= 10; n++ {
				got := blobOf(t, unite(t, r, cfg, split(r, all.shuffled(r), n)))
				sameBytes(t, fmt.Sprintf("%d parts", n), whole, got)
			}
		})
	}
}

// TestExactUnionIsTheWhole: merging builders of mode mi gives the bytes of the whole, although it has
// counters. The exact counts are known until the end, so the order does not matter.
func TestExactUnionIsTheWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 0))
	all := weigh(r, hot(r, 8000, 4000))
	cfg := config(t, Params{Bytes: 1 << 10, Overflow: ToCounters})
	whole := blobOf(t, builderOf(t, cfg, all))
	if v := viewOf(t, whole); v.IsExact() {
		t.Fatal("the cells fit")
	}
	for n := 2; n <= 10; n++ {
		into := NewBuilder(cfg, nil)
		for _, p := range split(r, all.shuffled(r), n) {
			noError(t, into.Merge(builderOf(t, cfg, p)))
		}
		sameBytes(t, fmt.Sprintf("%d builders", n), whole, blobOf(t, into))
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
