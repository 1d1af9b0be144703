// Command paper runs the experiments of the papers that the families of sketches
// come from, and compares what was published with what is measured here:
// docs/ACCURACY.md for users, docs/papers for the claims of each paper, and
// docs/accuracy with the plots and the results as CSV.
//
// An experiment is a function of this folder, which measures; a text of the same name
// in text/sections, which reports the results; and a line in the list of its page below.
// The bound of Count-Min (countMin in filters.go, text/sections/cms.md) is one to read. To
// add one:
//
//  1. Write func countMin(c report.Config, s *report.Section). It loops over what it
//     varies and records a row of figures for each seed: s.Record(report.At{"skew": skew,
//     "rule": rule}, report.Parallel(seeds, ...)...). Sizes depend on the scale
//     (report.Pick), seeds are seedOf's. What holds for all rows is noted by s.Set. An error
//     ends the experiment (report.Check, Must and Require).
//  2. Write its text: Markdown with holes that ask the rows ({{.Max "beyond" | percent2}};
//     what can be asked is in report.Data, how it is shown in report's compose.go). It has
//     a sentence after "**In short:**", a table of what was published and what is ours,
//     whose head is report.Compared, how it was done, at least one table and one figure:
//     {{range .By "skew" "rule"}} makes a line of a table of each setting, ![...](name)
//     places a plot, whose panels {{panel ...}} draws of the rows (report's lines.go).
//  3. Give it a line in a page below, and the rows of its tables in page_test.go.
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

var program = report.Program{Name: "paper", Results: "accuracy", Pages: []*report.Page{
	page("ACCURACY.md", "accuracy.md",
		report.Experiment{Name: "choosing-exact", Title: "Choosing: exact counts as a sketch and as a table", Run: choosingExact},
		report.Experiment{Name: "choosing", Title: "Choosing: the families at equal bytes, and the advice", Run: choosing},
		report.Experiment{Name: "estimates", Title: "Maps: polygon estimates of dense sketches", Run: estimates},
		report.Experiment{Name: "levels", Title: "Maps: sums over squares, with levels and without", Run: levels},
		report.Experiment{Name: "tree", Title: "Maps: in fewer bytes than the exact counts take", Run: treeMaps},
		report.Experiment{Name: "rates", Title: "Filters: rates against their formulas", Run: rates}),
	page("papers/cascadecbf.md", "cascadecbf.md",
		report.Experiment{Name: "zipf-memory", Title: "Error over memory", Run: zipfMemory},
		report.Experiment{Name: "k", Title: "Error over k", Run: kSensitivity},
		report.Experiment{Name: "covid", Title: "COVID-19 cases over time", Run: covidSeries},
		report.Experiment{Name: "categories", Title: "Categories in one sketch, and whether they are kept apart", Run: categories},
		report.Experiment{Name: "countries", Title: "Sums over countries", Run: countrySums},
		report.Experiment{Name: "urban", Title: "A city's raster", Run: urban},
		report.Experiment{Name: "same-error", Title: "The bytes for the same error", Run: sameError},
		report.Experiment{Name: "throughput", Title: "Inserts a second", Run: throughput},
		report.Experiment{Name: "lookups", Title: "Lookup times", Run: lookups},
		report.Experiment{Name: "overcount", Title: "Equation 2, the total overcount", Run: overcount},
		report.Experiment{Name: "layers", Title: "Overflow shares, and the memory of layers", Run: layers},
		report.Experiment{Name: "cancel", Title: "Sums over areas: whether errors cancel", Run: cancel},
		report.Experiment{Name: "defaults", Title: "The sweep that chose the defaults", Run: sweepDefaults}),
	page("papers/spectral.md", "spectral.md",
		report.Experiment{Name: "spectral-table", Title: "Table 1, what recurring minimum gains", Run: spectralTable},
		report.Experiment{Name: "spectral-methods", Title: "The methods over skew, gamma and k", Run: spectralMethods},
		report.Experiment{Name: "forest", Title: "The Forest Cover elevations", Run: forest},
		report.Experiment{Name: "spectral-below", Title: "How often recurring minimum is below the truth", Run: spectralBelow},
		report.Experiment{Name: "spectral-changes", Title: "Deletions and a sliding window", Run: spectralChanges},
		report.Experiment{Name: "spectral-unbiased", Title: "The unbiased estimator", Run: spectralUnbiased},
		report.Experiment{Name: "encodings", Title: "The encodings of counters", Run: encodings},
		report.Experiment{Name: "spectral-relative", Title: "How large an error is", Run: spectralRelative},
		report.Experiment{Name: "iceberg", Title: "Queries for frequent keys", Run: iceberg},
		report.Experiment{Name: "range", Title: "Sums over ranges", Run: spectralRange}),
	page("papers/rational-and-blocks.md", "rational-and-blocks.md",
		report.Experiment{Name: "rational", Title: "Rational filters: what a fractional k does", Run: rational},
		report.Experiment{Name: "blocks", Title: "Filters of blocks against standard ones", Run: blocks}),
	page("papers/variable-length.md", "variable-length.md",
		report.Experiment{Name: "variable-length", Title: "What it gains at equal bits", Run: variableLength},
		report.Experiment{Name: "variable-speed", Title: "What it costs in time", Run: variableSpeed}),
	page("papers/count-min.md", "count-min.md",
		report.Experiment{Name: "cms", Title: "The bound of its estimates", Run: countMin}),
}}

func main() { program.Main() }
