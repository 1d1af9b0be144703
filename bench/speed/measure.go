package main

import (
	"database/sql"
	"embed"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
)

// bench is an experiment while it runs: its section, which has the rows that it records, and
// a database in memory.
type bench struct {
	*report.Section
	c      report.Config
	db     *sql.DB
	rounds int
}

// in is an experiment of this name, with a database of so many threads.
func in(threads int, name string, experiment func(b *bench)) report.Experiment {
	return report.Experiment{Name: name, Run: func(c report.Config, s *report.Section) {
		db := duck.Open(threads)
		defer db.Close()
		experiment(&bench{s, c, db, report.Pick(c, 1, 5, 9)})
	}}
}

// contender is one of several ways to do the same work.
type contender struct {
	name  string
	fresh func() // before each round, outside its time; may be nil
	run   func()
}

// query is a statement as a contender.
func (b *bench) query(name, statement string) contender {
	return contender{name: name, run: func() { duck.Run(b.db, statement) }}
}

func (b *bench) run(statements ...string) { duck.Run(b.db, statements...) }

// rounds are what was measured in several rounds: seconds, or a ratio.
type rounds []float64

// String is the median, the least and the largest.
func (r rounds) String() string { return report.Rounds(r) }

func (r rounds) median() float64 { return report.Median(r) }

// over is r as a part of others, round by round.
func (r rounds) over(others rounds) rounds {
	out := make(rounds, len(r))
	for i := range r {
		out[i] = r[i] / others[i]
	}
	return out
}

// inTurn times contenders one after the other: see report.InTurn.
func (b *bench) inTurn(what string, contenders ...contender) []rounds {
	times := report.InTurn(b.rounds, len(contenders), func(i int) float64 { return contenders[i].time() })
	out := report.Column(times, func(r []float64) rounds { return r })
	b.say(what, contenders, out)
	return out
}

func (c contender) time() float64 {
	if c.fresh != nil {
		c.fresh()
	}
	runtime.GC() // what others left is not this one's to clear away
	return timed(c.run)
}

// timed is how many seconds f takes.
func timed(f func()) float64 {
	start := time.Now()
	f()
	return time.Since(start).Seconds()
}

// say puts times on the terminal: the page has none.
func (b *bench) say(what string, contenders []contender, times []rounds) {
	var text strings.Builder
	for i, c := range contenders {
		ms := report.Parts(times[i], 0.001)
		fmt.Fprintf(&text, "\n  %-40s %.1f ms (%.1f to %.1f)", c.name, ms.median(), slices.Min(ms), slices.Max(ms))
	}
	b.Say("%s%s", what, text.String())
}

// record keeps a ratio for the tables and the figure: of what it is, which way to do that, and
// what else the tables say of it, which may also replace these two.
func (b *bench) record(what, way string, r rounds, at report.At) (row report.At) {
	row = report.At{"what": what, "way": way}
	maps.Copy(row, at)
	b.note("ratio", r, row)
	return row
}

// note keeps what was measured for the tables alone.
func (b *bench) note(figure string, r rounds, at report.At) {
	b.Record(at, report.Column(r, func(v float64) report.Figures { return report.Figures{figure: v} })...)
}

// compare times contenders in turn, and records those of the others over the first's, with
// what they took.
func (b *bench) compare(what string, at report.At, reference contender, others ...contender) {
	took := b.inTurn(what, append([]contender{reference}, others...)...)
	for i, c := range others {
		b.recordTook(what, c.name, took[1+i], took[0], at)
	}
}

// recordTook is record with what something took in seconds, beside a reference.
func (b *bench) recordTook(what, way string, took, reference rounds, at report.At) {
	row := b.record(what, way, took.over(reference), at)
	b.note("took", took, row)
}

// duckDB is the version that is linked into this program.
func duckDB() string {
	db := duck.Open(1)
	defer db.Close()
	return duck.Column[string](db, "SELECT version()")[0]
}

// files have the statements that are longer than a line, as templates.
//
//go:embed sql
var files embed.FS

// text is a statement, or several, of the folder sql.
var text = duck.Texts(files, template.FuncMap{
	"list":  func(values ...any) []any { return values },
	"forms": func() []string { return []string{"exact", "tree", "dense"} },
	// A rank of a key i by Zipf's law with exponent 1.2: see aggregate in building.sql.
	"rank": func(ranks, seed int) string {
		return fmt.Sprintf("floor(((%d::DOUBLE ^ -0.2 - 1) * ((hash(i, %d) %% 1000000007) / 1000000007.0) + 1) ^ -5)", ranks, seed)
	},
})

// make runs statements of the folder sql.
func (b *bench) make(name string, values any) { duck.Run(b.db, text(name, values)) }

// agree is an error where queries differ in their only number.
func agree(db *sql.DB, queries ...string) {
	want := duck.Number(db, queries[0])
	for _, q := range queries[1:] {
		n := duck.Number(db, q)
		report.Require(n == want, "%v is the answer to %s\nand %v to %s", want, queries[0], n, q)
	}
}

// coordinates are the columns lon and lat of a table, in its order.
func coordinates(db *sql.DB, table string) (xs, ys []float64) {
	return duck.Column[float64](db, "SELECT lon FROM "+table+" ORDER BY rowid"), duck.Column[float64](db, "SELECT lat FROM "+table+" ORDER BY rowid")
}

// crimes is a query for the points of the UK file, half of its last decimal to the north-east: no
// point is on an edge of a cell, where floor(lon / 0.001), the key of the exact tables, rounds to
// either side.
func crimes(c report.Config) string {
	file := report.Must(filepath.Abs(filepath.Join(c.Data, "uk_crime_2018q4.parquet"))) // others read it too, from elsewhere
	return fmt.Sprintf("SELECT lon + 5e-7 AS lon, lat + 5e-7 AS lat FROM '%s' %s", file, report.Pick(c, "LIMIT 50000", "", ""))
}

// world makes the countries c(g), GeoJSON each, and the cities (lon, lat).
func (b *bench) world() {
	b.make("world", report.At{"data": b.c.Data, "countries": report.Pick(b.c, 9, 177, 177)})
}
