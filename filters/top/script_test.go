package top

import (
	"encoding/hex"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/internal/conform"
	"github.com/ccbfsql/ccbfsql/filters/internal/script"
)

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
