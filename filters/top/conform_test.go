package top

import (
	"encoding/hex"
	"math/rand/v2"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/internal/script"
)

// family keeps 100 of the kit's 5,000 keys. A sketch in memory has up to twice as many as its BLOB.
var family = func() conform.Family {
	f := conform.Keyed(Family, "top", Params{}, Params{K: 20}, func(r *rand.Rand) Params { return Params{K: conform.Size(r, 100)} }, New)
	f.BlobsApart = true
	return f
}()

func TestConformance(t *testing.T) { conform.Run(t, family) }
func FuzzBlob(f *testing.F)        { conform.Fuzz(f, family) }
func FuzzOps(f *testing.F)         { conform.FuzzOps(f, family) }

// The scripts in testdata, and the golden BLOBs.
func TestScripts(t *testing.T) { script.Keyed[Params, *Sketch, View](t, Family, nil) }

// The code writes the worked example of the documentation.
func TestFormatExample(t *testing.T) {
	s := mustNew(t, 2)
	for _, k := range []string{"oak", "elm", "oak", "ash", "oak", "elm"} {
		if err := s.AddString(k); err != nil {
			t.Fatal(err)
		}
	}
	conform.Format(t)(hex.Dump(s.Blob()))
}
