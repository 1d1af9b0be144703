package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestWrite: sections and their claims stand in the order of the experiments
// whatever the order of writing, one is replaced alone, and figures that are
// gone are removed.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	plot := "p"
	said := ""
	run := func(c Config, s *Section) {
		s.Short("found %s", said)
		s.Text("%s", said)
		s.Claim("claim of "+said, 1.5)
		s.Table("x", "y").Row("1", 0.5)
		s.Figure(plot, "A line.", []Panel{{X: "x", Y: "y", Series: []Series{{Label: "l", X: []float64{1, 2}, Y: []float64{3, 4}}}, Legend: TopLeft}})
	}
	p := Page{File: "PAGE.md", Plots: "plots", Preamble: "# Page\n", Claims: []string{"what", "how much"},
		Experiments: []Experiment{{"a", "First", run}, {"b", "Second: more", run}}}
	write := func(i int, text, figure string) string {
		t.Helper()
		said, plot = text, figure
		s, err := p.section(p.Experiments[i], Config{Scale: Full}, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.write(dir); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dir, p.File))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
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
	write(1, "two", "p")
	inOrder(write(0, "one", "p"),
		"# Page\n", "- [First](#first): found one\n", "- [Second: more](#second-more): found two\n",
		"| section | what | how much |\n", "| [a](#first) | claim of one | 1.5 |\n", "| [b](#second-more) | claim of two | 1.5 |\n",
		"## First\n", "| claim of one | 1.5 |\n", "\none\n", "## Second: more\n", "\ntwo\n")
	page := write(1, "three", "q")
	inOrder(page, "# Page\n", "claim of one", "claim of three", "\none\n", "claim of three", "\nthree\n")
	if strings.Contains(page, "two") {
		t.Errorf("what was replaced is still in\n%s", page)
	}
	for file, there := range map[string]bool{"a-p.svg": true, "b-p.svg": false, "b-q.svg": true} {
		if _, err := os.Stat(filepath.Join(dir, p.Plots, file)); (err == nil) != there {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestCheck: what is not well formed is found.
func TestCheck(t *testing.T) {
	panel := Panel{X: "x", Y: "y", Series: []Series{{X: []float64{1, 2}, Y: []float64{3, 4}}}}
	run := func(c Config, s *Section) {
		s.Short("found")
		s.Table("x", "y").Row(1, 2)
		s.Figure("f", "A line.", []Panel{panel})
	}
	p := Page{Claims: []string{"what"}}
	if rows, err := p.Check(Experiment{Name: "good", Run: run}, Config{}); err != nil || !slices.Equal(rows, []int{1}) {
		t.Errorf("tables of %v rows, %v", rows, err)
	}
	for want, spoil := range map[string]func(*Section){
		"no finding":     func(s *Section) { s.finding = "" },
		"NaN in":         func(s *Section) { s.Text("it is NaN") },
		"a row of 1":     func(s *Section) { s.Table("a", "b").Row(1) },
		"nothing under":  func(s *Section) { s.Table("a", "b").Row(1, "") },
		"a row of 2":     func(s *Section) { s.Claim(1, 2) },
		"no figure":      func(s *Section) { s.blocks = s.blocks[:1] },
		"no table":       func(s *Section) { s.blocks = s.blocks[1:] },
		"f.svg: XML":     func(s *Section) { f := s.blocks[1].(*figure); f.svg = f.svg[:len(f.svg)/2] },
		"f.svg has 0":    func(s *Section) { s.blocks[1].(*figure).svg = []byte("<svg></svg>") },
		"f.svg takes 20": func(s *Section) { f := s.blocks[1].(*figure); f.svg = append(f.svg, make([]byte, 200<<10)...) },
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
	p := Page{Experiments: []Experiment{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
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
