package ccbfsql

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/ccbfsql/ccbfsql"

// architecture is the page with the table of packages and their allowed imports.
const architecture = "docs/ARCHITECTURE.md"

// importRule is a row of that table. A pattern is a folder, or a folder and all below
// it ("filters/..."); "." is the module's own.
type importRule struct {
	packages, allowed []string
}

// importRules reads the table.
func importRules(t *testing.T) []importRule {
	t.Helper()
	_, table, found := strings.Cut(readFile(t, architecture), "| package | may import |")
	if !found {
		t.Fatalf("%s has no table of packages", architecture)
	}
	var rules []importRule
	for i, line := range strings.Split(table, "\n") {
		if i < 2 { // the rest of the head, and the line below it
			continue
		}
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			break
		}
		rules = append(rules, importRule{quotedIn(cells[1]), quotedIn(cells[2])})
	}
	return rules
}

// quotedIn returns what stands between backticks.
func quotedIn(cell string) (names []string) {
	for i, part := range strings.Split(cell, "`") {
		if i%2 == 1 {
			names = append(names, part)
		}
	}
	return names
}

func matches(pattern, folder string) bool {
	above, isTree := strings.CutSuffix(pattern, "/...")
	return folder == above || isTree && strings.HasPrefix(folder, above+"/")
}

// ruleOf returns the rule with the longest pattern that a folder matches, and that
// pattern; nil if there is none.
func ruleOf(rules []importRule, folder string) (rule *importRule, pattern string) {
	for i := range rules {
		for _, p := range rules[i].packages {
			if matches(p, folder) && len(p) > len(pattern) {
				rule, pattern = &rules[i], p
			}
		}
	}
	return rule, pattern
}

// Imports run one way, as docs/ARCHITECTURE.md says, and nothing in its table is out of
// date. In filters, moreover, there is no cgo, no SQL and nothing of DuckDB: sketches are
// usable alone.
func TestImportsRunOneWay(t *testing.T) {
	rules := importRules(t)
	seen := map[string]bool{}          // patterns that have a package
	used := map[*importRule][]string{} // of what a rule allows
	withC := map[string]bool{}         // folders with cgo
	files := token.NewFileSet()
	eachGoFile(t, func(path, from string) {
		rule, own := ruleOf(rules, from)
		if rule == nil {
			t.Errorf("%s: say in %s what %s may import", path, architecture, from)
			return
		}
		seen[own] = true
		f, err := parser.ParseFile(files, path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			name := strings.Trim(i.Path.Value, `"`)
			if matches("filters/...", from) && (name == "C" || name == "database/sql" || strings.Contains(name, "duckdb")) {
				t.Errorf("%s imports %s", path, name)
			}
			if name == "C" {
				withC[from] = true
			}
			rest, ours := strings.CutPrefix(name, module)
			if !ours {
				continue
			}
			to := strings.TrimPrefix(rest, "/")
			if to == "" {
				to = "."
			}
			if _, p := ruleOf(rules, to); p == own {
				continue
			}
			allowed := false
			for _, p := range rule.allowed {
				if matches(p, to) {
					allowed = true
					used[rule] = append(used[rule], p)
				}
			}
			if !allowed {
				t.Errorf("%s imports %s: by %s, %s may import %v", path, name, architecture, own, rule.allowed)
			}
		}
	})
	for i := range rules {
		for _, p := range rules[i].packages {
			if !seen[p] {
				t.Errorf("%s: there is no package %s", architecture, p)
			}
		}
		for _, p := range rules[i].allowed {
			if !slices.Contains(used[&rules[i]], p) {
				t.Errorf("%s: none of %v imports %s", architecture, rules[i].packages, p)
			}
		}
	}
	for folder := range withC {
		if folder != "internal/duck" && folder != "cmd/ccbf-extension" {
			t.Errorf("%s: there is cgo in %s, too", architecture, folder)
		}
	}
}

// eachGoFile calls f for the path and the folder of each Go file of the repository that is no test.
func eachGoFile(t *testing.T, f func(path, folder string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (d.Name() == "build" || d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			f(path, filepath.ToSlash(filepath.Dir(path)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

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
		ast.FileExports(f)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				n.Body = nil
				// A method is as public as its type.
				return n.Recv == nil || ast.IsExported(strings.TrimPrefix(types.ExprString(n.Recv.List[0].Type), "*"))
			case *ast.ValueSpec:
				n.Values = nil
			case *ast.TypeSpec:
				return n.Assign == 0 // an alias is a public name
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && internal[x.Name] {
					t.Errorf("%v: %s.%s", files.Position(n.Pos()), x.Name, n.Sel.Name)
				}
			}
			return true
		})
	})
}

// docs/STABILITY.md names every package that other programs can import, and whether it is stable.
func TestStabilityNamesEveryPackage(t *testing.T) {
	page := readFile(t, "docs/STABILITY.md")
	eachGoFile(t, func(_, folder string) {
		if isPublic(folder) && !strings.HasPrefix(folder, "examples") && !strings.HasPrefix(folder, "beam") && !strings.Contains(page, "`"+folder+"`") {
			t.Errorf("docs/STABILITY.md does not name %s", folder)
		}
	})
}
