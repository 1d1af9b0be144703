package filters

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// face has the exported names of the package of every family, for users of a single family.
var face = []string{
	`type Params\b`, `type Sketch\b`, `type View\b`, `type Info\b`,
	`var Family\b`,
	`func New\(p Params\) \(\*Sketch, error\)`,
	`func NewView\(blob \[\]byte\) \(View, error\)`,
	`func Decode\(blob \[\]byte\) \(\*Sketch, error\)`,
	`func Check\(blob \[\]byte\) error`,
	`func \(\w+ \*Sketch\) Blob\(\) \[\]byte`,
	`func \(\w+ \*View\) Info\(\) Info`,
}

// Every family has the same face, so that who knows one knows them all.
func TestFamiliesHaveOneFace(t *testing.T) {
	for _, f := range Families() {
		paths, err := filepath.Glob(filepath.Join(f.Name, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		var code strings.Builder
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(path, "_test.go") {
				code.Write(text)
			}
		}
		for _, want := range face {
			if !regexp.MustCompile("(?m)^" + want).MatchString(code.String()) {
				t.Errorf("package %s has no %s", f.Name, want)
			}
		}
	}
}
