package bloom

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/ccbfsql/ccbfsql/filters/internal/script"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// The scripts in testdata, and the golden BLOBs.
func TestScripts(t *testing.T) { script.Run(t, Decode, run) }

func params(a script.Args) (p Params) {
	p = Params{Capacity: a.Uint("capacity", 0), FPP: a.Float("fpp"), Bits: a.Uint("bits", 0), K: a.Float("k"), Seed: a.Uint("seed", 0)}
	if a.Values["k"] == "0" {
		p.K = NoHashes
	}
	for i, name := range variants {
		if a.Values["variant"] == name {
			p.Variant = Variant(i)
		}
	}
	if a.Values["activation"] == "position" {
		p.Activation = ByPosition
	}
	return p
}

func run(sketches map[string]*Sketch, d *datadriven.TestData, a script.Args) (string, error) {
	s := sketches[a.Name]
	switch d.Cmd {
	case "new":
		s, err := New(params(a))
		if err != nil {
			return "", err
		}
		sketches[a.Name] = s
		return fmt.Sprintf("%d bits, k %v\n", s.Bits(), s.K()), nil
	case "add":
		if err := s.SetKeyClass(key.Text); err != nil {
			return "", err
		}
		for _, k := range strings.Fields(d.Input) {
			s.AddKey([]byte(k), max(1, a.Uint("n", 0)))
		}
		return "", nil
	case "union":
		return "", s.Union(sketches[a.Values["with"]])
	case "intersect":
		return "", s.Intersect(sketches[a.Values["with"]])
	case "shrink":
		return "", s.Shrink(a.Uint("bytes", 0))
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
	}
	return "", fmt.Errorf("unknown command %s", d.Cmd)
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
