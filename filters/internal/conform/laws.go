package conform

import (
	"math"
	"math/rand/v2"
	"testing"
)

// source is a seeded stream of keys, some frequent and most rare.
type source struct {
	*rand.Rand
	zipf *rand.Zipf
}

// newSource returns a source with this number of keys.
func newSource(seed uint64, keys int) source {
	r := rand.New(rand.NewPCG(seed, 0x5eed))
	return source{r, rand.NewZipf(r, 1.2, 4, uint64(keys-1))}
}

// id returns a key. Small numbers are spread over all of 64 bits and stay distinct.
func (s source) id() uint64 { return spread(s.zipf.Uint64()) }

func spread(i uint64) uint64 {
	if i%2 == 0 {
		return i
	}
	return i * 0x9e3779b97f4a7c15
}

// weight returns how often a key is added at once, mostly 1.
func (s source) weight() uint64 {
	switch s.IntN(20) {
	case 0:
		return s.Uint64N(1000)
	case 1:
		return 0
	}
	return 1
}

// op adds n occurrences of key id.
type op struct{ id, n uint64 }

// ops returns n random operations.
func (s source) ops(n int) []op {
	ops := make([]op, n)
	for i := range ops {
		ops[i] = op{s.id(), s.weight()}
	}
	return ops
}

// add applies operations to subject s, and returns s.
func add(t testing.TB, s Subject, ops []op) Subject {
	t.Helper()
	for _, o := range ops {
		must(t, s.Add(o.id, o.n))
	}
	return s
}

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
	src := newSource(1, f.keys())
	s, truth := f.New(), map[uint64]uint64{}
	for i := range n {
		id := src.id()
		switch p := src.IntN(100_000); {
		// The sketch goes through a BLOB.
		case p < 10:
			d, err := f.Decode(s.Blob())
			must(t, err)
			s = d
		// The sketch takes the keys of another sketch.
		case p < 20:
			ops := src.ops(50)
			must(t, s.Union(add(t, f.New(), ops)))
			for _, o := range ops {
				truth[o.id] += o.n
			}
		case p < 15_000 && f.Laws.Deletable && truth[id] > 0:
			k := 1 + src.Uint64N(truth[id])
			must(t, s.Remove(id, k))
			truth[id] -= k
		default:
			k := src.weight()
			must(t, s.Add(id, k))
			truth[id] += k
		}
		f.checkCount(t, "after an operation", s, id, truth[id])
		if i%(n/10) == 0 {
			for id, k := range truth {
				f.checkCount(t, "on the way", s, id, k)
			}
			f.estimated(t, "on the way", s, truth)
		}
	}
	blob := s.Blob()
	f.estimated(t, "at the end", s, truth)
	for id, k := range truth {
		f.checkCount(t, "at the end", s, id, k)
		if f.Look != nil {
			got, err := f.Look(blob, id)
			must(t, err)
			f.compare(t, "on the BLOB", id, got, k)
		}
	}
}

// absent counts keys that were never added. The fraction with a count is a binomial sample: at most
// Absent and four standard deviations.
func absent(t testing.TB, f Family) {
	if f.Load == 0 {
		t.Skip("no bound is stated")
	}
	s := f.New()
	c, ok := s.(Counter)
	if !ok {
		t.Skip("no counts of keys")
	}
	for _, id := range newSource(2, 2).Perm(f.Load) {
		must(t, s.Add(uint64(id), 1))
	}
	const asked = 100_000
	wrong := 0
	for i := range uint64(asked) {
		if c.Count(1<<40+spread(i)>>1) != 0 {
			wrong++
		}
	}
	sigma := math.Sqrt(asked * f.Absent * (1 - f.Absent))
	if got, most := float64(wrong), asked*f.Absent+4*sigma; got > most {
		t.Fatalf("%v of %d absent keys have a count, at most %.1f (probability %v and 4 sigma)", got, asked, most, f.Absent)
	}
	empty := f.New().(Counter)
	for i := range uint64(1000) {
		if got := empty.Count(i); got != 0 {
			t.Fatalf("key %d counted %d in an empty sketch", i, got)
		}
	}
}

func order(t testing.TB, f Family) {
	src := newSource(3, f.keys())
	ops := src.ops(5000)
	a := add(t, f.New(), ops).Blob()
	same(t, "the same additions twice", a, add(t, f.New(), ops).Blob())
	if !f.Laws.OrderFree {
		t.Skip("order matters")
	}
	src.Shuffle(len(ops), func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
	same(t, "another order of additions", a, add(t, f.New(), ops).Blob())
	var split []op
	for _, o := range ops {
		k := src.Uint64N(o.n + 1)
		split = append(split, op{o.id, k}, op{o.id, o.n - k})
	}
	same(t, "weights in two parts", a, add(t, f.New(), split).Blob())
}

func union(t testing.TB, f Family) {
	src := newSource(4, f.keys())
	for _, size := range []int{0, 3, 300, f.fewer(5000)} {
		parts := [][]op{src.ops(size), src.ops(size / 3), src.ops(2 * size)}
		part := func(i int) Subject { return add(t, f.New(), parts[i]) }
		unite := func(a, b Subject) Subject {
			t.Helper()
			before := b.Blob()
			must(t, a.Union(b))
			same(t, "the source of a union", before, b.Blob())
			return a
		}
		left := unite(unite(part(0), part(1)), part(2))
		truth := map[uint64]uint64{}
		for _, p := range parts {
			for _, o := range p {
				truth[o.id] += o.n
			}
		}
		for id, n := range truth {
			f.checkCount(t, "after unions", left, id, n)
		}
		f.estimated(t, "after unions", left, truth)
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
				add(t, whole, p)
			}
			same(t, "the union of parts and the whole", whole.Blob(), left.Blob())
		}
		if _, ok := left.(BlobUniter); ok && !f.BlobsApart {
			s := part(0)
			for i := 1; i < 3; i++ {
				blob := part(i).Blob()
				keep := append([]byte(nil), blob...)
				must(t, s.(BlobUniter).UnionBlob(blob))
				same(t, "the source of a union of BLOBs", keep, blob)
			}
			same(t, "a union with BLOBs and one with sketches", left.Blob(), s.Blob())
		}
		a, b := part(2), part(2)
		must(t, a.Union(a))
		same(t, "the union with itself and with its like", unite(b, part(2)).Blob(), a.Blob())
	}
}

func remove(t testing.TB, f Family) {
	s := f.New()
	src := newSource(5, f.keys())
	kept := map[uint64]uint64{}
	for _, o := range src.ops(2000) {
		must(t, s.Add(o.id, o.n))
		kept[o.id] += o.n
	}
	before := s.Blob()
	refused := func(what string, id, n uint64) {
		t.Helper()
		if err := s.Remove(id, n); err == nil {
			t.Fatalf("%s: removing %d of key %d, answers %v, is no error", what, n, id, answers(s, id))
		}
		same(t, what+" must change nothing", before, s.Blob())
	}
	if !f.Laws.Deletable {
		must(t, s.Add(7, 1))
		before = s.Blob()
		refused("a family without deletion", 7, 1)
		return
	}
	c, ok := s.(Counter)
	for i := range uint64(200) {
		if !ok {
			break
		}
		if id := 1<<50 + i; c.Count(id) == 0 {
			refused("an absent key", id, 1)
		}
		id := src.id()
		if c := c.Count(id); !f.Laws.Set && c < math.MaxUint64 {
			if !f.Laws.Below {
				refused("more than the estimate", id, c+1)
			}
			refused("all there can be", id, math.MaxUint64)
		}
	}
	for _, size := range []int{1, 100, 5000} {
		ops := src.ops(size)
		add(t, s, ops)
		src.Shuffle(size, func(i, j int) { ops[i], ops[j] = ops[j], ops[i] })
		for _, o := range ops {
			must(t, s.Remove(o.id, o.n))
		}
		if f.Laws.Restores {
			same(t, "additions and their removal", before, s.Blob())
		}
		for id, n := range kept {
			f.checkCount(t, "after removals", s, id, n)
		}
	}
}
