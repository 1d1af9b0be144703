package cbf

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/cockroachdb/datadriven"
)

// A key stays after as many additions as Family.About says. A counter of w bits is full at 2^w-1. An
// occurrence adds 1, or with increments from L = 2 to 2L-1 = 3. A key stays when all of its counters
// are full, first with 3s and last with 2s.
func TestAboutFills(t *testing.T) {
	const four, halves = 1<<4 - 1, 1<<2 - 1
	for _, c := range []struct {
		p           Params
		first, last int
	}{
		{Params{}, four, four},
		{Params{VariableLength: true}, halves, halves},
		{Params{Variant: Increment}, four / 3, (four + 1) / 2},
		{Params{Variant: Tandem}, four / 3, (four + 1) / 2},
	} {
		c.p.Capacity = 1000
		first, last := 1<<16, 0
		for i := range uint64(100) {
			h1, h2 := key.HashUint64(0, i)
			n := 1
			for ; ; n++ {
				s := mustNew(t, c.p)
				s.Add(h1, h2, uint64(n))
				if err := s.Remove(h1, h2, uint64(n)); err != nil {
					t.Fatal(err)
				}
				if s.Contains(h1, h2) {
					break
				}
			}
			first, last = min(first, n), max(last, n)
		}
		if first != c.first || last != c.last {
			t.Errorf("%+v: a key stays after %d to %d times, want %d to %d", c.p, first, last, c.first, c.last)
		}
	}
	about := strings.ReplaceAll(Family.Family.About, "`", "")
	for _, said := range []string{
		fmt.Sprintf("Counters of the default 4 bits are full after %d times.", four),
		fmt.Sprintf("Their halves with variable_length are full after %d times.", halves),
		fmt.Sprintf("With increments in 4 bits, this takes %d to %d times.", four/3, (four+1)/2),
	} {
		if !strings.Contains(about, said) {
			t.Errorf("Family.About does not say %q", said)
		}
	}
}

// The option variable_length says how much higher the rate is past alpha with increments, beside
// filters of as many bytes without it. It is 5 to 40 times in counters of 8 bits, and about 100 times
// or more, to a tenth, in counters of 4. The keys are fixed. The rates follow from the filters' own
// counters (Info.FPP).
func TestVariableLengthPastAlpha(t *testing.T) {
	const capacity = 20_000
	for _, variant := range []Variant{Increment, Tandem} {
		filter := func(p Params) *Sketch {
			p.Capacity, p.Variant = capacity, variant
			return mustNew(t, p)
		}
		variable := filter(Params{VariableLength: true})
		bits := variable.counters() * variable.width
		four, eight := filter(Params{Counters: bits / 4}), filter(Params{Counters: bits / 8, CounterBits: 8})
		rate := func(s *Sketch) float64 {
			v, err := NewView(s.Blob())
			if err != nil {
				t.Fatal(err)
			}
			return v.Info().FPP
		}
		for i := range uint64(capacity) {
			h1, h2 := key.HashUint64(0, i)
			for _, s := range []*Sketch{variable, four, eight} {
				s.Add(h1, h2, 1)
			}
			if n := i + 1; n*10 > capacity*5 && n%(capacity/10) == 0 {
				a, b := rate(variable)/rate(four), rate(variable)/rate(eight)
				t.Logf("%v, %d keys: %.1f times the rate of counters of 4 bits, %.1f of 8", variant, n, a, b)
				if a < 90 || b < 5 || b > 40 {
					t.Errorf("%v, %d keys: %.1f times the rate of counters of 4 bits, %.1f of 8, want 90 or more, 5 to 40", variant, n, a, b)
				}
			}
		}
	}
}

// TestPairs checks the documented table of tandem counters in testdata/pairs: one case a line, with a comment
// behind it.
func TestPairs(t *testing.T) {
	whole := mustNew(t, Params{Variant: Tandem, Increment: 4, Counters: 64, K: 1, CounterBits: 8}).kernel
	halved := mustNew(t, Params{Variant: Tandem, Increment: 4, Counters: 64, K: 1, CounterBits: 8, VariableLength: true}).kernel
	// By the documented rule, signature bits are a fraction. Three times it chooses the code, and three
	// times what is left chooses the note. These lie in the middle of the interval.
	fraction := func(times, note float64) uint64 { return uint64((times + (note-0.5)/3) / 3 * (1 << 32) * (1 << 32)) }
	marks := map[string]*mark{
		"x": {at: 0, v: 6, sign: fraction(1, 2)}, "y": {at: 8, v: 5, sign: fraction(0, 3)}, "other": {at: 0, v: 6, sign: fraction(2, 2)},
	}
	pair := func(t *testing.T, s string) uint64 {
		var a, b uint64
		if _, err := fmt.Sscanf(s, "%d,%d", &a, &b); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		return b<<8 | a
	}
	show := func(w uint64) string { return fmt.Sprintf("%d,%d", w&255, w>>8) }
	change := func(t *testing.T, do string, word uint64, m *mark, n uint64) string {
		after, ok := whole.remove(word, m, n)
		if do == "add" {
			after, _ = whole.add(word, m, n)
			ok = true
		}
		if !ok {
			return "refused"
		}
		if whole.misfit(after) != 0 {
			t.Errorf("%s %d: %s is not possible", do, n, show(after))
		}
		return show(after)
	}
	datadriven.RunTest(t, "testdata/pairs", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		for line := range strings.Lines(d.Input) {
			line, _, _ = strings.Cut(line, "#")
			f := strings.Fields(line)
			switch d.Cmd {
			case "add", "remove":
				n, err := strconv.ParseUint(f[2], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintln(&out, change(t, d.Cmd, pair(t, f[0]), marks[f[1]], n))
			case "contains":
				w := pair(t, f[0])
				fmt.Fprintln(&out, whole.contains(w, marks["x"]), whole.contains(w, marks["y"]))
			case "possible":
				fmt.Fprintln(&out, whole.misfit(pair(t, f[0])) == 0)
			case "unite":
				fmt.Fprintln(&out, show(whole.unite(pair(t, f[0]), pair(t, f[1]))))
			case "widen":
				w, err := strconv.ParseUint(f[0], 0, 64)
				if err != nil {
					t.Fatal(err)
				}
				after, stuck := halved.widen(w)
				fmt.Fprintf(&out, "%#04x %d\n", after, stuck)
			default:
				t.Fatalf("unknown command %q", d.Cmd)
			}
		}
		return out.String()
	})
	low, high := mark{at: 0, v: 6}, mark{at: 4, v: 7}
	w, _ := halved.add(0, &low, 1)
	if w, _ = halved.add(w, &high, 1); w != 0x1176 { // 6 and 7 in the first byte, notes 1 and 1 in the second
		t.Errorf("two halves, each signed: %#x", w)
	}
}
