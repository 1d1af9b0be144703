// Command paper runs the experiments of the papers from which the families of sketches come, and
// compares published with measured results. It writes docs/ACCURACY.md for users, docs/papers for
// the claims of each paper, and docs/accuracy with the details and the plots.
//
// How to add an experiment is in bench/README.md.
package main

import (
	"embed"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// files has the texts of pages and sections, and statements as templates.
//
//go:embed text sql
var files embed.FS

// run returns an experiment with this name.
func run(name string, of func(report.Scale, *report.Section)) report.Experiment {
	return report.Experiment{Name: name, Run: of}
}

var program = report.NewProgram("accuracy", report.Compared, files,
	report.NewPage("ACCURACY.md"),
	report.NewPage("accuracy/maps.md",
		run("choosing-exact", choosingExact), run("tree", treeMaps)),
	report.NewPage("accuracy/keys.md", run("choosing", choosing)),
	report.NewPage("accuracy/filters.md", run("rates", rates)),
	report.NewPage("accuracy/method.md"),
	report.NewPage("papers/README.md"),
	report.NewPage("papers/cascadecbf.md",
		run("zipf-memory", zipfMemory), run("k", kSensitivity), run("covid", covidSeries), run("categories", categories),
		run("countries", countrySums), run("urban", urban), run("throughput", throughput),
		run("overcount", overcount), run("cancel", cancel)),
	report.NewPage("papers/spectral.md",
		run("spectral-table", spectralTable), run("spectral-methods", spectralMethods), run("forest", forest), run("spectral-below", spectralBelow),
		run("spectral-changes", spectralChanges), run("spectral-unbiased", spectralUnbiased), run("encodings", encodings),
		run("iceberg", iceberg), run("range", spectralRange)),
	report.NewPage("papers/rational-and-blocks.md", run("rational", rational), run("blocks", blocks)),
	report.NewPage("papers/variable-length.md", run("variable-length", variableLength), run("variable-speed", variableSpeed)),
	report.NewPage("papers/count-min.md", run("cms", countMin)),
)

func main() { program.Main() }
