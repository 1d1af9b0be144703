package cuckoo

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

// TestScripts runs testdata/*.txt. go test ./filters/cuckoo -rewrite writes what
// comes out into the scripts; golden BLOBs it writes only where there are none,
// because what an older version wrote must be read for ever.
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

// args are a command's arguments: the first without a value is the filter's name.
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

func (a args) has(name string) bool {
	_, ok := a.m[name]
	return ok
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
		p := Params{
			Capacity: a.uint("capacity", 0), FingerprintBits: a.uint("bits", 0), Slots: a.uint("slots", 0),
			VariableLength: a.has("variable"), Duplicates: a.has("duplicates"), Seed: a.uint("seed", 0),
		}
		if a.has("tagged") {
			p.Variant = Tagged
		}
		s, err := New(p)
		if err != nil {
			return "", err
		}
		sketches[a.name] = s
		return fmt.Sprintf("%d buckets of %d slots of %d bits\n", s.buckets, s.b, s.f), nil
	case "add":
		if err := s.SetKeyClass(key.Text); err != nil {
			return "", err
		}
		for _, k := range strings.Fields(d.Input) {
			if err := s.AddKey([]byte(k), a.uint("n", 1)); err != nil {
				return "", err
			}
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
	case "count":
		var out strings.Builder
		for _, k := range strings.Fields(d.Input) {
			fmt.Fprintf(&out, "%s %d\n", k, s.CountKey([]byte(k)))
		}
		return out.String(), nil
	case "buckets":
		return buckets(s), nil
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

// buckets lists what every bucket holds, with the known bits of each
// fingerprint.
func buckets(s *Sketch) string {
	var out strings.Builder
	for i := range s.buckets {
		p := s.read(i)
		s.canonical(&p)
		fmt.Fprintf(&out, "%d:", i)
		for _, q := range p.slice() {
			fmt.Fprintf(&out, " %x/%d", q.v, q.known)
		}
		out.WriteString("\n")
	}
	return out.String()
}

// golden compares a filter's BLOB with a file of an earlier version, and gives
// the filter that the file holds the name that it is to have.
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

// exampleKeys are those of the examples in docs/FORMAT.md.
var exampleKeys = []string{"oak", "elm", "ash"}

// exampleSketch has each once; of oak there were more.
func exampleSketch(t *testing.T, variable bool) *Sketch {
	s := mustNew(t, Params{Capacity: 1, FingerprintBits: 8, Slots: 4, VariableLength: variable, Duplicates: true, Seed: 42})
	if err := s.SetKeyClass(key.Text); err != nil {
		t.Fatal(err)
	}
	if err := s.AddKey([]byte("oak"), 4); err != nil {
		t.Fatal(err)
	}
	for _, k := range exampleKeys[1:] {
		if err := s.AddKey([]byte(k), 2); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.RemoveKey([]byte("oak"), 3); err != nil {
		t.Fatal(err)
	}
	return s
}

// The worked examples of the documentation are what the code writes.
func TestFormatExample(t *testing.T) {
	doc, err := os.ReadFile("../../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	var claims []string
	for _, variable := range []bool{false, true} {
		s := exampleSketch(t, variable)
		blob := s.Blob()
		claims = append(claims, hex.Dump(blob))
		for _, k := range exampleKeys {
			h1, h2 := key.Hash(s.Seed(), []byte(k))
			fp := s.fingerprintOf(h2)
			i := s.first(h1)
			claims = append(claims, fmt.Sprintf("| `%s` | %#016x | %#016x | %#x | %d | %d |\n", k, h1, h2, fp, i, s.other(i, fp)))
		}
		if b, err := sketch.Parse(blob); err != nil || len(b.Params) != paramsSize {
			t.Errorf("parameters of %d bytes, error %v", len(b.Params), err)
		}
		for i, line := range strings.Split(buckets(s), "\n") {
			if strings.Contains(line, " ") {
				claims = append(claims, fmt.Sprintf("bucket %d has %s", i, strings.ReplaceAll(strings.TrimPrefix(line, fmt.Sprintf("%d: ", i)), " ", " and ")))
			}
		}
	}
	// Sentences run over the ends of lines.
	flat := bytes.ReplaceAll(doc, []byte("\n"), []byte(" "))
	for _, claim := range claims {
		if !bytes.Contains(doc, []byte(claim)) && !bytes.Contains(flat, []byte(claim)) {
			t.Errorf("docs/FORMAT.md does not have: %s", claim)
		}
	}
}
