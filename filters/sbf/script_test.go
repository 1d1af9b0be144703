package sbf

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// TestScripts runs testdata/*.txt. go test ./filters/sbf -rewrite writes what
// comes out into the scripts; golden BLOBs it writes only where there are
// none, because what an older version wrote must be read for ever.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts, error %v", len(scripts), err)
	}
	for _, script := range scripts {
		t.Run(filepath.Base(script), func(t *testing.T) {
			sketches := map[string]*Sketch{}
			datadriven.RunTest(t, script, func(t *testing.T, d *datadriven.TestData) string {
				out, err := run(sketches, d)
				if err != nil {
					return "error: " + err.Error() + "\n"
				}
				return out
			})
		})
	}
}

// args are a command's arguments: the first without a value is the sketch's name.
type args struct {
	name string
	m    map[string]string
}

func (a args) int(name string, otherwise int64) int64 {
	if s, ok := a.m[name]; ok {
		v, err := strconv.ParseInt(s, 0, 64)
		if err != nil {
			panic(err)
		}
		return v
	}
	return otherwise
}

func (a args) has(name string) bool { _, ok := a.m[name]; return ok }

func (a args) params() Params {
	p := Params{
		Capacity: uint64(a.int("capacity", 0)), Bytes: uint64(a.int("bytes", 0)), Counters: uint64(a.int("counters", 0)),
		K: uint64(a.int("k", 0)), Blocked: a.has("blocked"), Range: Range{a.int("lo", 0), a.int("hi", 0)}, Seed: uint64(a.int("seed", 0)),
	}
	for m := range Method(methods) {
		if a.m["method"] == m.String() {
			p.Method = m
		}
	}
	for e := range Index + 1 {
		if a.m["encoding"] == e.String() {
			p.Encoding = e
		}
	}
	if a.has("unmarked") {
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

func run(sketches map[string]*Sketch, d *datadriven.TestData) (string, error) {
	a := args{m: map[string]string{}}
	for i, c := range d.CmdArgs {
		if i == 0 && len(c.Vals) == 0 {
			a.name = c.Key
			continue
		}
		a.m[c.Key] = strings.Join(c.Vals, ",")
	}
	s := sketches[a.name]
	switch d.Cmd {
	case "new", "gather":
		of := New
		if d.Cmd == "gather" {
			of = NewGathering
		}
		s, err := of(a.params())
		if err != nil {
			return "", err
		}
		sketches[a.name] = s
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
			if err := change(k, uint64(a.int("n", 1))); err != nil {
				return "", err
			}
		}
		return "", nil
	case "union":
		return "", s.Union(sketches[a.m["with"]])
	case "product":
		p, err := Product(s, sketches[a.m["with"]])
		sketches[a.m["as"]] = p
		return "", err
	case "count":
		var out strings.Builder
		words, keys := keysOf(s, d.Input)
		for i, k := range keys {
			fmt.Fprintf(&out, "%s %d\n", words[i], s.CountKey(k))
		}
		return out.String(), nil
	case "sum":
		n, err := s.RangeSum(a.int("lo", 0), a.int("hi", 0))
		return fmt.Sprintln(n), err
	case "info":
		v, err := NewView(s.Blob())
		if err != nil {
			return "", err
		}
		return strings.ReplaceAll(fmt.Sprintf("%+v\n", v.Info()), " ", "\n"), nil
	case "blob":
		return hex.Dump(s.Blob()), nil
	case "golden":
		return golden(sketches, a)
	}
	return "", fmt.Errorf("unknown command %s", d.Cmd)
}

// golden compares a sketch's BLOB with a file of an earlier version, and gives
// the sketch that the file holds the name that it is to have.
func golden(sketches map[string]*Sketch, a args) (string, error) {
	file := filepath.Join("testdata", "golden", a.m["file"])
	blob := sketches[a.name].Blob()
	old, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) && rewriting() {
		old, err = blob, os.WriteFile(file, blob, 0o644)
	}
	if err != nil {
		return "", err
	}
	s, err := Decode(old)
	if err != nil {
		return "", err
	}
	sketches[a.m["as"]] = s
	if !bytes.Equal(old, blob) {
		return fmt.Sprintf("%s differs\n%s", file, hex.Dump(old)), nil
	}
	return fmt.Sprintf("%d bytes, the same\n", len(old)), nil
}

func rewriting() bool {
	for _, arg := range os.Args {
		if strings.HasPrefix(strings.TrimLeft(arg, "-"), "rewrite") {
			return true
		}
	}
	return false
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
