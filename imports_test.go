package ccbfsql

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/ccbfsql/ccbfsql"

// below are the folders that the packages of a folder may import from, beside their
// own: one direction, from programs down to sketches. A folder that is not here, and
// is not a program or a test, is a mistake.
var below = map[string][]string{
	"filters":   {},
	"internal":  {"filters"},
	"agg":       {"internal", "filters"},
	"udf":       {"internal", "filters"},
	".":         {"agg", "udf", "internal", "filters"},
	"connector": {".", "internal"},
	"beam":      {"filters", "connector"}, // a worker runs DuckDB
	"packaging": {},
}

// programs may import from all of these, and from no other program.
var programs = map[string]bool{"cmd": true, "bench": true, "test": true, "examples": true}

// Imports run one way. In filters, moreover, there is no cgo, no SQL and nothing of
// DuckDB: sketches are usable alone.
func TestImportsRunOneWay(t *testing.T) {
	files := token.NewFileSet()
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (d.Name() == "build" || d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		from := folder(filepath.ToSlash(filepath.Dir(path)))
		seen[from] = true
		allowed, known := below[from]
		if !known && !programs[from] {
			t.Errorf("%s: say in below what %s may import", path, from)
		}
		f, err := parser.ParseFile(files, path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range f.Imports {
			name := strings.Trim(i.Path.Value, `"`)
			if from == "filters" && (name == "C" || name == "database/sql" || strings.Contains(name, "duckdb")) {
				t.Errorf("%s imports %s", path, name)
			}
			rest, ours := strings.CutPrefix(name, module)
			if !ours {
				continue
			}
			to := folder(strings.TrimPrefix(rest, "/"))
			switch {
			case to == from:
			case known && !slices.Contains(allowed, to), !known && programs[to] && to != "test":
				t.Errorf("%s imports %s: %s may import %v", path, name, from, allowed)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for from := range below {
		if !seen[from] {
			t.Errorf("there is no folder %s", from)
		}
	}
}

// folder is the first of a path's, "." of the module's own.
func folder(path string) string {
	if path == "" {
		return "."
	}
	first, _, _ := strings.Cut(path, "/")
	return first
}
