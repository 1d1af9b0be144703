package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/bench/report"
	realdata "github.com/ccbfsql/ccbfsql/test/data"
)

// TestExperiments runs every experiment at the smallest size: what is said is
// well formed, and every table has a row for each of its parameters.
func TestExperiments(t *testing.T) {
	folder, err := realdata.Folder()
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range program.Pages {
		for _, e := range page.Experiments {
			t.Run(e.Name, func(t *testing.T) {
				t.Parallel()
				rows, err := page.Check(e, report.Config{Scale: report.Tiny, Data: folder})
				if err != nil {
					t.Fatal(err)
				}
				if want := tableRows[e.Name]; want != nil && !slices.Equal(rows, want) {
					t.Errorf("tables of %v rows, want %v", rows, want)
				}
			})
		}
	}
}

// TestPages: the pages are those of the results beside them, and the one for users
// is short.
func TestPages(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	if stale, err := program.Stale(docs); err != nil || stale != nil {
		t.Errorf("make paper ARGS=-render writes %v anew: %v", stale, err)
	}
	if info, err := os.Stat(filepath.Join(docs, "ACCURACY.md")); err != nil || info.Size() > 60<<10 {
		t.Errorf("ACCURACY.md: %v, %v", info, err)
	}
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
