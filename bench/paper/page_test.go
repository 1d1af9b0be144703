package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ccbfsql/ccbfsql/bench/report"
	realdata "github.com/ccbfsql/ccbfsql/test/data"
)

// TestExperiments runs every experiment at the smallest size: what is said is
// well formed, and every table has a row for each of its parameters.
func TestExperiments(t *testing.T) {
	folder, err := realdata.Folder()
	require.NoError(t, err)
	for _, page := range program.Pages {
		for _, e := range page.Experiments {
			t.Run(e.Name, func(t *testing.T) {
				t.Parallel()
				rows, err := page.Check(e, report.Config{Scale: report.Tiny, Data: folder})
				require.NoError(t, err)
				if want := tableRows[e.Name]; want != nil {
					require.Equal(t, want, rows, "rows of tables")
				}
			})
		}
	}
}

// TestPages: the pages are those of the results beside them, and the one for users
// is short.
func TestPages(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	stale, err := program.Stale(docs)
	require.NoError(t, err)
	require.Empty(t, stale, "make paper ARGS=-render writes them anew")
	info, err := os.Stat(filepath.Join(docs, "ACCURACY.md"))
	require.NoError(t, err)
	require.LessOrEqual(t, info.Size(), int64(60<<10))
}

// tableRows is how many rows the tables of an experiment have: the product of
// the parameters that its protocol names.
var tableRows = map[string][]int{
	"choosing-exact":    {12 + 3, 6, 3},       // sources, sides of squares, kinds of keys
	"choosing":          {2 + 1, 2, 4 * 2, 4}, // sources and bits that they have, sources, uses and what is told, exactness
	"rational":          {2 * 1, 12, 1},       // activations and sizes, k in halves, sizes
	"blocks":            {5 * 2, 5},           // lengths and k, sizes
	"tree":              {1 + 1, 5 + 2*2, 4},  // sizes and mean, kinds of questions, structures
	"rates":             {20 * 5, 4 * 5},      // forms and loads, seeds and filters
	"variable-length":   {4, 7, 7 * 5},        // loads, pairs, pairs by grid
	"variable-speed":    {2 * (5 + 1)},        // loads, filters and mean
	"spectral-table":    {5, 6},               // gammas of table 1, additions of memory of table 2
	"spectral-methods":  {2, 2, 5, 1, 7},      // skews, gammas, k, occurrences, comparisons
	"forest":            {2, 2},               // gammas in either order
	"spectral-below":    {4 * 2},              // gammas, skews
	"spectral-changes":  {3 * 2},              // kinds of removal, skews
	"spectral-unbiased": {4 * 4 * 3},          // k, skews, estimators
	"encodings":         {2 * 8, 2 * 2, 1, 1}, // skews and means, fillings and sizes, sizes, sizes
	"spectral-relative": {6},                  // skews
	"iceberg":           {2 * 2},              // skews, gammas
	"range":             {2 * 2 * 3},          // skews, methods, sizes
	"zipf-memory":       {3 * 8},              // skews, sizes
	"k":                 {3},                  // k
	"covid":             {6},                  // dates
	"categories":        {2 * 7, 2 * 5},       // points, structures; cascades
	"countries":         {1 * 5},              // points, structures
	"urban":             {3 * 5},              // points, structures
	"same-error":        {5},                  // points
	"throughput":        {4 * 3, 10},          // points, comparisons; structures
	"lookups":           {4 * 10},             // points, structures
	"overcount":         {3 * 3 * 2},          // skews, sizes, modes
	"layers":            {6 * 2, 4},           // points and modes, structures
	"cancel":            {2 * 5},              // sizes, sides
	"estimates":         {2 * 5 * 2},          // sizes, sketches, levels
	"cms":               {4 * 2},              // skews, rules
}

var (
	code     = regexp.MustCompile("(?s)```.*?```|`[^`]*`")
	measured = regexp.MustCompile(`\[([^\]]*)\]\(ACCURACY\.md#([^)]*)\)`)
	links    = regexp.MustCompile(`\[[^\]]*\]\([^)]*\)`)
	numerals = regexp.MustCompile(`[0-9]+(?:[.,][0-9]+)*%?`)
)

// TestChoosingPage: docs/CHOOSING.md, which is written by hand, has numbers only in
// links to the sections of docs/ACCURACY.md that measured them, and in their results
// they are.
func TestChoosingPage(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		require.NoError(t, err)
		return string(b)
	}
	text := code.ReplaceAllString(read("CHOOSING.md"), "")
	found := measured.FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, found, "links to measurements")
	sections := program.Pages[0].Experiments
	for _, m := range found {
		i := slices.IndexFunc(sections, func(e report.Experiment) bool { return report.Anchor(e.Title) == m[2] })
		require.GreaterOrEqual(t, i, 0, "no section of ACCURACY.md is #%s", m[2])
		r := csv.NewReader(strings.NewReader(read("accuracy/" + sections[i].Name + ".csv")))
		r.FieldsPerRecord = -1
		lines, err := r.ReadAll()
		require.NoError(t, err)
		in := numerals.FindAllString(fmt.Sprint(lines), -1)
		for _, n := range numerals.FindAllString(m[1], -1) {
			require.Contains(t, in, n, "the section %s", sections[i].Name)
		}
	}
	require.Empty(t, numerals.FindAllString(links.ReplaceAllString(text, ""), -1), "numbers that no measurement holds")
}
