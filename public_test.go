package ccbfsql

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// notForOthers are the folders whose packages only this repository uses.
var notForOthers = map[string]bool{"internal": true, "cmd": true, "test": true, "bench": true, "testdata": true, "build": true}

// TestPublicPackagesNameNoInternalTypes: packages that other programs can import name no type that
// these cannot.
func TestPublicPackagesNameNoInternalTypes(t *testing.T) {
	files := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (notForOthers[d.Name()] || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		internal := map[string]bool{} // names of packages
		for _, i := range f.Imports {
			if p := strings.Trim(i.Path.Value, `"`); strings.Contains(p, "/internal/") {
				internal[filepath.Base(p)] = true
			}
		}
		for _, n := range exported(f) {
			ast.Inspect(n, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && internal[x.Name] {
						t.Errorf("%v: %s.%s", files.Position(n.Pos()), x.Name, s.Sel.Name)
					}
				}
				return true
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// exported are the types of what a file exports: of functions and methods, of
// variables that say theirs, and of fields.
func exported(f *ast.File) (out []ast.Node) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || len(d.Recv.List) > 0 && ast.IsExported(receiver(d.Recv.List[0].Type))) {
				out = append(out, d.Type)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					if s.Names[0].IsExported() && s.Type != nil {
						out = append(out, s.Type)
					}
				case *ast.TypeSpec:
					fields, ok := s.Type.(*ast.StructType)
					switch {
					case !s.Name.IsExported() || s.Assign != 0: // an alias is a public name
					case !ok:
						out = append(out, s.Type)
					default:
						for _, field := range fields.Fields.List {
							if len(field.Names) > 0 && field.Names[0].IsExported() {
								out = append(out, field.Type)
							}
						}
					}
				}
			}
		}
	}
	return out
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// docs/STABILITY.md names every package that other programs can import, and whether it is stable.
func TestStabilityNamesEveryPackage(t *testing.T) {
	page, err := os.ReadFile("docs/STABILITY.md")
	if err != nil {
		t.Fatal(err)
	}
	promisesNothing := map[string]bool{"internal": true, "cmd": true, "bench": true, "test": true, "sql": true, "packaging": true, "examples": true}
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); promisesNothing[name] || name == "testdata" || name == "build" || name == "node_modules" || path == "beam" || strings.HasPrefix(name, ".") && path != "." {
				return fs.SkipDir
			}
			return nil
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && !strings.Contains(string(page), "`"+folder+"`") {
			t.Errorf("docs/STABILITY.md does not name %s", folder)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
