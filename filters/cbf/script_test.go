package cbf

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

// TestScripts runs testdata/*.txt. go test ./filters/cbf -rewrite writes what
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
			datadriven.RunTest(t, script, func(_ *testing.T, d *datadriven.TestData) string {
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

func (a args) uint(name string, otherwise uint64) uint64 {
	if s, ok := a.m[name]; ok {
		v, err := strconv.ParseUint(s, 0, 64)
		if err != nil {
			panic(err)
		}
		return v
	}
	return otherwise
}

func (a args) params() (p Params) {
	p = Params{
		Capacity: a.uint("capacity", 0), Counters: a.uint("counters", 0), K: a.uint("k", 0), CounterBits: a.uint("bits", 0),
		Increment: a.uint("increment", 0), Seed: a.uint("seed", 0),
	}
	p.Alpha, _ = strconv.ParseFloat(a.m["alpha"], 64)
	_, p.VariableLength = a.m["variable"]
	for v := Plain; v <= Tandem; v++ {
		if a.m["variant"] == v.String() {
			p.Variant = v
		}
	}
	return p
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
	case "new":
		s, err := New(a.params())
		if err != nil {
			return "", err
		}
		sketches[a.name] = s
		return fmt.Sprintf("%d counters of %d bits, k %d\n", s.Counters(), s.width, s.K()), nil
	case "add":
		if err := s.SetKeyClass(key.Text); err != nil {
			return "", err
		}
		for _, k := range strings.Fields(d.Input) {
			s.AddKey([]byte(k), a.uint("n", 1))
		}
		return "", nil
	case "remove":
		for _, k := range strings.Fields(d.Input) {
			if err := s.RemoveKey([]byte(k), a.uint("n", 1)); err != nil {
				return "", err
			}
		}
		return "", nil
	case "union":
		return "", s.Union(sketches[a.m["with"]])
	case "contains":
		var out strings.Builder
		for _, k := range strings.Fields(d.Input) {
			fmt.Fprintf(&out, "%s %v\n", k, s.ContainsKey([]byte(k)))
		}
		return out.String(), nil
	case "counters":
		return counters(s), nil
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

// The worked example of docs/FORMAT.md is what the code writes, and what the
// rules of that page come to.
func TestFormatExample(t *testing.T) {
	doc, err := os.ReadFile("../../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	p := Params{Capacity: 20, Counters: 16, K: 2, CounterBits: 8, Increment: 4, Alpha: 0.5, Variant: Tandem, VariableLength: true, Seed: 42}
	s := mustNew(t, p)
	if err := s.SetKeyClass(key.Text); err != nil {
		t.Fatal(err)
	}
	s.AddKey([]byte("oak"), 1)
	s.AddKey([]byte("elm"), 1)
	blob := s.Blob()
	if dump := hex.Dump(blob); !bytes.Contains(doc, []byte(dump)) {
		t.Errorf("docs/FORMAT.md does not have the example:\n%s", dump)
	}
	if b, err := sketch.Parse(blob); err != nil || len(b.Params) != paramsSize {
		t.Errorf("parameters of %d bytes, error %v", len(b.Params), err)
	}
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
	if !bytes.Contains(doc, []byte(claims.String())) {
		t.Errorf("docs/FORMAT.md does not have the lines:\n%s", claims.String())
	}
	if list := counters(s); !bytes.Contains(doc, []byte(list)) {
		t.Errorf("docs/FORMAT.md does not have the counters:\n%s", list)
	}
}
