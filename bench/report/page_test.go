package report

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// line is the text that draws and places a plot.
func line(plot string) string {
	return fmt.Sprintf(`{{panel %q "" "x" "y" "" "top left" (through "l" "" 0 1 3 2 4)}}![A line.](%[1]s)`, plot)
}

// TestKeep: sections stand in the order of their pages whatever the order of
// running, one is replaced alone, figures that are gone are removed, and a page is
// the same of what was run and of what was kept of it.
func TestKeep(t *testing.T) {
	dir := t.TempDir()
	plot := "p"
	said := ""
	run := func(c Config, s *Section) {
		s.compose("| " + strings.Join(Compared, " | ") + " |\n| claim of " + said + " | 1.5 | 2 | 2 | - | {{worse true \"it is\"}} |\n")
		s.compose("**In short:** found " + said + "\n\n" + said + ", \"quoted\"\n\n| x | y |\n| 1 | 0.5 |\n\n" + line(plot))
		if said == "long" {
			s.compose("| row | of many |\n" + strings.Repeat("| 1 | a cell |\n", mostRows+1))
		}
	}
	a := &Page{File: "A.md", Text: "# A\n\n{{sections}}{{claims}}{{short \"c\"}}, see {{link \"c\"}}\n{{figure \"c\" 0}}{{table \"c\" 0}}", Claims: Compared,
		Experiments: []Experiment{{Name: "a", Title: "First", Run: run}, {Name: "a-b", Title: "Second: more", Run: run}}}
	b := &Page{File: "sub/B.md", Text: "# B, {{last}}\n", Claims: Compared, Experiments: []Experiment{{Name: "c", Title: "Third", Run: run}}}
	p := Program{Results: "results", Pages: []*Page{a, b}, Setting: "one machine"}
	keep := func(i int, text, figure string) string {
		t.Helper()
		said, plot = text, figure
		e := p.experiments()[i]
		s, err := e.page.section(e, Config{Scale: Full}, false)
		require.NoError(t, err)
		require.NoError(t, Try(func() { p.keep(s, dir) }))
		page, err := os.ReadFile(filepath.Join(dir, e.page.File))
		require.NoError(t, err)
		require.Contains(t, string(page), s.markdown(strings.Repeat("../", i/2)+"results"), "what was run")
		return string(page)
	}
	inOrder := func(page string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			_, rest, found := strings.Cut(page, part)
			require.True(t, found, "no %q in its place in\n%s", part, page)
			page = rest
		}
	}
	keep(1, "two", "p")
	inOrder(keep(2, "three", "p"), "# B, one machine\n", "## Third", "](../results/c-p.svg)", "[c.csv](../results/c.csv)")
	inOrder(keep(0, "one", "p"),
		"# A\n", "- [First](#first): found one\n", "- [Second: more](#second-more): found two\n", "| section | what | published |",
		"| [a](#first) | claim of one | 1.5 | 2 | 2 | - | worse: it is |\n", "| [a-b](#second-more) | claim of two |",
		"found three, see [Third](sub/B.md#third)\n![A line.](results/c-p.svg)", "| 1 | 0.5 |\n",
		"## First\n", "| claim of one | 1.5 |", "\none, \"quoted\"\n", "## Second: more\n", "\ntwo, \"quoted\"\n")
	page := keep(1, "long", "q")
	inOrder(page, "claim of one", "claim of long", "The table has 41 rows, and stands in [a-b.csv](results/a-b.csv): row, of many.")
	require.NotRegexp(t, "two|a cell", page, "what was replaced, or is too long")
	for _, file := range []string{"a-p.svg", "a-b-q.svg", "c-p.svg"} {
		require.FileExists(t, filepath.Join(dir, p.Results, file))
	}
	require.NoFileExists(t, filepath.Join(dir, p.Results, "a-b-p.svg"))
	for _, stale := range [][]string{nil, {"sub/B.md"}} {
		got, err := p.Stale(dir)
		require.NoError(t, err)
		require.Equal(t, stale, got)
		b.Text += "more"
	}
}

// TestLoad: a file that is no result of ours is an error that names the line.
func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.csv")
	for _, bad := range []string{"finding,a\nnothing,b\n", "finding,a\nrow,1,2\n", "finding,a\nhead,1\n"} {
		require.NoError(t, os.WriteFile(file, []byte(bad), 0o644))
		require.ErrorContains(t, Try(func() { load(file) }), "line 2", bad)
	}
}

// TestCheck: what is not well formed is found.
func TestCheck(t *testing.T) {
	run := func(c Config, s *Section) {
		s.compose("**In short:** found\n\n| x | y |\n| 1 | 2 |\n\n" + line("f"))
	}
	p := Page{Claims: []string{"what"}}
	require.NoError(t, p.Check(Experiment{Name: "good", Run: run, Rows: []int{1}}, Config{}))
	require.ErrorContains(t, p.Check(Experiment{Name: "other", Run: run, Rows: []int{2}}, Config{}), "tables of [1] rows, the text says [2]")
	figure := func(s *Section, spoil func([]byte) []byte) {
		file := s.figures()[0]
		s.plots[file] = spoil(s.plots[file])
	}
	for want, spoil := range map[string]func(*Section){
		"no finding":     func(s *Section) { s.finding = "" },
		"no numbers in":  func(s *Section) { s.compose("it is NaN") },
		"a row of 1":     func(s *Section) { s.compose("| a | b |\n| 1 |") },
		"nothing under":  func(s *Section) { s.compose("| a | b |\n| 1 |  |") },
		"a row of 2":     func(s *Section) { s.compose("| what |\n| 1 | 2 |") },
		"no figure":      func(s *Section) { s.blocks = s.blocks[:1] },
		"no table":       func(s *Section) { s.blocks = s.blocks[1:] },
		"f.svg: XML":     func(s *Section) { figure(s, func(svg []byte) []byte { return svg[:len(svg)/2] }) },
		"f.svg has 0":    func(s *Section) { figure(s, func([]byte) []byte { return []byte("<svg></svg>") }) },
		"f.svg takes 20": func(s *Section) { figure(s, func(svg []byte) []byte { return append(svg, make([]byte, 200<<10)...) }) },
	} {
		require.ErrorContains(t, p.Check(Experiment{Name: "bad", Run: func(c Config, s *Section) {
			run(c, s)
			spoil(s)
		}}, Config{}), want)
	}
}

func TestChoose(t *testing.T) {
	p := Program{Pages: []*Page{{Experiments: []Experiment{{Name: "a"}, {Name: "b"}}}, {Experiments: []Experiment{{Name: "c"}}}}}
	require.ErrorContains(t, Try(func() { p.choose([]string{"a", "nothing"}) }), `no experiment "nothing"`)
	for want, names := range map[string][]string{"abc": nil, "ac": {"c", "a"}} {
		require.Equal(t, want, strings.Join(Column(p.choose(names), func(e Experiment) string { return e.Name }), ""))
	}
}

func TestAnchor(t *testing.T) {
	require.Equal(t, "building-ccbf_agg-a-test-1", Anchor("Building: ccbf_agg, a Test-1"))
}

// TestRows: a figure of rows has every name once, every kind in its legend, and
// a mark further to the right for a larger quotient.
func TestRows(t *testing.T) {
	svg := drawRows("time / reference", []row{
		{Name: "first", Kind: "ours", At: 0.01, Lo: 0.005, Hi: 0.02},
		{Name: "first", Kind: "theirs", At: 3, Lo: 2, Hi: 4},
		{Name: "second", Kind: "ours", At: 40, Lo: 30, Hi: 50},
	})
	require.NoError(t, checkFigure("rows.svg", svg))
	for _, text := range []string{"first", "second", "ours", "theirs", "time / reference"} {
		require.Equal(t, 1, strings.Count(string(svg), ">"+text+"</text>"), text)
	}
	// Filled circles are one path each: those of "ours", and its legend's.
	xs := Column(regexp.MustCompile(`<path d="M([0-9.]+),[0-9.]+A`).FindAllStringSubmatch(string(svg), -1), func(m []string) float64 {
		return Must(strconv.ParseFloat(m[1], 64))
	})
	require.GreaterOrEqual(t, len(xs), 3)
	require.Less(t, xs[0], xs[1])
	for _, bad := range []row{{Name: "none", At: 1, Lo: 0, Hi: 1}, {Name: "none", At: 1, Lo: -1, Hi: 1}} {
		require.ErrorContains(t, Try(func() { drawRows("x", []row{bad}) }), bad.Name)
	}
}

func TestKept(t *testing.T) {
	page := &Page{Experiments: []Experiment{{Name: "one"}, {Name: "two"}, {Name: "three"}}}
	p := &Program{Pages: []*Page{page}}
	path := filepath.Join(t.TempDir(), "kept.csv")
	hold := func(name string, keep bool, figures map[string][]float64) error {
		s := &Section{name: name}
		for _, what := range slices.Sorted(maps.Keys(figures)) {
			s.Keep(what, figures[what])
		}
		return Try(func() { p.holdKept(path, s.kept, keep) })
	}
	// Nothing is kept yet, and so nothing slower.
	require.NoError(t, hold("two", false, map[string][]float64{"a, of 1": {1, 2, 3}}))
	require.NoError(t, hold("two", true, map[string][]float64{"a, of 1": {1, 2, 3}, "b": {0.5}}))
	require.NoError(t, hold("one", true, map[string][]float64{"a, of 1": {7, 8, 9}}))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "section,what,median,least,largest\none,\"a, of 1\",8,7,9\ntwo,\"a, of 1\",2,1,3\ntwo,b,0.5,0.5,0.5\n", string(text))
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
		err := hold("two", false, map[string][]float64{"a, of 1": c.rounds, "new": {99}})
		if c.slower {
			require.ErrorContains(t, err, "two: a, of 1: 4 (2.5 to 5), kept 2 (1 to 3)", c.name)
		} else {
			require.NoError(t, err, c.name)
		}
	}
	// Rounds may be closer together than runs.
	require.NoError(t, hold("two", true, map[string][]float64{"tight": {1, 1, 1}}))
	require.NoError(t, hold("two", false, map[string][]float64{"tight": {1.29, 1.29, 1.29}}))
	require.Error(t, hold("two", false, map[string][]float64{"tight": {1.31, 1.31, 1.31}}), "30% slower is told from a run like it")
	// A section that ran anew replaces its figures; one that the page does not have
	// any more goes.
	page.Experiments = page.Experiments[1:]
	require.NoError(t, hold("two", true, map[string][]float64{"c": {4}}))
	require.Equal(t, []Kept{{"two", "c", 4, 4, 4}}, readKept(path))
	require.NoError(t, os.WriteFile(path, []byte("section,what,median,least,largest\na,b,1,x,3\n"), 0o644))
	require.ErrorContains(t, hold("two", false, map[string][]float64{"c": {4}}), "line 2", "a damaged file")
}
