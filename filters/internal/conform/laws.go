package conform

import (
	"errors"
	"math"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// operations runs a random history beside an exact one: additions, legal removals, unions and passages
// through a BLOB. No count may ever be too low.
func operations(t testing.TB, f Family) {
	n := 100_000
	switch {
	case long():
		n = 10_000_000
	// Tests with the race detector use -short.
	case testing.Short():
		n = 20_000
	}
	n = f.fewer(n)
	src, h := f.source(1, f.keys()), f.history(f.New)
	for i := range n {
		id := src.id()
		switch p := src.IntN(100_000); {
		case p < 10:
			h.passBlob(t)
		case p < 20:
			h.unite(t, src.ops(50))
		case p < 15_000 && h.holds(id):
			h.remove(t, id, 1+src.Uint64N(h.truth[id]))
		default:
			h.add(t, id, src.weight())
		}
		f.checkCount(t, "after an operation", h.s, id, h.truth[id])
		if i%(n/10) == 0 {
			h.check(t, "on the way")
		}
	}
	h.check(t, "at the end")
	h.passBlob(t)
}

// absent counts keys that were never added. The fraction with a count is a binomial sample: at most
// Absent and four standard deviations.
func absent(t testing.TB, f Family) {
	if f.Load == 0 {
		t.Skip("no bound is stated")
	}
	s := f.New()
	for _, id := range f.source(2, 2).Perm(f.Load) {
		must(t, s.Add(uint64(id), 1))
	}
	const asked = 100_000
	wrong := 0
	for i := range uint64(asked) {
		if s.Count(1<<40+spread(i)>>1) != 0 {
			wrong++
		}
	}
	sigma := math.Sqrt(asked * f.Absent * (1 - f.Absent))
	if got, most := float64(wrong), asked*f.Absent+4*sigma; got > most {
		t.Fatalf("%v of %d absent keys have a count, at most %.1f (probability %v and 4 sigma)", got, asked, most, f.Absent)
	}
	empty := f.New()
	for i := range uint64(1000) {
		if got := empty.Count(i); got != 0 {
			t.Fatalf("key %d counted %d in an empty sketch", i, got)
		}
	}
}

func order(t testing.TB, f Family) {
	src := f.source(3, f.keys())
	ops := src.ops(5000)
	a := f.add(t, f.New(), ops).Blob()
	same(t, "the same additions twice", a, f.add(t, f.New(), ops).Blob())
	if !f.Laws.OrderFree {
		t.Skip("order matters")
	}
	src.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
	same(t, "another order of additions", a, f.add(t, f.New(), ops).Blob())
	var split []op
	for _, o := range ops {
		k := src.Uint64N(o.n + 1)
		split = append(split, op{o.id, k}, op{o.id, o.n - k})
	}
	same(t, "weights in two parts", a, f.add(t, f.New(), split).Blob())
}

func union(t testing.TB, f Family) {
	src := f.source(4, f.keys())
	for _, size := range []int{0, 3, 300, f.fewer(5000)} {
		parts := [][]op{src.ops(size), src.ops(size / 3), src.ops(2 * size)}
		part := func(i int) Subject { return f.add(t, f.New(), parts[i]) }
		full := false
		unite := func(a, b Subject) Subject {
			t.Helper()
			before := b.Blob()
			if err := a.Union(b); err != nil {
				f.full(t, err)
				full = true
			}
			same(t, "the source of a union", before, b.Blob())
			return a
		}
		left := unite(unite(part(0), part(1)), part(2))
		if full {
			continue
		}
		f.checkCounts(t, "after unions", left, counted(parts...))
		if f.Laws.UnionCommutes {
			if !f.Laws.Prunes {
				same(t, "(a+b)+c and a+(b+c)", left.Blob(), unite(part(0), unite(part(1), part(2))).Blob())
			}
			same(t, "(a+b)+c and c+(b+a)", left.Blob(), unite(part(2), unite(part(1), part(0))).Blob())
			same(t, "a+0 and a", part(2).Blob(), unite(part(2), f.New()).Blob())
			same(t, "0+a and a", part(2).Blob(), unite(f.New(), part(2)).Blob())
		}
		if f.Laws.UnionEqualsWhole {
			whole := f.New()
			for _, p := range parts {
				f.add(t, whole, p)
			}
			same(t, "the union of parts and the whole", whole.Blob(), left.Blob())
		}
		if !f.BlobsApart {
			s := part(0)
			for i := 1; i < 3; i++ {
				blob := part(i).Blob()
				keep := append([]byte(nil), blob...)
				must(t, s.UnionBlob(blob))
				same(t, "the source of a union of BLOBs", keep, blob)
			}
			same(t, "a union with BLOBs and one with sketches", left.Blob(), s.Blob())
		}
		a := part(2)
		if err := a.Union(a); err != nil {
			f.full(t, err)
		}
		same(t, "the union with itself and with its like", unite(part(2), part(2)).Blob(), a.Blob())
	}
}

// notDeletable returns the error that the family has for removals and subtractions from a sketch that is not
// Deletable.
func (f Family) notDeletable() error {
	if f.NeverSubtracts {
		return sketch.ErrUnsupported
	}
	return sketch.ErrNotAdditive
}

func remove(t testing.TB, f Family) {
	src := f.source(5, f.keys())
	first := src.ops(2000)
	s := f.add(t, f.New(), first)
	kept, before := counted(first), s.Blob()
	refusal := sketch.ErrTooMany
	if !f.Laws.Deletable {
		refusal = f.notDeletable()
	}
	refused := func(what string, id, n uint64) {
		t.Helper()
		if err := s.Remove(id, n); !errors.Is(err, refusal) {
			t.Fatalf("%s: removing %d of key %d, counted %d: the error %v does not wrap %v", what, n, id, s.Count(id), err, refusal)
		}
		same(t, what+" must change nothing", before, s.Blob())
	}
	if !f.Laws.Deletable {
		must(t, s.Add(7, 1))
		before = s.Blob()
		refused("a family without deletion", 7, 1)
		return
	}
	for i := range uint64(200) {
		if id := 1<<50 + i; s.Count(id) == 0 {
			refused("an absent key", id, 1)
		}
		id := src.id()
		if c := s.Count(id); !f.Laws.Set && c < math.MaxUint64 {
			if !f.Laws.Below {
				refused("more than the estimate", id, c+1)
			}
			refused("all there can be", id, math.MaxUint64)
		}
	}
	for _, size := range []int{1, 100, 5000} {
		ops := src.ops(size)
		f.add(t, s, ops)
		src.Shuffle(size, func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
		for _, o := range ops {
			must(t, s.Remove(o.id, o.n))
		}
		if f.Laws.Restores {
			same(t, "additions and their removal", before, s.Blob())
		}
		f.checkCounts(t, "after removals", s, kept)
	}
}
