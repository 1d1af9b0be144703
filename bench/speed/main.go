// Command speed measures what the sketches cost compared with other ways to the same
// answers, every figure as a ratio within one run: docs/PERFORMANCE.md and its
// plots.
//
// An experiment is a function of this folder and a line in the list below.
package main

import (
	_ "embed"
	"fmt"
	"runtime"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// experiments in the order of the page.
var experiments = []report.Experiment{
	{Name: "aggregate", Title: "Building: ccbf_agg beside the exact GROUP BY", Run: aggregate},
	{Name: "groups", Title: "Building: a million groups of five points", Run: groups},
	{Name: "scarce", Title: "Building: more cells than memory", Run: scarce},
	{Name: "keys", Title: "Building: aggregates of keys beside GROUP BY and DISTINCT", Run: keyedBuilds},
	{Name: "estimates", Title: "Building: sketches of keys beside DuckDB's own approximate aggregates", Run: estimates},
	{Name: "sql", Title: "What SQL costs: the SQL path beside the kernel", Run: overSQL},
	{Name: "kernel", Title: "Kernels: the dense and the exact form beside plain loops", Run: kernel},
	{Name: "hot", Title: "Kernels: hot loops on few keys", Run: hot},
	{Name: "union", Title: "Merging: a thousand dense sketches", Run: union},
	{Name: "places", Title: "Asking: places and boxes beside the exact table", Run: places},
	{Name: "polygons", Title: "Asking: the countries of the world", Run: polygons},
	{Name: "levels", Title: "Asking: areas of dense sketches, with levels and without", Run: levels},
	{Name: "many", Title: "Asking: many sketches and one area", Run: manySketches},
	{Name: "maps", Title: "Drawing: the largest cells of a country, and pictures of it", Run: maps},
	{Name: "serve", Title: "Drawing: ccbfsql serve", Run: served},
	{Name: "cubes", Title: "Drawing: what Nanocubes and Hashedcubes are for", Run: cubes},
	{Name: "extension", Title: "The loadable extension beside the embedded functions", Run: extension},
	{Name: "filters", Title: "Kernels: the keyed families beside Go's map", Run: filters},
	{Name: "peers", Title: "Peers: public Go libraries with the same parameters", Run: peers},
	{Name: "fuse", Title: "Peers: binary fuse filters at equal rate", Run: fuse},
	{Name: "sizes", Title: "Bytes: sketches beside the exact table in Parquet", Run: sizes},
}

//go:embed text/performance.md
var text string

var page = &report.Page{File: "PERFORMANCE.md", Text: text, Claims: []string{"what", "promised", "measured", "of the promise"}, Experiments: experiments}

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
	if isPeak() {
		return
	}
	program.Setting = fmt.Sprintf("%d processors, %s, and DuckDB %s", runtime.GOMAXPROCS(0), runtime.Version(), duckDB())
	program.Main()
}
