package main

import (
	"database/sql"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"text/template"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/internal/queries"
	"gonum.org/v1/gonum/floats"
)

// bench is a running experiment: its section, which has the recorded rows, and a database in
// memory.
type bench struct {
	*report.Section
	c      report.Scale
	db     *sql.DB
	rounds int
}

// in returns an experiment with this name and a database with a number of threads.
func in(threads int, name string, experiment func(b *bench)) report.Experiment {
	return report.Experiment{Name: name, Run: func(c report.Scale, s *report.Section) {
		db := duck.Open(threads)
		defer db.Close()
		experiment(&bench{s, c, db, report.Pick(c, 1, 5, 9)})
	}}
}

// contender is one of several ways to do the same work.
type contender struct {
	name  string
	fresh func() // called before each round, not timed; may be nil
	run   func()
}

// query returns a statement as a contender.
func (b *bench) query(name, statement string) contender {
	return contender{name: name, run: func() { duck.Run(b.db, statement) }}
}

func (b *bench) run(statements ...string) { duck.Run(b.db, statements...) }

// over returns values relative to others, round by round.
func over(values, others []float64) []float64 {
	return floats.DivTo(make([]float64, len(values)), values, others)
}

// inTurn times contenders in turn: see report.InTurn.
func (b *bench) inTurn(what string, contenders ...contender) [][]float64 {
	times := report.InTurn(b.rounds, len(contenders), func(i int) float64 { return contenders[i].time() })
	say(what, contenders, times)
	return times
}

func (c contender) time() float64 {
	if c.fresh != nil {
		c.fresh()
	}
	runtime.GC() // before the clock starts, so that the time has no collection of other contenders' garbage
	return report.Timed(c.run)
}

// say writes times to the terminal. The page has only ratios.
func say(what string, contenders []contender, times [][]float64) {
	fmt.Fprintln(os.Stderr, what)
	for i, c := range contenders {
		ms := report.Parts(times[i], 0.001)
		fmt.Fprintf(os.Stderr, "  %-40s %.1f ms (%.1f to %.1f)\n", c.name, report.Median(ms), slices.Min(ms), slices.Max(ms))
	}
}

// factorsOf returns the columns of a row: what (the measured operation), way, and further factors, which
// can replace these two.
func factorsOf(what, way string, at report.At) report.At {
	row := report.At{"what": what, "way": way}
	maps.Copy(row, at)
	return row
}

// record records a ratio for the tables and the figure, in a row of factorsOf.
func (b *bench) record(what, way string, r []float64, at report.At) {
	b.note("ratio", r, factorsOf(what, way, at))
}

// note records a figure for the tables only.
func (b *bench) note(figure string, r []float64, at report.At) {
	b.Record(at, report.Column(r, func(v float64) report.Figures { return report.Figures{figure: v} })...)
}

// recordTook records a time relative to a reference, and the time in seconds.
func (b *bench) recordTook(what, way string, took, reference []float64, at report.At) {
	b.record(what, way, over(took, reference), at)
	b.note("took", took, factorsOf(what, way, at))
}

// duckDB returns the version of DuckDB in this program.
func duckDB() string {
	db := duck.Open(1)
	defer db.Close()
	return duck.Column[string](db, "SELECT version()")[0]
}

// text returns statements of the folder sql.
var text = queries.Templates(files, "sql/*.sql", template.FuncMap{
	"list":  func(values ...any) []any { return values },
	"forms": func() []string { return []string{"exact", "tree", "dense"} },
	// rank returns a SQL expression: the rank, from 1 to ranks, that row i draws by Zipf's law with
	// exponent 1.2. See aggregate in building.sql.
	"rank": func(ranks, seed int) string {
		return fmt.Sprintf("floor(((%d::DOUBLE ^ -0.2 - 1) * ((hash(i, %d) %% 1000000007) / 1000000007.0) + 1) ^ -5)", ranks, seed)
	},
})

// crimes returns a query for the points of the UK file. They are moved by half of the last decimal
// to the north-east, so that no point is on an edge of a cell. There floor(lon / 0.001), the key of
// the exact tables, would round to either side.
func crimes(c report.Scale) string {
	return fmt.Sprintf("SELECT lon + 5e-7 AS lon, lat + 5e-7 AS lat FROM %s %s", duck.File("uk_crime_2018q4.parquet"), report.Pick(c, "LIMIT 50000", "", ""))
}
