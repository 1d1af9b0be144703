// Command paper runs the experiments of the papers that the families of sketches
// come from, and compares what was published with what is measured here:
// docs/ACCURACY.md for users, docs/papers for the claims of each paper, and
// docs/accuracy with the plots and the results as CSV.
//
// An experiment is a function of this folder, which measures; a text in text/sections, which
// has its title and reports the results; and its name in the list of its page below.
// The bound of Count-Min (countMin in filters.go, text/sections/cms.md) is one to read. To
// add one:
//
//  1. Write func countMin(c report.Config, s *report.Section). It loops over what it
//     varies and records a row of figures for each seed: s.Record(report.At{"skew": skew,
//     "rule": rule}, report.Parallel(seeds, ...)...). Sizes depend on the scale
//     (report.Pick), seeds are seedOf's. What holds for all rows is noted by s.Set. An error
//     ends the experiment (report.Check, Must and Require).
//  2. Write its text: a title, and Markdown with holes that ask the rows ({{.Max "beyond" | percent2}};
//     what can be asked is in report.Data, how it is shown in report's compose.go). It has
//     a sentence after "**In short:**", a table of what was published and what is ours,
//     whose head is report.Compared, how it was done, at least one table and one figure:
//     {{range .By "skew" "rule"}} makes a line of a table of each setting, ![...](name)
//     places a plot, whose panels {{panel ...}} draws of the rows (report's lines.go).
//     How many rows its tables have in tests stands below its title.
//  3. Name it in a page below.
//  4. `make paper ARGS=cms` measures it, keeps the results in docs/accuracy/cms.csv
//     and writes the pages; {{short "cms"}}, {{figure "cms" 0}}, {{table "cms" 0}}
//     and {{link "cms"}} put parts of it into the text of any page (folder text).
//     `make paper ARGS=-render` writes the pages after a change of their texts; a section's
//     own text is kept as it was measured.
//
// `make test` runs all at the smallest scale, for form alone, and fails where a page
// is not that of its results.
package main

import (
	"embed"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// texts are what stands before the sections of the pages.
//
//go:embed text
var texts embed.FS

func page(file, text string, experiments ...report.Experiment) *report.Page {
	return report.NewPage(texts, file, text, report.Compared, experiments...)
}

// run is an experiment of this name.
func run(name string, of func(report.Config, *report.Section)) report.Experiment {
	return report.Experiment{Name: name, Run: of}
}

var program = report.Program{Name: "paper", Results: "accuracy", Pages: []*report.Page{
	page("ACCURACY.md", "accuracy.md",
		run("choosing-exact", choosingExact), run("choosing", choosing), run("estimates", estimates), run("levels", levels), run("tree", treeMaps),
		run("rates", rates)),
	page("papers/cascadecbf.md", "cascadecbf.md",
		run("zipf-memory", zipfMemory), run("k", kSensitivity), run("covid", covidSeries), run("categories", categories),
		run("countries", countrySums), run("urban", urban), run("same-error", sameError), run("throughput", throughput), run("lookups", lookups),
		run("overcount", overcount), run("layers", layers), run("cancel", cancel), run("defaults", sweepDefaults)),
	page("papers/spectral.md", "spectral.md",
		run("spectral-table", spectralTable), run("spectral-methods", spectralMethods), run("forest", forest), run("spectral-below", spectralBelow),
		run("spectral-changes", spectralChanges), run("spectral-unbiased", spectralUnbiased), run("encodings", encodings),
		run("spectral-relative", spectralRelative), run("iceberg", iceberg), run("range", spectralRange)),
	page("papers/rational-and-blocks.md", "rational-and-blocks.md", run("rational", rational), run("blocks", blocks)),
	page("papers/variable-length.md", "variable-length.md", run("variable-length", variableLength), run("variable-speed", variableSpeed)),
	page("papers/count-min.md", "count-min.md", run("cms", countMin)),
}}

func main() { program.Main() }
