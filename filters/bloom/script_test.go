package bloom

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

// TestScripts runs testdata/*.txt. go test ./filters/bloom -rewrite writes what
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

func (a args) uint(name string) uint64 {
	v, _ := strconv.ParseUint(a.m[name], 0, 64)
	return v
}

func (a args) float(name string) float64 {
	v, _ := strconv.ParseFloat(a.m[name], 64)
	return v
}

func (a args) params() (p Params) {
	p = Params{Capacity: a.uint("capacity"), FPP: a.float("fpp"), Bits: a.uint("bits"), K: a.float("k"), Seed: a.uint("seed")}
	if a.m["k"] == "0" {
		p.K = NoHashes
	}
	for i, name := range variants {
		if a.m["variant"] == name {
			p.Variant = Variant(i)
		}
	}
	if a.m["activation"] == "position" {
		p.Activation = ByPosition
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
		return fmt.Sprintf("%d bits, k %v\n", s.Bits(), s.K()), nil
	case "add":
		if err := s.SetKeyClass(key.Text); err != nil {
			return "", err
		}
		for _, k := range strings.Fields(d.Input) {
			s.AddKey([]byte(k), max(1, a.uint("n")))
		}
		return "", nil
	case "union":
		return "", s.Union(sketches[a.m["with"]])
	case "intersect":
		return "", s.Intersect(sketches[a.m["with"]])
	case "shrink":
		return "", s.Shrink(a.uint("bytes"))
	case "contains":
		var out strings.Builder
		for _, k := range strings.Fields(d.Input) {
			fmt.Fprintf(&out, "%s %v\n", k, s.ContainsKey([]byte(k)))
		}
		return out.String(), nil
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

// documented are the examples of docs/FORMAT.md.
var documented = []Params{
	{Bits: 40, K: 3, Seed: 42},
	{Bits: 40, K: 2.5, Variant: Rational, Seed: 42},
	{Bits: 40, K: 2.5, Variant: Blocks, Seed: 42},
}

// The worked example of the documentation is what the code writes, and every
// number that it claims is what the model of the tests finds.
func TestFormatExample(t *testing.T) {
	doc, err := os.ReadFile("../../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	has := func(what string) {
		t.Helper()
		if !bytes.Contains(doc, []byte(what)) {
			t.Errorf("docs/FORMAT.md does not have:\n%s", what)
		}
	}
	rows := map[string][]string{}
	for i, p := range documented {
		s := mustNew(t, p)
		if err := s.SetKeyClass(key.Text); err != nil {
			t.Fatal(err)
		}
		m := model{form: s.form}
		for _, k := range []string{"oak", "elm"} {
			s.AddKey([]byte(k), 1)
			h1, h2 := key.Hash(p.Seed, []byte(k))
			if i == 0 {
				rows[k] = []string{"`" + k + "`", fmt.Sprintf("%#016x", h1), fmt.Sprintf("%#016x", h2),
					fmt.Sprintf("%#016x", third(h1)), fmt.Sprintf("%.4f", float64(activation(h1, h2))/one)}
			}
			rows[k] = append(rows[k], strings.Trim(fmt.Sprint(m.positions(h1, h2)), "[]"))
		}
		if i == 0 {
			has(hex.Dump(s.Blob()))
		}
		if b, err := sketch.Parse(s.Blob()); err != nil || len(b.Params) != paramsSize {
			t.Errorf("parameters of %d bytes, error %v", len(b.Params), err)
		}
	}
	has("| " + strings.Join(rows["oak"], " | ") + " |\n| " + strings.Join(rows["elm"], " | ") + " |\n")
}
