package cuckoo

import (
	"encoding/hex"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/internal/script"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/cockroachdb/datadriven"
)

// family returns a form of the filter with room for the kit's 5,000 keys. A multiset holds few
// occurrences of a key.
func family(p Params) conform.Family {
	small := p
	p.Capacity, small.Capacity = 60_000, 90
	if p.Duplicates { // of which the kit's random operations add more than there is room for
		p.Capacity, small.Capacity = 20_000, 150
	}
	s, err := New(p)
	if err != nil {
		panic(err)
	}
	// The buckets have 2^f - 1 pairs of bucket and fingerprint each. At most 2 of these find one of the
	// 1,000 keys of the kit's test.
	f := conform.Keyed(Family, p.name(), p, small, func(r *rand.Rand) Params {
		p := p
		p.Capacity, p.Seed = conform.Size(r, 60), r.Uint64()
		return p
	}, New).Bound(1000, 2*1000/(float64(s.buckets)*float64(s.base)))
	if p.Duplicates {
		f.Even, f.Keys = true, 20_000
	}
	return f
}

// everyForm returns all combinations of the flags. Buckets of one word, of several and of two slots are
// among them.
func everyForm() []Params {
	var all []Params
	for _, variant := range []Variant{Plain, Tagged} {
		for _, variable := range []bool{false, true} {
			for _, duplicates := range []bool{false, true} {
				all = append(all, Params{Variant: variant, VariableLength: variable, Duplicates: duplicates, Seed: 9})
			}
		}
	}
	return append(all,
		Params{VariableLength: true, Duplicates: true, FingerprintBits: 20, Slots: 8},
		Params{Variant: Tagged, Duplicates: true, FingerprintBits: 21, Slots: 3},
		Params{Variant: Tagged, VariableLength: true, Duplicates: true, FingerprintBits: 17, Slots: 2},
		Params{VariableLength: true, FingerprintBits: 6, Slots: 5},
		Params{Slots: 1, FingerprintBits: 16, Variant: Tagged},
	)
}

func (p Params) name() string {
	p = p.WithDefaults()
	return fmt.Sprintf("%v/%dx%d/variable=%v/duplicates=%v", p.Variant, p.Slots, p.FingerprintBits, p.VariableLength, p.Duplicates)
}

func TestConformance(t *testing.T) {
	for i, p := range everyForm() {
		// Half of the combinations of the first eight, which differ in pairs, but
		// with CCBF_LONG=1 all of them.
		if i < 8 && bits.OnesCount(uint(i))%2 != 0 && os.Getenv("CCBF_LONG") != "1" {
			continue
		}
		t.Run(p.name(), func(t *testing.T) { conform.Run(t, family(p)) })
	}
}

func FuzzBlob(f *testing.F) { conform.Fuzz(f, family(Params{Duplicates: true})) }
func FuzzBlobVariable(f *testing.F) {
	conform.Fuzz(f, family(Params{VariableLength: true, Duplicates: true}))
}
func FuzzBlobWide(f *testing.F) {
	conform.Fuzz(f, family(Params{VariableLength: true, FingerprintBits: 20, Slots: 8}))
}
func FuzzOps(f *testing.F) {
	conform.FuzzOps(f, family(Params{VariableLength: true, Duplicates: true, Variant: Tagged}))
}

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
