package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawn is the text that draws and places a plot.
func drawn(plot string) string {
	return fmt.Sprintf(`{{panel %q "" "x" "y" "" "top left" (through "l" "" 0 1 3 2 4)}}![A line.](%[1]s)`, plot)
}

// TestSave: sections are in the order of their pages, whatever the order of running. A new section
// replaces only its own, and the others stay.
func TestSave(t *testing.T) {
	dir := t.TempDir()
	run := func(Scale, *Section) {}
	said := "**In short:** found %s\n\n| what |\n| claim of %[1]s |\n\n%[1]s\n\n| x | y |\n| %[1]s | 0.5 (0.4 to 0.6) |\n\n" + drawn("p")
	a := &Page{File: "A.md", Text: "# A\n\n{{sections}}{{claims}}see {{link \"c\"}}\n{{figure \"c\" 0}}"}
	b := &Page{File: "sub/B.md", Text: "# B, {{last}}\n"}
	a.Experiments = []Experiment{{Name: "a", Title: "First", Run: run, page: a}, {Name: "a-b", Title: "Second: more", Run: run, page: a}}
	b.Experiments = []Experiment{{Name: "c", Title: "Third", Run: run, page: b}}
	// A page without experiments lists the experiments of all pages.
	all := &Page{File: "sub/All.md", Text: "# All\n\n{{count \"\"}}, {{count \"claim of t\"}}\n{{claims \"claim of t\"}}{{sections}}"}
	p := Program{Results: "results", Claims: []string{"what"}, Pages: []*Page{a, b, all}, Setting: "one machine"}
	save := func(i int, text string) string {
		t.Helper()
		e := p.experiments()[i]
		e.Text = fmt.Sprintf(said, text)
		s, err := p.Section(e, Full)
		require.NoError(t, err)
		require.NoError(t, Try(func() { p.save(s, dir) }))
		page, err := os.ReadFile(filepath.Join(dir, e.page.File))
		require.NoError(t, err)
		require.Contains(t, string(page), s.text, "what was run")
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
	save(1, "two")
	inOrder(save(2, "three"), "# B, one machine\n", "## Third", "](../results/c-p.svg)")
	inOrder(save(0, "one"),
		"# A\n", "- [First](#first). Found one\n", "- [Second: more](#second-more). Found two\n", "| section | what |\n| :-- | --: |\n",
		"| [a](#first) | claim of one |\n", "| [a-b](#second-more) | claim of two |\n",
		"see [Third](sub/B.md#third)\n![A line.](results/c-p.svg)", "## First\n", "\none\n", "## Second: more\n", "\ntwo\n")
	list, err := os.ReadFile(filepath.Join(dir, all.File))
	require.NoError(t, err)
	inOrder(string(list), "# All\n\n3, 2\n", "| [a-b](../A.md#second-more) | claim of two |\n| [c](../sub/B.md#third) | claim of three |", "- [First](../A.md#first). Found one")
	b.Text += "{{cell \"a\" \"y\" (list \"one\")}}{{row \"a\" \"one\" 2}}\n"
	inOrder(save(2, "four"), "# B, one machine\n0.5| one | 0.5 (0.4 to 0.6) | [First](../A.md#first) |\n", "four")
	require.NotContains(t, save(1, "five"), "two", "what was replaced")
	for _, stale := range [][]string{nil, {"sub/B.md"}} {
		got, err := p.Stale(dir)
		require.NoError(t, err)
		require.Equal(t, stale, got)
		b.Text += "more"
	}
}

// TestCheck checks that malformed sections are errors.
func TestCheck(t *testing.T) {
	p := Program{Claims: []string{"what"}}
	check := func(text string) error {
		_, err := p.Section(Experiment{Name: "x", Run: func(Scale, *Section) {}, Text: text, page: &Page{}}, Tiny)
		return err
	}
	good := "**In short:** found\n\n| x | y |\n| 1 | 2 |\n\n" + drawn("f") + "\n\n"
	require.NoError(t, check(good))
	for bad, want := range map[string]string{
		strings.Replace(good, "**", "", 2): "no finding", strings.Replace(good, "| x | y |\n| 1 | 2 |", "", 1): "no table",
		good + "it is NaN": "no number", good + "| a | b |\n| 1 |": "1 cells, the head has 2", good + "| a | b |\n| 1 |  |": "nothing",
		good + "| what |\n| 1 | 2 |": "2 cells, the head has 1",
	} {
		require.ErrorContains(t, check(bad), want)
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
