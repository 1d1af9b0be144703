// Command speed measures what the sketches cost beside other ways to the same
// answers, every figure as a ratio within one run: docs/PERFORMANCE.md and its
// plots.
//
// An experiment is one function of this folder and one line in the list below.
package main

import (
	"fmt"
	"runtime"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// experiments in the order of the page.
var experiments = []report.Experiment{
	{Name: "aggregate", Title: "Building: ccbf_agg beside the exact GROUP BY", Run: aggregate},
	{Name: "groups", Title: "Building: a million groups of five points", Run: groups},
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
	{Name: "extension", Title: "The loadable extension beside the embedded functions", Run: extension},
	{Name: "filters", Title: "Kernels: the keyed families beside Go's map", Run: filters},
	{Name: "peers", Title: "Peers: public Go libraries with the same parameters", Run: peers},
	{Name: "fuse", Title: "Peers: binary fuse filters at equal rate", Run: fuse},
	{Name: "sizes", Title: "Bytes: sketches beside the exact table in Parquet", Run: sizes},
}

const preamble = `# Performance: what sketches cost beside other ways to the same answers

This page is written by ` + "`make bench`" + ` (about eight minutes on two idle cores; ` + "`make bench ARGS=peers`" + `
replaces one section, ` + "`make bench ARGS=-quick`" + ` takes two minutes at smaller sizes). Times have no meaning without
their machine, so there are none here: every figure is a quotient of two measurements of one run, or, for a promise in
seconds, what part of the promised time was taken on the machine of the run. The times themselves go to the terminal.

The last run had %d processors, %s, and DuckDB %s.

How it was measured:

- **Spread.** "0.96 (0.73 to 1.21)" is the median, the least and the largest of nine rounds (five with ` + "`-quick`" + `). What is
  compared takes turns within each round, every other round backwards; a first round is not counted. A ratio is
  taken within a round.
- **Threads.** Statements use two threads, where nothing else is said; kernels and libraries use one.
- **Tables** are in memory, and statements make a table in memory, or one number.
- **Kernel** is the Go function under the SQL function, called with slices.
- **Data** are the files of [test/data](../test/data/README.md). All other data are seeded.

The list of promises has those of [LIMITS.md](LIMITS.md) and of the project's goals. ` + "`make bench`" + ` holds what was measured of
each against the figures of an earlier run, kept in [performance/kept.csv](performance/kept.csv), and fails with the names
of those that became slower by more than the spread: where the median of either run lies outside the range of the other, and that of the
new run is more than 30%% above.
` + "`make bench ARGS=-keep`" + ` keeps the new figures. **Of the promise** is what was measured as a part
of what was promised, or the other way about where more is better: at most 1 keeps it, "short" does not. Promises about
accuracy, and the speed of variable-length filters, are in [ACCURACY.md](ACCURACY.md); those of pipelines are in
[SCALE.md](SCALE.md).
`

var page = report.Page{
	Program: "speed", File: "PERFORMANCE.md", Plots: "performance",
	Claims:      []string{"what", "promised", "measured", "of the promise"},
	Experiments: experiments,
}

func main() {
	if isPeak() {
		return
	}
	page.Preamble = fmt.Sprintf(preamble, runtime.GOMAXPROCS(0), runtime.Version(), duckDB())
	page.Main()
}
