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

// files has the texts of pages and sections, and statements as templates.
//
//go:embed text sql
var files embed.FS

var program = report.NewProgram("performance", []string{"what", report.Promised, report.Measured, "of the promise"}, files,
	report.NewPage("PERFORMANCE.md"),
	report.NewPage("performance/building.md",
		in(2, "aggregate", aggregate), in(2, "groups", groups), in(2, "scarce", scarce), in(2, "keys", keyedBuilds),
		in(1, "estimates", estimates), in(2, "sizes", sizes)),
	report.NewPage("performance/asking.md",
		in(2, "places", places), in(2, "polygons", polygons), in(2, "many", manySketches)),
	report.NewPage("performance/drawing.md", in(2, "maps", drawn), in(2, "serve", served)),
	report.NewPage("performance/code.md",
		in(2, "extension", extension)),
	report.NewPage("performance/libraries.md", in(1, "peers", peers)),
	report.NewPage("performance/promises.md"),
	report.NewPage("performance/method.md"),
	report.NewPage("pictures/beside.svg"), // the chart of docs/PERFORMANCE.md and docs/LIMITS.md
)

func main() {
	duck.AddProcessor() // one Go processor more than the machine has, as in the shell
	if isIsolated() {
		return
	}
	program.Setting = fmt.Sprintf("%d processors, %s, and DuckDB %s", runtime.NumCPU(), runtime.Version(), duckDB())
	program.Main()
}
