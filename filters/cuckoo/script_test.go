package cuckoo

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
		"buckets": func(_ *testing.T, _ *datadriven.TestData, _ map[string]*Sketch, s, _ *Sketch) (string, error) {
			return buckets(s), nil
		},
	})
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

// exampleKeys are the keys of the examples in docs/FORMAT.md.
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

// The code writes the worked examples of the documentation.
func TestFormatExample(t *testing.T) {
	has := conform.Format(t)
	for _, variable := range []bool{false, true} {
		s := exampleSketch(t, variable)
		blob := s.Blob()
		has(hex.Dump(blob))
		for _, k := range exampleKeys {
			h1, h2 := key.Hash(s.Seed(), []byte(k))
			fp := s.fingerprintOf(h2)
			i := s.first(h1)
			has(fmt.Sprintf("| `%s` | %#016x | %#016x | %#x | %d | %d |\n", k, h1, h2, fp, i, s.other(i, fp)))
		}
		for i, line := range strings.Split(buckets(s), "\n") {
			if strings.Contains(line, " ") {
				has(fmt.Sprintf("bucket %d has %s", i, strings.ReplaceAll(strings.TrimPrefix(line, fmt.Sprintf("%d: ", i)), " ", " and ")))
			}
		}
	}
}
