package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
		s.Claim("claim of "+said, "1.5", "2", "2", "-", Worse(true, "it is"))
		s.compose("**In short:** found " + said + "\n\n" + said + ", \"quoted\"\n\n| x | y |\n| 1 | 0.5 |\n\n" + line(plot))
		if said == "long" {
			s.compose("| row | of many |\n" + strings.Repeat("| 1 | a cell |\n", mostRows+1))
		}
	}
	a := &Page{File: "A.md", Text: "# A\n\n{{list}}{{claims}}{{short \"c\"}}, see {{link \"c\"}}\n{{figure \"c\" 0}}{{table \"c\" 0}}", Claims: Compared,
		Experiments: []Experiment{{Name: "a", Title: "First", Run: run}, {Name: "a-b", Title: "Second: more", Run: run}}}
	b := &Page{File: "sub/B.md", Text: "# B, {{last}}\n", Claims: Compared, Experiments: []Experiment{{Name: "c", Title: "Third", Run: run}}}
	p := Program{Results: "results", Pages: []*Page{a, b}, Setting: "one machine"}
	keep := func(i int, text, figure string) string {
		t.Helper()
		said, plot = text, figure
		e := p.experiments()[i]
		s, err := e.page.section(e, Config{Scale: Full}, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.keep(s, dir); err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile(filepath.Join(dir, e.page.File))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(page), s.markdown(strings.Repeat("../", i/2)+"results")) {
			t.Errorf("what was run is not what is kept:\n%s", page)
		}
		return string(page)
	}
	inOrder := func(page string, parts ...string) {
		t.Helper()
		at := 0
		for _, part := range parts {
			i := strings.Index(page[at:], part)
			if i < 0 {
				t.Fatalf("no %q in its place in\n%s", part, page)
			}
			at += i + len(part)
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
	if strings.Contains(page, "two") || strings.Contains(page, "a cell") {
		t.Errorf("what was replaced, or is too long, is in\n%s", page)
	}
	for file, there := range map[string]bool{"a-p.svg": true, "a-b-p.svg": false, "a-b-q.svg": true, "c-p.svg": true} {
		if _, err := os.Stat(filepath.Join(dir, p.Results, file)); (err == nil) != there {
			t.Errorf("%s: %v", file, err)
		}
	}
	if stale, err := p.Stale(dir); err != nil || stale != nil {
		t.Errorf("stale are %v, %v", stale, err)
	}
	b.Text += "more"
	if stale, err := p.Stale(dir); err != nil || !slices.Equal(stale, []string{"sub/B.md"}) {
		t.Errorf("stale are %v, %v", stale, err)
	}
}

// TestLoad: a file that is no result of ours is an error that names the line.
func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.csv")
	for _, bad := range []string{"finding,a\nnothing,b\n", "finding,a\nrow,1,2\n", "finding,a\nhead,1\n"} {
		if err := os.WriteFile(file, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(file); err == nil || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q: error is %v", bad, err)
		}
	}
}

// TestCheck: what is not well formed is found.
func TestCheck(t *testing.T) {
	run := func(c Config, s *Section) {
		s.compose("**In short:** found\n\n| x | y |\n| 1 | 2 |\n\n" + line("f"))
	}
	p := Page{Claims: []string{"what"}}
	if rows, err := p.Check(Experiment{Name: "good", Run: run}, Config{}); err != nil || !slices.Equal(rows, []int{1}) {
		t.Errorf("tables of %v rows, %v", rows, err)
	}
	figure := func(s *Section, spoil func([]byte) []byte) {
		file := s.figures()[0]
		s.plots[file] = spoil(s.plots[file])
	}
	for want, spoil := range map[string]func(*Section){
		"no finding":     func(s *Section) { s.finding = "" },
		"no numbers in":  func(s *Section) { s.compose("it is NaN") },
		"a row of 1":     func(s *Section) { s.compose("| a | b |\n| 1 |") },
		"nothing under":  func(s *Section) { s.compose("| a | b |\n| 1 |  |") },
		"a row of 2":     func(s *Section) { s.Claim("1", "2") },
		"no figure":      func(s *Section) { s.blocks = s.blocks[:1] },
		"no table":       func(s *Section) { s.blocks = s.blocks[1:] },
		"f.svg: XML":     func(s *Section) { figure(s, func(svg []byte) []byte { return svg[:len(svg)/2] }) },
		"f.svg has 0":    func(s *Section) { figure(s, func([]byte) []byte { return []byte("<svg></svg>") }) },
		"f.svg takes 20": func(s *Section) { figure(s, func(svg []byte) []byte { return append(svg, make([]byte, 200<<10)...) }) },
	} {
		_, err := p.Check(Experiment{Name: "bad", Run: func(c Config, s *Section) {
			run(c, s)
			spoil(s)
		}}, Config{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want %q", err, want)
		}
	}
}

func TestChoose(t *testing.T) {
	p := Program{Pages: []*Page{{Experiments: []Experiment{{Name: "a"}, {Name: "b"}}}, {Experiments: []Experiment{{Name: "c"}}}}}
	if _, err := p.choose([]string{"a", "nothing"}); err == nil {
		t.Error("chooses what is not there")
	}
	for want, names := range map[string][]string{"abc": nil, "ac": {"c", "a"}} {
		got, err := p.choose(names)
		if err != nil {
			t.Fatal(err)
		}
		all := ""
		for _, e := range got {
			all += e.Name
		}
		if all != want {
			t.Errorf("chooses %q of %v, want %q", all, names, want)
		}
	}
}
