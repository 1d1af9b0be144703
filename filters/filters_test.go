package filters

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// face has the exported names of the package of every family, for users of a single family.
var face = []string{
	"type Params", "type Sketch", "type View", "type Info",
	"var Family",
	"func New(p Params) (*Sketch, error)",
	"func NewView(blob []byte) (View, error)",
	"func Decode(blob []byte) (*Sketch, error)",
	"func Check(blob []byte) error",
	"func (*Sketch) Blob() []byte",
	"func (*View) Info() Info",
}

// Every family has the same face, so that who knows one knows them all.
func TestFamiliesHaveOneFace(t *testing.T) {
	for _, f := range Families() {
		has := declared(t, f.Name)
		for _, want := range face {
			if !has[want] {
				t.Errorf("package %s has no %s", f.Name, want)
			}
		}
	}
}

// declared are the declarations of a folder's package at its top level, without
// bodies.
func declared(t *testing.T, folder string) map[string]bool {
	t.Helper()
	has := map[string]bool{}
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d files in %s, %v", len(paths), folder, err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				has[signature(d)] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						has["type "+s.Name.Name] = true
					case *ast.ValueSpec:
						for _, n := range s.Names {
							has[d.Tok.String()+" "+n.Name] = true
						}
					}
				}
			}
		}
	}
	return has
}

// signature is a function as the face has it, its receiver without a name.
func signature(d *ast.FuncDecl) string {
	of := ""
	if d.Recv != nil {
		of = "(" + types.ExprString(d.Recv.List[0].Type) + ") "
	}
	return "func " + of + d.Name.Name + strings.TrimPrefix(types.ExprString(d.Type), "func")
}
