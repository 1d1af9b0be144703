package ccbfsql

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// isPublic reports whether other programs can use the packages of a folder.
func isPublic(folder string) bool {
	for _, name := range strings.Split(folder, "/") {
		switch name {
		case "internal", "cmd", "test", "bench", "sql", "packaging":
			return false
		}
	}
	return true
}

// TestPublicPackagesNameNoInternalTypes: packages that other programs can import name no type that
// these cannot.
func TestPublicPackagesNameNoInternalTypes(t *testing.T) {
	files := token.NewFileSet()
	eachGoFile(t, func(path, folder string) {
		if !isPublic(folder) {
			return
		}
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			t.Fatal(err)
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
	})
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
	eachGoFile(t, func(_, folder string) {
		if isPublic(folder) && !strings.HasPrefix(folder, "examples") && !strings.HasPrefix(folder, "beam") && !strings.Contains(string(page), "`"+folder+"`") {
			t.Errorf("docs/STABILITY.md does not name %s", folder)
		}
	})
}
