package test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql"
)

// TestExamples: every example runs unchanged and has a result.
func TestExamples(t *testing.T) {
	db := open(t)
	limit := mustAsk(t, db, "SELECT (ccbf_memory()).limit")
	defer exec(t, db, "SELECT ccbf_memory_limit("+limit+"::UBIGINT)") // an example changes it
	for _, f := range ccbfsql.Functions() {
		got, err := ask(db, f.Example)
		if err != nil {
			t.Errorf("%s: %s: %v", f.Name, f.Example, err)
		} else if got == "" || got == "<nil>" {
			t.Errorf("%s: %s: no answer", f.Name, f.Example)
		}
		if !strings.Contains(f.Example, f.Name+"(") {
			t.Errorf("%s: the example does not call it: %s", f.Name, f.Example)
		}
		if f.Summary == "" || f.Group == "" {
			t.Errorf("%s: no summary or no group", f.Name)
		}
	}
}

// TestEveryFunctionIsTested: every function is in a .test file, so that a family without one is
// noticed.
func TestEveryFunctionIsTested(t *testing.T) {
	files, err := filepath.Glob("*.test")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(b)
	}
	for _, f := range ccbfsql.Functions() {
		if n := strings.Count(all.String(), f.Name+"("); n < 2 {
			t.Errorf("%s is called %d times in all *.test files", f.Name, n)
		}
	}
}
