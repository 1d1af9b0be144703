package sbf

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/ccbfsql/ccbfsql/filters/internal/script"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// The scripts in testdata, and the golden BLOBs.
func TestScripts(t *testing.T) { script.Run(t, Decode, run) }

func params(a script.Args) Params {
	p := Params{
		Capacity: uint64(a.Int("capacity", 0)), Bytes: uint64(a.Int("bytes", 0)), Counters: uint64(a.Int("counters", 0)),
		K: uint64(a.Int("k", 0)), Blocked: a.Has("blocked"), Range: Range{a.Int("lo", 0), a.Int("hi", 0)}, Seed: uint64(a.Int("seed", 0)),
	}
	for m := range Method(methods) {
		if a.Values["method"] == m.String() {
			p.Method = m
		}
	}
	for e := range Index + 1 {
		if a.Values["encoding"] == e.String() {
			p.Encoding = e
		}
	}
	if a.Has("unmarked") {
		p.Marker = Unmarked
	}
	return p
}

// keysOf are the words of a command's input as keys: numbers where the sketch
// has a range.
func keysOf(s *Sketch, input string) (words []string, keys [][]byte) {
	words = strings.Fields(input)
	for _, w := range words {
		b := []byte(w)
		if v, err := strconv.ParseInt(w, 10, 64); err == nil && s.ByValue() {
			b = key.AppendInt64(nil, v)
		}
		keys = append(keys, b)
	}
	return words, keys
}

func run(sketches map[string]*Sketch, d *datadriven.TestData, a script.Args) (string, error) {
	s := sketches[a.Name]
	switch d.Cmd {
	case "new", "gather":
		of := New
		if d.Cmd == "gather" {
			of = NewGathering
		}
		s, err := of(params(a))
		if err != nil {
			return "", err
		}
		sketches[a.Name] = s
		first, second := s.Counters()
		if second > 0 {
			return fmt.Sprintf("%d and %d counters, %d for a key\n", first, second, s.K()), nil
		}
		return fmt.Sprintf("%d counters, %d for a key\n", first, s.K()), nil
	case "add", "remove":
		if !s.ByValue() {
			if err := s.SetKeyClass(key.Text); err != nil {
				return "", err
			}
		}
		change := s.AddKey
		if d.Cmd == "remove" {
			change = s.RemoveKey
		}
		_, keys := keysOf(s, d.Input)
		for _, k := range keys {
			if err := change(k, uint64(a.Int("n", 1))); err != nil {
				return "", err
			}
		}
		return "", nil
	case "union":
		return "", s.Union(sketches[a.Values["with"]])
	case "product":
		p, err := Product(s, sketches[a.Values["with"]])
		sketches[a.Values["as"]] = p
		return "", err
	case "count":
		var out strings.Builder
		words, keys := keysOf(s, d.Input)
		for i, k := range keys {
			fmt.Fprintf(&out, "%s %d\n", words[i], s.CountKey(k))
		}
		return out.String(), nil
	case "sum":
		n, err := s.RangeSum(a.Int("lo", 0), a.Int("hi", 0))
		return fmt.Sprintln(n), err
	case "info":
		v, err := NewView(s.Blob())
		if err != nil {
			return "", err
		}
		return strings.ReplaceAll(fmt.Sprintf("%+v\n", v.Info()), " ", "\n"), nil
	}
	return "", fmt.Errorf("unknown command %s", d.Cmd)
}

// exampleSeed is one with which the second key is moved to the second filter.
const exampleSeed = 3

// The worked examples of the documentation are what the code writes.
func TestFormatExamples(t *testing.T) {
	doc, err := os.ReadFile("../../docs/FORMAT.md")
	must(t, err)
	build := func(p Params, add func(s *Sketch)) (View, []byte) {
		s := mustNew(t, p)
		add(s)
		blob := s.Blob()
		if dump := hex.Dump(blob); !bytes.Contains(doc, []byte(dump)) {
			t.Errorf("docs/FORMAT.md does not have the example:\n%s", dump)
		}
		v, err := NewView(blob)
		must(t, err)
		if b, err := sketch.Parse(blob); err != nil || len(b.Params) != paramsSize {
			t.Errorf("parameters of %d bytes, error %v", len(b.Params), err)
		}
		return v, blob
	}
	has := func(line string) {
		t.Helper()
		if !bytes.Contains(doc, []byte(line)) {
			t.Errorf("docs/FORMAT.md does not have the line:\n%s", line)
		}
	}
	words := func(s *Sketch) {
		must(t, s.SetKeyClass(key.Text))
		must(t, s.AddKey([]byte("oak"), 300))
		must(t, s.AddKey([]byte("elm"), 2))
	}
	list := func(ps []uint32) string { return strings.Trim(fmt.Sprint(ps), "[]") }
	v, _ := build(Params{Counters: 16, K: 3, Seed: 42}, words)
	pos, two := make([]uint32, 3), make([]uint32, 3)
	for _, k := range []string{"oak", "elm"} {
		h1, h2 := key.Hash(v.Seed(), []byte(k))
		v.shape.first.positions(pos, h1, h2)
		has(fmt.Sprintf("| `%s` | %#016x | %#016x | %s | %d |\n", k, h1, h2, list(pos), v.Count(h1, h2)))
	}
	v, _ = build(Params{Counters: 12, K: 2, Method: TRM, Seed: exampleSeed}, words)
	pos, two = pos[:2], two[:2]
	for _, k := range []string{"oak", "elm"} {
		h1, h2 := key.Hash(v.Seed(), []byte(k))
		v.shape.first.positions(pos, h1, h2)
		v.secondPositions(two, h1, h2)
		g1, g2 := derive(h1, h2, tagMarker)
		marks := make([]uint32, 2)
		v.shape.first.positions(marks, g1, g2)
		has(fmt.Sprintf("| `%s` | %s | %s | %s | %v | %d |\n", k, list(pos), list(two), list(marks), v.marked(v.marks, h1, h2), v.Count(h1, h2)))
	}
	// Positions in blocks, and nodes of a range.
	l := newLayout(256, 3, true)
	h1, h2 := key.Hash(42, []byte("oak"))
	pos = pos[:3]
	l.positions(pos, h1, h2)
	has(fmt.Sprintf("`oak` with the seed 42 has the counters %s of 256 in blocks", list(pos)))
	n1, n2 := node(42, Range{-8, 7}, 2, 3)
	has(fmt.Sprintf("node 3 of level 2 has h1 %#016x and h2 %#016x", n1, n2))
}
