package bloom

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
		"intersect": func(_ *testing.T, _ *datadriven.TestData, _ map[string]*Sketch, s, other *Sketch) (string, error) {
			return "", s.Intersect(other)
		},
		"shrink": func(t *testing.T, d *datadriven.TestData, _ map[string]*Sketch, s, _ *Sketch) (string, error) {
			var size uint64
			d.ScanArgs(t, "bytes", &size)
			return "", s.Shrink(size)
		},
	})
}

// documented are the examples of docs/FORMAT.md.
var documented = []Params{
	{Bits: 40, K: 3, Seed: 42},
	{Bits: 40, K: 2.5, Variant: Rational, Seed: 42},
	{Bits: 40, K: 2.5, Variant: Blocks, Seed: 42},
}

// The code writes the worked example of the documentation, and the model of the tests finds every
// number in it.
func TestFormatExample(t *testing.T) {
	has := conform.Format(t)
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
				rows[k] = []string{"`" + k + "`", fmt.Sprintf("%#016x", h1), fmt.Sprintf("%#016x", h2), fmt.Sprintf("%.4f", float64(activation(h1, h2))/one)}
			}
			rows[k] = append(rows[k], strings.Trim(fmt.Sprint(m.positions(h1, h2)), "[]"))
		}
		if i == 0 {
			has(hex.Dump(s.Blob()))
		}
	}
	has("| " + strings.Join(rows["oak"], " | ") + " |\n| " + strings.Join(rows["elm"], " | ") + " |\n")
}
