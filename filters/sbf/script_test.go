package sbf

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
		"product": func(t *testing.T, d *datadriven.TestData, all map[string]*Sketch, s, other *Sketch) (string, error) {
			p, err := Product(s, other)
			if err == nil {
				var as string
				d.ScanArgs(t, "as", &as)
				all[as] = p
			}
			return "", err
		},
		"sum": func(t *testing.T, d *datadriven.TestData, _ map[string]*Sketch, s, _ *Sketch) (string, error) {
			var lo, hi int64
			d.ScanArgs(t, "lo", &lo)
			d.ScanArgs(t, "hi", &hi)
			n, err := s.RangeSum(lo, hi)
			return fmt.Sprintln(n), err
		},
	})
}

// exampleSeed is one with which the second key is moved to the second filter.
const exampleSeed = 3

// The code writes the worked examples of the documentation.
func TestFormatExamples(t *testing.T) {
	has := conform.Format(t)
	build := func(p Params, add func(s *Sketch)) (View, []byte) {
		s := mustNew(t, p)
		add(s)
		blob := s.Blob()
		has(hex.Dump(blob))
		v, err := NewView(blob)
		must(t, err)
		return v, blob
	}
	words := func(s *Sketch) {
		must(t, s.SetKeyClass(key.Text))
		must(t, s.AddKey([]byte("oak"), 300))
		must(t, s.AddKey([]byte("elm"), 2))
	}
	list := func(ps []uint32) string { return strings.Trim(fmt.Sprint(ps), "[]") }
	v, _ := build(Params{Counters: 18, K: 3, Seed: 42}, words)
	pos, two := make([]uint32, 3), make([]uint32, 3)
	for _, k := range []string{"oak", "elm"} {
		h1, h2 := key.Hash(v.Seed(), []byte(k))
		v.shape.first.positions(pos, h1, h2)
		has(fmt.Sprintf("| `%s` | %#016x | %#016x | %s | %d |\n", k, h1, h2, list(pos), v.Count(h1, h2)))
	}
	v, _ = build(Params{Counters: 8, K: 2, Method: TRM, Seed: exampleSeed}, words)
	pos, two = pos[:2], two[:2]
	for _, k := range []string{"oak", "elm"} {
		h1, h2 := key.Hash(v.Seed(), []byte(k))
		v.shape.first.positions(pos, h1, h2)
		v.secondPositions(two, h1, h2)
		g1, g2 := derive(h1, h2, tagMarker)
		marks := make([]uint32, 2)
		v.shape.first.positions(marks, g1, g2)
		has(fmt.Sprintf("| `%s` | %s | %s | %s | %v | %d |\n", k, list(pos), list(two), list(marks), v.isMarked(h1, h2), v.Count(h1, h2)))
	}
	// Positions in blocks, and nodes of a range.
	l := layout{256, 256 / 3, true}
	h1, h2 := key.Hash(42, []byte("oak"))
	pos = pos[:3]
	l.positions(pos, h1, h2)
	has(fmt.Sprintf("`oak` with the seed 42 has the counters `%s` in blocks of a filter of 256", list(pos)))
	n1, n2 := node(42, Range{-8, 7}, 2, 3)
	has(fmt.Sprintf("| 42 | -8 to 7 | 2 | 3 | `%#016x` | `%#016x` |", n1, n2))
}
