package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestKept(t *testing.T) {
	page := &Page{Experiments: []Experiment{{Name: "one"}, {Name: "two"}, {Name: "three"}}}
	p := &Program{Pages: []*Page{page}}
	path := filepath.Join(t.TempDir(), "kept.csv")
	run := func(name string, figures map[string][]float64) []Kept {
		s := &Section{name: name}
		for _, what := range slices.Sorted(func(yield func(string) bool) {
			for w := range figures {
				if !yield(w) {
					return
				}
			}
		}) {
			s.Keep(what, figures[what])
		}
		return s.kept
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	// Nothing is kept yet, and so nothing slower.
	must(p.holdKept(path, run("two", map[string][]float64{"a, of 1": {1, 2, 3}}), false))
	must(p.holdKept(path, run("two", map[string][]float64{"a, of 1": {1, 2, 3}, "b": {0.5}}), true))
	must(p.holdKept(path, run("one", map[string][]float64{"a, of 1": {7, 8, 9}}), true))
	text, err := os.ReadFile(path)
	must(err)
	want := "section,what,median,least,largest\none,\"a, of 1\",8,7,9\ntwo,\"a, of 1\",2,1,3\ntwo,b,0.5,0.5,0.5\n"
	if string(text) != want {
		t.Errorf("the file is\n%s, want\n%s", text, want)
	}
	for _, c := range []struct {
		name   string
		rounds []float64
		slower bool
	}{
		{"the same", []float64{1, 2, 3}, false},
		{"faster", []float64{0.1, 0.2, 0.3}, false},
		{"one round slower", []float64{1, 2, 30}, false},
		{"the median within the kept range", []float64{2.5, 3, 4}, false},
		{"a range that holds the kept median", []float64{1.5, 4, 5}, false},
		{"slower by more than both spreads", []float64{2.5, 4, 5}, true},
	} {
		err := p.holdKept(path, run("two", map[string][]float64{"a, of 1": c.rounds, "new": {99}}), false)
		if (err != nil) != c.slower {
			t.Errorf("%s: error %v", c.name, err)
		}
		if err != nil && !strings.Contains(err.Error(), "two: a, of 1: 4 (2.5 to 5), kept 2 (1 to 3)") {
			t.Errorf("%s: the error does not name what is slower: %v", c.name, err)
		}
	}
	// Rounds may be closer together than runs.
	must(p.holdKept(path, run("two", map[string][]float64{"tight": {1, 1, 1}}), true))
	must(p.holdKept(path, run("two", map[string][]float64{"tight": {1.29, 1.29, 1.29}}), false))
	if p.holdKept(path, run("two", map[string][]float64{"tight": {1.31, 1.31, 1.31}}), false) == nil {
		t.Error("30% slower is not told from a run like it")
	}
	// A section that ran anew replaces its figures; one that the page does not have
	// any more goes.
	page.Experiments = page.Experiments[1:]
	must(p.holdKept(path, run("two", map[string][]float64{"c": {4}}), true))
	kept, err := readKept(path)
	must(err)
	if want := []Kept{{"two", "c", 4, 4, 4}}; !slices.Equal(kept, want) {
		t.Errorf("kept %v, want %v", kept, want)
	}
	must(os.WriteFile(path, []byte("section,what,median,least,largest\na,b,1,x,3\n"), 0o644))
	if err := p.holdKept(path, run("two", map[string][]float64{"c": {4}}), false); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a damaged file: %v", err)
	}
}
