package conform

import (
	"math/rand/v2"
	"testing"
)

// source is a seeded stream of keys, some frequent and most rare, or all alike if the family is Even.
type source struct {
	*rand.Rand
	zipf *rand.Zipf // nil if all keys are alike
	keys uint64
}

// source returns a source with this number of keys.
func (f Family) source(seed uint64, keys int) source {
	r := rand.New(rand.NewPCG(seed, 0x5eed))
	if f.Even {
		return source{r, nil, uint64(keys)}
	}
	return source{r, rand.NewZipf(r, 1.2, 4, uint64(keys-1)), uint64(keys)}
}

// id returns a key. Small numbers are spread over all of 64 bits and stay distinct.
func (s source) id() uint64 {
	if s.zipf == nil {
		return spread(s.Uint64N(s.keys))
	}
	return spread(s.zipf.Uint64())
}

func spread(i uint64) uint64 {
	if i%2 == 0 {
		return i
	}
	return i * 0x9e3779b97f4a7c15
}

// weight returns how often a key is added at once, mostly 1.
func (s source) weight() uint64 {
	most := uint64(1000)
	if s.zipf == nil {
		most = 4
	}
	switch s.IntN(20) {
	case 0:
		return s.Uint64N(most)
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

// add applies operations to subject s, and returns s. An operation for which there is no room becomes one
// of 0 occurrences.
func (f Family) add(t testing.TB, s Subject, ops []op) Subject {
	t.Helper()
	for i, o := range ops {
		if err := s.Add(o.id, o.n); err != nil {
			f.full(t, err)
			ops[i].n = 0
		}
	}
	return s
}

// full fails the test if the sketch can never be full. err is an error that says that there is no room.
func (f Family) full(t testing.TB, err error) {
	t.Helper()
	if !f.Laws.Fills {
		t.Fatalf("a sketch that always has room: %v", err)
	}
}

// counted returns the counts of all operations.
func counted(parts ...[]op) map[uint64]uint64 {
	truth := map[uint64]uint64{}
	for _, ops := range parts {
		for _, o := range ops {
			truth[o.id] += o.n
		}
	}
	return truth
}

// history is a subject beside the exact counts of what happened to it. fresh makes an empty one of the same
// configuration.
type history struct {
	f     Family
	fresh func() Subject
	s     Subject
	truth map[uint64]uint64
}

func (f Family) history(fresh func() Subject) *history {
	return &history{f, fresh, fresh(), map[uint64]uint64{}}
}

// add adds n occurrences of key id, unless there is no room.
func (h *history) add(t testing.TB, id, n uint64) {
	t.Helper()
	if err := h.s.Add(id, n); err != nil {
		h.f.full(t, err)
		return
	}
	h.truth[id] += n
}

// holds reports whether occurrences of key id can be removed.
func (h *history) holds(id uint64) bool { return h.f.Laws.Deletable && h.truth[id] > 0 }

// remove removes n occurrences of key id, which are there.
func (h *history) remove(t testing.TB, id, n uint64) {
	t.Helper()
	must(t, h.s.Remove(id, n))
	h.truth[id] -= n
}

// unite adds another subject with these keys, unless there is no room.
func (h *history) unite(t testing.TB, ops []op) {
	t.Helper()
	if err := h.s.Union(h.f.add(t, h.fresh(), ops)); err != nil {
		h.f.full(t, err)
		return
	}
	for id, n := range counted(ops) {
		h.truth[id] += n
	}
}

// passBlob encodes and decodes the subject, and goes on with the decoded one. The BLOB must be valid, and
// give the same answers as the decoded subject.
func (h *history) passBlob(t testing.TB) {
	t.Helper()
	blob := h.s.Blob()
	h.s = h.f.decoded(t, blob)
	h.check(t, "through a BLOB")
	for id := range h.truth {
		h.f.checkLook(t, blob, h.s, id)
	}
}

// check checks the counts of all keys.
func (h *history) check(t testing.TB, when string) {
	t.Helper()
	h.f.checkCounts(t, when, h.s, h.truth)
}
