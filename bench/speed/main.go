// Command speed measures the cost of sketches relative to other ways to the same results. Every
// figure is a ratio within one run. It writes docs/PERFORMANCE.md, and docs/performance with the
// details.
//
// How to add an experiment is in bench/README.md.
package main

import (
	"embed"
	"fmt"
	"runtime"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// texts has the texts of pages and sections.
//
//go:embed text
var texts embed.FS

// page returns a page of experiments.
func page(file, text string, experiments ...report.Experiment) *report.Page {
	return report.NewPage(texts, file, text, []string{"what", report.Promised, report.Measured, "of the promise"}, experiments...)
}

var program = report.Program{Results: "performance", Pages: []*report.Page{
	page("PERFORMANCE.md", "performance.md"),
	page("performance/building.md", "building.md",
		in(2, "aggregate", aggregate), in(2, "groups", groups), in(2, "scarce", scarce), in(2, "keys", keyedBuilds),
		in(1, "estimates", estimates), in(2, "sizes", sizes)),
	page("performance/asking.md", "asking.md",
		in(2, "places", places), in(2, "polygons", polygons), in(2, "many", manySketches)),
	page("performance/drawing.md", "drawing.md", in(2, "maps", drawn), in(2, "serve", served)),
	page("performance/code.md", "code.md",
		in(2, "extension", extension)),
	page("performance/libraries.md", "libraries.md", in(1, "peers", peers)),
	page("performance/promises.md", "promises.md"),
	page("performance/method.md", "method.md"),
	{File: "pictures/beside.svg", Text: string(report.Must(texts.ReadFile("text/beside.svg")))}, // the chart of docs/PERFORMANCE.md and docs/LIMITS.md
}}

func main() {
	duck.AddProcessor() // one Go processor more than the machine has, as in the shell
	if isIsolated() {
		return
	}
	program.Setting = fmt.Sprintf("%d processors, %s, and DuckDB %s", runtime.NumCPU(), runtime.Version(), duckDB())
	program.Main()
}
