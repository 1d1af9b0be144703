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

// texts has the texts of pages and sections.
//
//go:embed text
var texts embed.FS

func page(file, text string, experiments ...report.Experiment) *report.Page {
	return report.NewPage(texts, file, text, report.Compared, experiments...)
}

// run returns an experiment with this name.
func run(name string, of func(report.Scale, *report.Section)) report.Experiment {
	return report.Experiment{Name: name, Run: of}
}

var program = report.Program{Results: "accuracy", Pages: []*report.Page{
	page("ACCURACY.md", "accuracy.md"),
	page("accuracy/maps.md", "maps.md",
		run("choosing-exact", choosingExact), run("tree", treeMaps)),
	page("accuracy/keys.md", "keys.md", run("choosing", choosing)),
	page("accuracy/filters.md", "filters.md", run("rates", rates)),
	page("accuracy/method.md", "method.md"),
	page("papers/README.md", "papers.md"),
	page("papers/cascadecbf.md", "cascadecbf.md",
		run("zipf-memory", zipfMemory), run("k", kSensitivity), run("covid", covidSeries), run("categories", categories),
		run("countries", countrySums), run("urban", urban), run("throughput", throughput),
		run("overcount", overcount), run("cancel", cancel)),
	page("papers/spectral.md", "spectral.md",
		run("spectral-table", spectralTable), run("spectral-methods", spectralMethods), run("forest", forest), run("spectral-below", spectralBelow),
		run("spectral-changes", spectralChanges), run("spectral-unbiased", spectralUnbiased), run("encodings", encodings),
		run("iceberg", iceberg), run("range", spectralRange)),
	page("papers/rational-and-blocks.md", "rational-and-blocks.md", run("rational", rational), run("blocks", blocks)),
	page("papers/variable-length.md", "variable-length.md", run("variable-length", variableLength), run("variable-speed", variableSpeed)),
	page("papers/count-min.md", "count-min.md", run("cms", countMin)),
}}

func main() { program.Main() }
