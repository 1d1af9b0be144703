package cbf

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/internal/script"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/cockroachdb/datadriven"
)

// The scripts in testdata, and the golden BLOBs.
func TestScripts(t *testing.T) {
	script.Keyed(t, Family, map[string]script.Command[*Sketch]{
		"counters": func(_ *testing.T, _ *datadriven.TestData, _ map[string]*Sketch, s, _ *Sketch) (string, error) {
			return counters(s), nil
		},
	})
}

// counters lists what is not 0: the number of the counter and its value, of
// lower and upper half where there are halves.
func counters(s *Sketch) string {
	var out strings.Builder
	for i := range s.counters() {
		c := s.at(i/s.perWord()) >> (i % s.perWord() * s.width) & (1<<s.width - 1)
		switch half := s.width / 2; {
		case c == 0:
		case s.Halves():
			fmt.Fprintf(&out, "%d: %d and %d\n", i, c&(1<<half-1), c>>half)
		default:
			fmt.Fprintf(&out, "%d: %d\n", i, c)
		}
	}
	return out.String()
}

// The code writes the worked example of docs/FORMAT.md, and the rules of that page give the same.
func TestFormatExample(t *testing.T) {
	has := conform.Format(t)
	p := Params{Capacity: 20, Counters: 16, K: 2, CounterBits: 8, Increment: 4, Alpha: 0.5, Variant: Tandem, VariableLength: true, Seed: 42}
	s := mustNew(t, p)
	if err := s.SetKeyClass(key.Text); err != nil {
		t.Fatal(err)
	}
	s.AddKey([]byte("oak"), 1)
	s.AddKey([]byte("elm"), 1)
	blob := s.Blob()
	has(hex.Dump(blob))
	m := newModel(p)
	var claims strings.Builder
	for _, k := range []string{"oak", "elm"} {
		h1, h2 := key.Hash(42, []byte(k))
		fmt.Fprintf(&claims, "| `%s` | %#016x | %#016x | |\n", k, h1, h2)
		for i, o := range m.hashed(h1, h2) {
			half := map[int]string{0: "lower", 1: "upper"}[o.half]
			fmt.Fprintf(&claims, "| | function %d, %s half | counter %d | v %d, signed %d with the note %d |\n",
				i/2, half, o.counter, o.v, o.v+4*o.times, o.note+1)
		}
	}
	has(claims.String())
	has(counters(s))
}
