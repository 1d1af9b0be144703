package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// TestExperiments runs every experiment at the smallest scale. Sections must be well formed.
func TestExperiments(t *testing.T) {
	for _, page := range program.Pages {
		for _, e := range page.Experiments {
			t.Run(e.Name, func(t *testing.T) {
				t.Parallel()
				_, err := program.Section(e, report.Tiny)
				require.NoError(t, err)
			})
		}
	}
}

// TestPages: the pages are up to date with their texts, and the front pages are short.
func TestPages(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	stale, err := program.Stale(docs)
	require.NoError(t, err)
	require.Empty(t, stale, "make paper ARGS=-render writes them anew")
	for _, front := range []string{"ACCURACY.md", "papers/README.md"} {
		info, err := os.Stat(filepath.Join(docs, front))
		require.NoError(t, err)
		require.LessOrEqual(t, info.Size(), int64(12<<10), front)
	}
}

var (
	code     = regexp.MustCompile("(?s)```.*?```|`[^`]*`")
	measured = regexp.MustCompile(`\[([^\]]*)\]\((accuracy/[a-z]+\.md)#([^)]*)\)`)
	links    = regexp.MustCompile(`\[[^\]]*\]\([^)]*\)`)
	numerals = regexp.MustCompile(`[0-9]+(?:[.,][0-9]+)*%?`)
)

// TestChoosingPage: the hand-written docs/CHOOSING.md has numbers only in links to the sections of
// docs/accuracy that measured them, and these sections contain the numbers.
func TestChoosingPage(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		require.NoError(t, err)
		return string(b)
	}
	text := code.ReplaceAllString(read("CHOOSING.md"), "")
	found := measured.FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, found, "links to measurements")
	for _, m := range found {
		page := slices.IndexFunc(program.Pages, func(p *report.Page) bool { return p.File == m[2] })
		require.GreaterOrEqual(t, page, 0, "no page is %s", m[2])
		sections := program.Pages[page].Experiments
		i := slices.IndexFunc(sections, func(e report.Experiment) bool { return report.Anchor(e.Title) == m[3] })
		require.GreaterOrEqual(t, i, 0, "no section of %s is #%s", m[2], m[3])
		_, section, _ := strings.Cut(read(m[2]), "\n## "+sections[i].Title+"\n")
		section, _, _ = strings.Cut(section, "\n## ")
		in := numerals.FindAllString(section, -1)
		for _, n := range numerals.FindAllString(m[1], -1) {
			require.Contains(t, in, n, "the section %s", sections[i].Name)
		}
	}
	require.Empty(t, numerals.FindAllString(links.ReplaceAllString(text, ""), -1), "numbers that no measurement holds")
}

// TestSystems: the table of the papers' structures names only existing experiments, and all
// experiments of the papers' pages.
func TestSystems(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "papers", "README.md"))
	require.NoError(t, err)
	named := map[string]bool{}
	for _, line := range regexp.MustCompile(`(?m)^\|.*\| ([^|]*) \|$`).FindAllStringSubmatch(string(page), -1) {
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(line[1], -1) {
			named[name[1]] = true
		}
	}
	for _, page := range program.Pages {
		for _, e := range page.Experiments {
			if _, known := named[e.Name]; !known && strings.HasPrefix(page.File, "papers/") {
				t.Errorf("no row names %s of %s", e.Name, page.File)
			}
			delete(named, e.Name)
		}
	}
	require.Empty(t, named, "not experiments")
}
