package memory

import "testing"

// A lease says how little of the budget is left, whoever has the rest.
func TestScarce(t *testing.T) {
	releaseAll()
	withLimit(t, 1000)
	var s, other Ref
	defer s.Drop()
	defer other.Drop()
	l, err := newPage(&s, 100)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := newPage(&other, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []struct {
		delta int64
		want  int
	}{{0, 0}, {400, 0}, {1, 1}, {249, 1}, {1, 2}, {-252, 0}} {
		if err := rest.Grow(of.delta); err != nil {
			t.Fatal(err)
		}
		if got := l.Scarce(); got != of.want {
			t.Errorf("%d of %d bytes held: %d, want %d", Used(), Limit(), got, of.want)
		}
	}
}
