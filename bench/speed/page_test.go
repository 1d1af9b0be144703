package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/test/data"
)

// TestMain gives the processes of alone what they run as.
func TestMain(m *testing.M) {
	if !isApart() {
		os.Exit(m.Run())
	}
}

// TestPage: the page is that of the results beside it.
func TestPage(t *testing.T) {
	if stale, err := program.Stale(filepath.Join("..", "..", "docs")); err != nil || stale != nil {
		t.Errorf("make bench ARGS=-render writes %v anew: %v", stale, err)
	}
}

// TestExperiments runs every experiment at the smallest size: what is said is
// well formed, and every table has a row for each of its parameters.
func TestExperiments(t *testing.T) {
	folder, err := data.Folder()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir("..") // where make runs the program
	c := report.Config{Scale: report.Tiny, Data: folder}
	for _, e := range page.Experiments {
		t.Run(e.Name, func(t *testing.T) {
			switch e.Name {
			case "extension":
				t.Skip("needs what make extension and make clients leave")
			case "serve", "cubes":
				if testing.Short() {
					t.Skip("links the shell")
				}
			}
			rows, err := page.Check(e, c)
			if err != nil {
				t.Fatal(err)
			}
			if want := tableRows[e.Name]; !slices.Equal(rows, want) {
				t.Errorf("tables of %v rows, want %v", rows, want)
			}
		})
	}
}

// tableRows is how many rows the tables of an experiment have.
var tableRows = map[string][]int{
	"aggregate": {5, 2},          // points, trees of them
	"groups":    {1},             // sizes
	"scarce":    {2},             // limits
	"keys":      {2 * 3},         // keys and aggregates
	"estimates": {2 * 2 * 2},     // keys, questions and aggregates
	"sql":       {2 + 2*2 + 5},   // builds, questions to two forms, families
	"kernel":    {2*2 + 2*2 + 2}, // inserts, lookups, exact builds
	"hot":       {7 + 5 + 6},     // adds, questions of keyed filters; loops over cells
	"union":     {2},             // fills
	"places":    {3*2 + 1 + 2*2}, // questions to two forms, by tile, by categories
	"polygons":  {2},             // resolutions
	"levels":    {1 + 2},         // countries, squares
	"many":      {2, 2, 3},       // ways over days, over tiles, boxes over days
	"maps":      {2 * 5},         // resolutions and questions
	"serve":     {6},             // requests
	"cubes":     {2, 2 * 5},      // points, questions
	"filters":   {5},             // families
	"peers":     {6*3 + 6 + 2*2}, // filters and operations
	"fuse":      {2 * 2},         // rates and filters
	"sizes":     {7},             // groupings
}
