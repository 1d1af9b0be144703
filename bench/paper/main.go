// Command paper runs the experiments of the papers that the families of
// sketches come from, and puts what was published beside what is measured here:
// docs/ACCURACY.md and its plots.
//
// An experiment is one file of this folder and one line in the list below.
package main

import "github.com/ccbfsql/ccbfsql/bench/report"

// experiments in the order of the page.
var experiments = []report.Experiment{
	{Name: "rational", Title: "Rational filters: what a fractional k does", Run: rational},
	{Name: "blocks", Title: "Filters of blocks against standard ones", Run: blocks},
	{Name: "rates", Title: "Rates of every filter against its formula", Run: rates},
	{Name: "variable-length", Title: "Variable length: what it gains at equal bits", Run: variableLength},
	{Name: "variable-speed", Title: "Variable length: what it costs in time", Run: variableSpeed},
	{Name: "spectral-table", Title: "Spectral: table 1, what recurring minimum gains", Run: spectralTable},
	{Name: "spectral-methods", Title: "Spectral: the methods over skew, gamma and k", Run: spectralMethods},
	{Name: "forest", Title: "Spectral: the Forest Cover elevations", Run: forest},
	{Name: "spectral-below", Title: "Spectral: how often recurring minimum is below the truth", Run: spectralBelow},
	{Name: "spectral-changes", Title: "Spectral: deletions and a sliding window", Run: spectralChanges},
	{Name: "spectral-unbiased", Title: "Spectral: the unbiased estimator", Run: spectralUnbiased},
	{Name: "encodings", Title: "Spectral: the encodings of counters", Run: encodings},
	{Name: "spectral-relative", Title: "Spectral: how large an error is", Run: spectralRelative},
	{Name: "iceberg", Title: "Spectral: queries for frequent keys", Run: iceberg},
	{Name: "range", Title: "Spectral: sums over ranges", Run: spectralRange},
	{Name: "zipf-memory", Title: "CascadeCBF: error over memory", Run: zipfMemory},
	{Name: "k", Title: "CascadeCBF: error over k", Run: kSensitivity},
	{Name: "covid", Title: "CascadeCBF: COVID-19 cases over time", Run: covidSeries},
	{Name: "categories", Title: "CascadeCBF: categories in one sketch, and whether they are kept apart", Run: categories},
	{Name: "countries", Title: "CascadeCBF: sums over countries", Run: countrySums},
	{Name: "urban", Title: "CascadeCBF: a city's raster", Run: urban},
	{Name: "same-error", Title: "CascadeCBF: the bytes for the same error", Run: sameError},
	{Name: "throughput", Title: "CascadeCBF: inserts a second", Run: throughput},
	{Name: "defaults", Title: "CascadeCBF: the sweep that chose the defaults", Run: sweepDefaults},
	{Name: "estimates", Title: "CascadeCBF: polygon estimates of dense sketches", Run: estimates},
	{Name: "levels", Title: "CascadeCBF: sums over squares, with levels and without", Run: levels},
	{Name: "cms", Title: "Count-Min: the bound of its estimates", Run: countMin},
	{Name: "choosing-exact", Title: "Choosing: exact counts as a sketch and as a table", Run: choosingExact},
	{Name: "choosing", Title: "Choosing: the families at equal bytes, and the advice", Run: choosing},
}

const preamble = `# Accuracy: what was published and what is measured here

This page is written by ` + "`make paper`" + ` (about twenty minutes on two idle cores; ` + "`make paper ARGS=rational`" + `
replaces one section). Every number comes from a run of the program in ` + "`bench/paper`" + `; nothing is copied in by hand except
the columns and words marked as published. Keys, hashes and streams are seeded: a run on another machine gives the
same numbers, but for times, which stand here only as ratios within one run.

How to read the tables:

- **Spread.** "a ± b" is the mean and the standard deviation over seeds. "[a, b]" is a 95% interval; for rates it is
  Wilson's score interval.
- **z** is the distance of a measurement from a formula in standard errors. Below 4 in either direction, chance
  explains it.
- **Rate** is the false positive rate: the share of absent keys that a filter says it may hold.
- **Additive error** is the root of the mean of (estimate - truth)² over the distinct keys. **Wrong** is the share of the
  distinct keys whose estimate is not the truth.
- **gamma** is n k / m: keys times hash functions over counters.
`

var page = report.Page{
	Program: "paper", File: "ACCURACY.md", Plots: "accuracy", Preamble: preamble,
	Claims:      report.Compared,
	Experiments: experiments,
}

func main() { page.Main() }
