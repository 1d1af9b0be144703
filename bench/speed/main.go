// Command speed measures what the sketches cost compared with other ways to the same
// answers, every figure as a ratio within one run: docs/PERFORMANCE.md and its
// plots.
//
// An experiment is a function of this folder, which measures (see measure.go); a text of the
// same name in text/sections, a template that asks what was recorded; and a line in the list
// below, with its threads and the axis of its figure.
package main

import (
	"embed"
	"fmt"
	"runtime"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// experiments in the order of the page.
var experiments = []report.Experiment{
	{Name: "aggregate", Title: "Building: ccbf_agg beside the exact GROUP BY", Run: in(2, "time / exact GROUP BY", aggregate)},
	{Name: "groups", Title: "Building: a million groups of five points", Run: in(2, "ccbf_agg / other", groups)},
	{Name: "scarce", Title: "Building: more cells than memory", Run: in(2, "ccbf_agg / GROUP BY", scarce)},
	{Name: "keys", Title: "Building: aggregates of keys beside GROUP BY and DISTINCT", Run: in(2, "time / exact query", keyedBuilds)},
	{Name: "estimates", Title: "Building: sketches of keys beside DuckDB's own approximate aggregates", Run: in(1, "time / DuckDB's own", estimates)},
	{Name: "sql", Title: "What SQL costs: the SQL path beside the kernel", Run: in(1, "time of SQL / kernel", overSQL)},
	{Name: "kernel", Title: "Kernels: the dense and the exact form beside plain loops", Run: in(1, "time / other", kernel)},
	{Name: "hot", Title: "Kernels: hot loops on few keys", Run: in(1, "time / other", hot)},
	{Name: "union", Title: "Merging: a thousand dense sketches", Run: in(2, "time / plain loop", union)},
	{Name: "places", Title: "Asking: places and boxes beside the exact table", Run: in(2, "time / exact table", places)},
	{Name: "polygons", Title: "Asking: the countries of the world", Run: in(2, "time / point in polygon", polygons)},
	{Name: "levels", Title: "Asking: areas of dense sketches, with levels and without", Run: in(2, "time with levels / without", levels)},
	{Name: "many", Title: "Asking: many sketches and one area", Run: in(2, "time / reference", manySketches)},
	{Name: "maps", Title: "Drawing: the largest cells of a country, and pictures of it", Run: in(2, "time / exact table", maps)},
	{Name: "serve", Title: "Drawing: ccbfsql serve", Run: in(2, "time / statement in SQL", served)},
	{Name: "cubes", Title: "Drawing: what Nanocubes and Hashedcubes are for", Run: in(2, "time / exact table", cubes)},
	{Name: "extension", Title: "The loadable extension beside the embedded functions", Run: in(2, "time / reference", extension)},
	{Name: "filters", Title: "Kernels: the keyed families beside Go's map", Run: in(1, "time / map", filters)},
	{Name: "peers", Title: "Peers: public Go libraries with the same parameters", Run: in(1, "speed / library", peers)},
	{Name: "fuse", Title: "Peers: binary fuse filters at equal rate", Run: in(1, "time / binary fuse", fuse)},
	{Name: "sizes", Title: "Bytes: sketches beside the exact table in Parquet", Run: in(2, "bytes / exact table", sizes)},
}

// texts are what stands before the sections, and what these say.
//
//go:embed text
var texts embed.FS

var page = report.NewPage(texts, "PERFORMANCE.md", "performance.md", []string{"what", "promised", "measured", "of the promise"}, experiments...)

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
