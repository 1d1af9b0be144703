package main

import (
	"database/sql"
	"embed"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
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

// rounds are measured values of several rounds: seconds, or ratios.
type rounds []float64

// over returns r relative to others, round by round.
func (r rounds) over(others rounds) rounds {
	out := make(rounds, len(r))
	for i := range r {
		out[i] = r[i] / others[i]
	}
	return out
}

// inTurn times contenders in turn: see report.InTurn.
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
	runtime.GC() // before the clock starts, so that the time has no collection of other contenders' garbage
	return timed(c.run)
}

// timed returns how many seconds f takes.
func timed(f func()) float64 {
	start := time.Now()
	f()
	return time.Since(start).Seconds()
}

// say writes times to the terminal. The page has only ratios.
func (b *bench) say(what string, contenders []contender, times []rounds) {
	var text strings.Builder
	for i, c := range contenders {
		ms := report.Parts(times[i], 0.001)
		fmt.Fprintf(&text, "\n  %-40s %.1f ms (%.1f to %.1f)", c.name, report.Median(ms), slices.Min(ms), slices.Max(ms))
	}
	b.Say("%s%s", what, text.String())
}

// factorsOf returns the columns of a row: what (the measured operation), way, and further factors, which
// can replace these two.
func factorsOf(what, way string, at report.At) report.At {
	row := report.At{"what": what, "way": way}
	maps.Copy(row, at)
	return row
}

// record records a ratio for the tables and the figure, in a row of factorsOf.
func (b *bench) record(what, way string, r rounds, at report.At) {
	b.note("ratio", r, factorsOf(what, way, at))
}

// note records a figure for the tables only.
func (b *bench) note(figure string, r rounds, at report.At) {
	b.Record(at, report.Column(r, func(v float64) report.Figures { return report.Figures{figure: v} })...)
}

// compare times contenders in turn. It records the times of the others relative to the first, and
// the times.
func (b *bench) compare(what string, at report.At, reference contender, others ...contender) {
	took := b.inTurn(what, append([]contender{reference}, others...)...)
	for i, c := range others {
		b.recordTook(what, c.name, took[1+i], took[0], at)
	}
}

// recordTook records a time relative to a reference, and the time in seconds.
func (b *bench) recordTook(what, way string, took, reference rounds, at report.At) {
	b.record(what, way, took.over(reference), at)
	b.note("took", took, factorsOf(what, way, at))
}

// duckDB returns the version of DuckDB in this program.
func duckDB() string {
	db := duck.Open(1)
	defer db.Close()
	return duck.Column[string](db, "SELECT version()")[0]
}

// files has statements that are longer than a line, as templates.
//
//go:embed sql
var files embed.FS

// text returns statements of the folder sql.
var text = duck.Texts(files, template.FuncMap{
	"list":  func(values ...any) []any { return values },
	"forms": func() []string { return []string{"exact", "tree", "dense"} },
	// rank returns a SQL expression: the rank, from 1 to ranks, that row i draws by Zipf's law with
	// exponent 1.2. See aggregate in building.sql.
	"rank": func(ranks, seed int) string {
		return fmt.Sprintf("floor(((%d::DOUBLE ^ -0.2 - 1) * ((hash(i, %d) %% 1000000007) / 1000000007.0) + 1) ^ -5)", ranks, seed)
	},
})

// make runs statements of the folder sql.
func (b *bench) make(name string, values any) { duck.Run(b.db, text(name, values)) }

// agree fails if the results of queries for a number differ.
func agree(db *sql.DB, queries ...string) {
	want := duck.Number(db, queries[0])
	for _, q := range queries[1:] {
		n := duck.Number(db, q)
		report.Require(n == want, "%v is the answer to %s\nand %v to %s", want, queries[0], n, q)
	}
}

// coordinates returns the columns lon and lat of a table, in its order.
func coordinates(db *sql.DB, table string) (xs, ys []float64) {
	return duck.Column[float64](db, "SELECT lon FROM "+table+" ORDER BY rowid"), duck.Column[float64](db, "SELECT lat FROM "+table+" ORDER BY rowid")
}

// crimes returns a query for the points of the UK file. They are moved by half of the last decimal
// to the north-east, so that no point is on an edge of a cell. There floor(lon / 0.001), the key of
// the exact tables, would round to either side.
func crimes(c report.Scale) string {
	return fmt.Sprintf("SELECT lon + 5e-7 AS lon, lat + 5e-7 AS lat FROM '%s' %s", duck.File("uk_crime_2018q4.parquet"), report.Pick(c, "LIMIT 50000", "", ""))
}

// world creates the tables c(g), countries as GeoJSON, and cities(lon, lat).
func (b *bench) world() {
	b.make("world", report.At{"countries": duck.File("ne_110m_countries.geojson"), "cities": duck.File("geonames_cities.parquet"), "n": report.Pick(b.c, 9, 177, 177)})
}
