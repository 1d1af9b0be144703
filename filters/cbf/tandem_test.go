package cbf

import (
	"fmt"
	"testing"
)

// pairs is a kernel of tandem counters, L = 4, of which only the first two
// matter.
func pairs(t *testing.T, p Params) kernel {
	t.Helper()
	p.Variant, p.Increment, p.Counters, p.K = Tandem, 4, 64, 1
	return mustNew(t, p).kernel
}

// This test has every case of the table in the package's documentation, for counters of 8 bits. A is
// the first counter, for an occurrence x with v = 6, signed 10 and 2. B is the second, for y with v =
// 5, signed 5 and 3.
func TestPairs(t *testing.T) {
	g := pairs(t, Params{CounterBits: 8})
	// The parts of a hash that make the two, by the documented rule: three
	// times a fraction, and what is left of it three times.
	fraction := func(times, note uint64) uint64 { // in the middle of the interval
		return uint64((float64(times) + (float64(note)-0.5)/3) / 3 * (1 << 32) * (1 << 32))
	}
	x := mark{at: 0, v: 6, sign: fraction(1, 2)}
	y := mark{at: 8, v: 5, sign: fraction(0, 3)}
	otherA := mark{at: 0, v: 6, sign: fraction(2, 2)} // another signature, the same v
	word := func(a, b uint64) uint64 { return b<<8 | a }
	show := func(w uint64) string { return fmt.Sprintf("%d,%d", w&255, w>>8&255) }
	add := func(m *mark, n uint64) func(uint64) (uint64, bool) {
		return func(w uint64) (uint64, bool) {
			w, _ = g.add(w, m, n)
			return w, true
		}
	}
	remove := func(m *mark, n uint64) func(uint64) (uint64, bool) {
		return func(w uint64) (uint64, bool) { return g.remove(w, m, n) }
	}
	for _, c := range []struct {
		name string
		a, b uint64
		do   func(uint64) (uint64, bool)
		want string // "" where the removal must be refused
	}{
		{"empty, one at A: signed", 0, 0, add(&x, 1), "10,2"},
		{"empty, one at B: signed", 0, 0, add(&y, 1), "3,5"},
		{"empty, two at A: not signed", 0, 0, add(&x, 2), "12,0"},
		{"one at A, a second at A: the signature is lost", 10, 2, add(&otherA, 1), "12,0"},
		{"one at A, one at B: the signature is lost", 10, 2, add(&y, 1), "6,5"},
		{"one at A, three at B", 10, 2, add(&y, 3), "6,15"},
		{"one at B, one at A", 3, 5, add(&x, 1), "6,5"},
		{"unsigned at A, one more", 12, 0, add(&x, 1), "18,0"},
		{"unsigned at A, the partner is needed", 12, 0, add(&y, 1), "12,5"},
		{"unsigned at B, the partner is needed", 0, 10, add(&x, 1), "6,10"},
		{"both, one more at A", 6, 5, add(&x, 1), "12,5"},
		{"both, one more at B", 6, 5, add(&y, 1), "6,10"},
		{"A reaches its ceiling", 250, 0, add(&x, 1), "255,0"},
		{"A would pass its ceiling", 253, 5, add(&x, 1), "255,5"},
		{"A is stuck, one more at A", 255, 0, add(&x, 1), "255,0"},
		{"A is stuck, one at B: not signed", 255, 0, add(&y, 1), "255,5"},
		{"many at once reach the ceiling", 6, 5, add(&x, 1<<60), "255,5"},

		{"the one signed at A goes", 10, 2, remove(&x, 1), "0,0"},
		{"the one signed at B goes", 3, 5, remove(&y, 1), "0,0"},
		{"another signature does not", 10, 2, remove(&otherA, 1), ""},
		{"nor do two where one is signed", 10, 2, remove(&x, 2), ""},
		{"nor B's where one is signed at A", 10, 2, remove(&y, 1), ""},
		{"nor A's where one is signed at B", 3, 5, remove(&x, 1), ""},
		{"nothing from the empty pair", 0, 0, remove(&x, 1), ""},
		{"one of two at A: what is left is not signed again", 12, 0, remove(&x, 1), "6,0"},
		{"the last one at A", 6, 0, remove(&x, 1), "0,0"},
		{"the last one at A, B stays without signature", 6, 5, remove(&x, 1), "0,5"},
		{"the last one at B, A stays", 6, 5, remove(&y, 1), "6,0"},
		{"two at once", 12, 5, remove(&x, 2), "0,5"},
		{"what would leave less than an occurrence", 8, 5, remove(&x, 1), ""},
		{"more than there is", 12, 5, remove(&x, 3), ""},
		{"from a stuck counter nothing goes", 255, 5, remove(&x, 1), "255,5"},
		{"nor do many", 255, 5, remove(&x, 1<<62), "255,5"},
		{"beside a stuck counter", 255, 5, remove(&y, 1), "255,0"},
	} {
		w, ok := c.do(word(c.a, c.b))
		got := ""
		if ok {
			got = show(w)
		}
		if got != c.want {
			t.Errorf("%s: %d,%d becomes %q, want %q", c.name, c.a, c.b, got, c.want)
		}
		if ok && g.misfit(w) != 0 {
			t.Errorf("%s: %s is not possible", c.name, got)
		}
	}
	for _, c := range []struct {
		name string
		a, b uint64
		x, y bool // whether they may be there
	}{
		{"empty", 0, 0, false, false},
		{"x signed", 10, 2, true, false},
		{"another signature at A", 14, 2, false, false},
		{"another note at A", 10, 1, false, false},
		{"y signed", 3, 5, false, true},
		{"unsigned, v alone", 6, 0, true, false},
		{"unsigned, not v nor v+L", 9, 0, false, false},
		{"unsigned, v+L", 10, 0, true, false},
		{"both", 6, 5, true, true},
		{"B alone, another v", 0, 6, false, false},
		{"B alone, two", 0, 9, false, true},
		{"A stuck", 255, 0, true, false},
		{"both stuck", 255, 255, true, true},
	} {
		w := word(c.a, c.b)
		if got := [2]bool{g.contains(w, &x) == 1, g.contains(w, &y) == 1}; got != [2]bool{c.x, c.y} {
			t.Errorf("%s: %d,%d contains x, y: %v", c.name, c.a, c.b, got)
		}
	}
	for _, bad := range [][2]uint64{{1, 1}, {3, 0}, {0, 2}, {16, 1}, {255, 3}, {2, 16}} {
		if g.misfit(word(bad[0], bad[1])) == 0 {
			t.Errorf("%v is taken for possible", bad)
		}
	}
	for _, c := range []struct{ a, b, want string }{
		{"0,0", "10,2", "10,2"},
		{"10,2", "0,0", "10,2"},
		{"10,2", "10,2", "12,0"},
		{"10,2", "3,5", "6,5"},
		{"3,5", "12,0", "12,5"},
		{"3,5", "3,5", "0,10"},
		{"255,0", "10,2", "255,0"},
		{"200,9", "100,4", "255,13"},
		{"250,0", "5,0", "255,0"},
	} {
		var a, b, aa, bb uint64
		fmt.Sscanf(c.a, "%d,%d", &a, &aa)
		fmt.Sscanf(c.b, "%d,%d", &b, &bb)
		if got := show(g.unite(word(a, aa), word(b, bb))); got != c.want {
			t.Errorf("%s and %s unite to %s, want %s", c.a, c.b, got, c.want)
		}
	}
}

// With halves, the lower halves of two counters are one pair and the upper halves another. When the
// upper ones are dropped, signatures stay, and stuck halves become stuck at the whole width. 15 with a
// note beside it is a signature.
func TestPairsInHalves(t *testing.T) {
	g := pairs(t, Params{CounterBits: 8, VariableLength: true})
	low, high := mark{at: 0, v: 6}, mark{at: 4, v: 7}
	w, _ := g.add(0, &low, 1)
	w, _ = g.add(w, &high, 1)
	if w != 0x1176 { // 6 and 7 in the first byte, notes 1 and 1 in the second
		t.Errorf("two halves, each signed: %#x", w)
	}
	for _, c := range []struct{ before, after, stuck uint64 }{
		{0x1176, 0x0106, 0},
		{0x020f, 0x020f, 0},   // signed by 15 and 2
		{0x000f, 0x00ff, 1},   // stuck
		{0x0f0f, 0xffff, 257}, // both
		{0xf0f0, 0, 0},        // the upper halves do not matter
		{0x0f01, 0x0f01, 0},   // signed at B
	} {
		if after, stuck := g.widen(c.before); after != c.after || stuck != c.stuck {
			t.Errorf("%#x is widened to %#x, stuck %#x, want %#x, %#x", c.before, after, stuck, c.after, c.stuck)
		}
	}
}
