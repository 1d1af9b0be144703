// Command speed measures what the sketches cost compared with other ways to the same
// answers, every figure as a ratio within one run: docs/PERFORMANCE.md and its
// plots.
//
// An experiment is a function of this folder, which measures (see measure.go); a text in
// text/sections, its title and a template that asks what was recorded; and its name in the
// list below, with its threads.
package main

import (
	"embed"
	"fmt"
	"runtime"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// texts are what stands before the sections, and what these say.
//
//go:embed text
var texts embed.FS

// page has the experiments in its order, each with a database of so many threads.
var page = report.NewPage(texts, "PERFORMANCE.md", "performance.md", []string{"what", "promised", "measured", "of the promise"},
	in(2, "aggregate", aggregate), in(2, "groups", groups), in(2, "scarce", scarce), in(2, "keys", keyedBuilds),
	in(1, "estimates", estimates), in(1, "sql", overSQL), in(1, "kernel", kernel), in(1, "hot", hot), in(2, "union", union),
	in(2, "places", places), in(2, "polygons", polygons), in(2, "levels", levels), in(2, "many", manySketches),
	in(2, "maps", maps), in(2, "serve", served), in(2, "cubes", cubes), in(2, "extension", extension),
	in(1, "filters", filters), in(1, "peers", peers), in(1, "fuse", fuse), in(2, "sizes", sizes),
)

// atAGlance is the chart of README's first screen.
var atAGlance = &report.Chart{
	File: "pictures/beside.svg", Title: "An exact sketch relative to the exact table (cell, count): less is better",
	Below: "A million points in cells of 0.001 degrees. Medians of docs/PERFORMANCE.md.",
	Bars: []report.ChartBar{
		{Name: "bytes, both in Parquet with zstd", Section: "sizes", Row: []string{"all in one"}, Column: "BLOBs in Parquet / table"},
		{Name: "time to build from a million points", Section: "aggregate", Row: []string{"UK crimes, as filed"}, Column: "ccbf_agg / GROUP BY"},
		{Name: "time of 1 box", Section: "places", Row: []string{"1 box", "exact"}, Column: "time / exact table"},
		{Name: "time of 1,000 boxes", Section: "places", Row: []string{"1000 boxes", "exact"}, Column: "time / exact table"},
		{Name: "time of 2,000,000 single cells", Section: "places", Row: []string{"2000000 places", "exact"}, Column: "time / exact table"},
	},
}

var program = report.Program{Name: "speed", Results: "performance", Pages: []*report.Page{page}, Charts: []*report.Chart{atAGlance}}

func main() {
	if isApart() {
		return
	}
	program.Setting = fmt.Sprintf("%d processors, %s, and DuckDB %s", runtime.GOMAXPROCS(0), runtime.Version(), duckDB())
	program.Main()
}
