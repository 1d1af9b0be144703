package ccbf

import (
	"math/rand/v2"
	"testing"
)

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
