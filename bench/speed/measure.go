package main

import (
	"cmp"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/connector"
)

// contender is one of several ways to do the same work.
type contender struct {
	name  string
	fresh func() // before each round, outside its time; may be nil
	run   func()
}

// loop is a contender that cannot fail.
func loop(name string, run func()) contender { return contender{name: name, run: func() { run() }} }

// query is a statement as a contender.
func query(db *sql.DB, name, statement string) contender {
	return contender{name: name, run: func() { run(db, statement) }}
}

// sample is the times of several rounds.
type sample []time.Duration

// over is s as a part of another sample, round by round.
func (s sample) over(other sample) ratio {
	r := make(ratio, len(s))
	for i := range s {
		r[i] = float64(s[i]) / float64(other[i])
	}
	return r
}

// String is what stands on the terminal, where times have a meaning.
func (s sample) String() string {
	ms := report.Column(s, func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 })
	return fmt.Sprintf("%.1f ms (%.1f to %.1f)", report.Median(ms), slices.Min(ms), slices.Max(ms))
}

// ratio is a quotient that was measured in several rounds.
type ratio []float64

func (r ratio) median() float64 { return report.Median(r) }

// String is the median and the least and the largest, as the page has them.
func (r ratio) String() string {
	if len(r) == 1 {
		return report.Num(r[0])
	}
	return fmt.Sprintf("%s (%s to %s)", report.Num(r.median()), report.Num(slices.Min(r)), report.Num(slices.Max(r)))
}

// each is f of every round.
func (r ratio) each(f func(float64) float64) ratio { return report.Column(r, f) }

// row is the ratio as a row of a figure; the kind may be "".
func (r ratio) row(name, kind string) report.Row {
	return report.Row{Name: name, Kind: kind, At: r.median(), Lo: slices.Min(r), Hi: slices.Max(r)}
}

// stopwatch times the contenders of an experiment.
type stopwatch struct {
	s      *report.Section
	rounds int
}

// newStopwatch is one with the rounds of the scale.
func newStopwatch(c report.Config, s *report.Section) stopwatch {
	return stopwatch{s, report.Pick(c, 1, 5, 9)}
}

// inTurn times contenders one after the other, round by round, every other
// round backwards, so that all of them meet the same moods of the machine. A
// first round is not counted.
func (w stopwatch) inTurn(what string, contenders ...contender) []sample {
	out := make([]sample, len(contenders))
	for round := range w.rounds + 1 {
		for turn := range contenders {
			i := turn
			if round%2 == 1 {
				i = len(contenders) - 1 - turn
			}
			took := contenders[i].time()
			if round > 0 {
				out[i] = append(out[i], took)
			}
		}
	}
	w.say(what, contenders, out)
	return out
}

// least times two contenders that take less than the scheduler leaves a thread
// alone: of many turns within a round the least counts, as what is interrupted, or
// robbed of its caches, takes longer and never shorter.
func (w stopwatch) least(what string, turns int, a, b contender) ratio {
	contenders := []contender{a, b}
	out := make([]sample, len(contenders))
	for range w.rounds {
		runtime.GC()
		for turn := range turns {
			for i, c := range contenders {
				start := time.Now()
				c.run()
				took := time.Since(start)
				if turn == 0 {
					out[i] = append(out[i], took)
				}
				last := &out[i][len(out[i])-1]
				*last = min(*last, took)
			}
		}
	}
	w.say(what, contenders, out)
	return out[0].over(out[1])
}

func (c contender) time() time.Duration {
	if c.fresh != nil {
		c.fresh()
	}
	runtime.GC() // what others left is not this one's to clear away
	start := time.Now()
	c.run()
	return time.Since(start)
}

// say puts times on the terminal: the page has none.
func (w stopwatch) say(what string, contenders []contender, times []sample) {
	var b strings.Builder
	for i, c := range contenders {
		fmt.Fprintf(&b, "\n  %-40s %v", c.name, times[i])
	}
	w.s.Say("%s%s", what, b.String())
}

// claim is a promise and what became of it: the part is what was measured as a
// part of what was promised, so that at most 1 keeps it.
type claim struct {
	what, promised string
	part           ratio
	measured       ratio
	beside         string // what measured is a part of, where what does not say it
	more           bool   // of what was measured more is better
	reason         string // for falling short, as far as it is known
}

// because gives the claim a reason for falling short, which is said where it
// does.
func (c claim) because(reason string) claim {
	c.reason = reason
	return c
}

// atMost is the claim that a ratio is so large at most.
func (r ratio) atMost(what string, limit float64) claim {
	return claim{what: what, promised: "at most " + report.Num(limit), part: r.each(func(v float64) float64 { return v / limit }), measured: r}
}

// atLeast is the claim that a ratio is so large at least.
func (r ratio) atLeast(what string, limit float64) claim {
	return claim{what: what, promised: "at least " + report.Num(limit), part: r.each(func(v float64) float64 { return limit / v }), measured: r, more: true}
}

// within is the claim that something takes so long at most. The page has how
// long it takes beside something else.
func (s sample) within(what string, limit time.Duration, measured ratio, beside string) claim {
	part := report.Column(s, func(d time.Duration) float64 { return float64(d) / float64(limit) })
	return claim{what: what, promised: fmt.Sprintf("at most %d ms", limit.Milliseconds()), part: part, measured: measured, beside: beside}
}

// rate is the claim that n things take as long as at so many a second, or less.
func (s sample) rate(what, promised string, n, perSecond float64, measured ratio, beside string) claim {
	part := report.Column(s, func(d time.Duration) float64 { return d.Seconds() * perSecond / n })
	return claim{what: what, promised: promised, part: part, measured: measured, beside: beside}
}

// claim adds to the page's list.
func (w stopwatch) claim(c claim) {
	measured, part := c.measured.String(), c.part.String()
	if c.beside != "" {
		measured += " of " + c.beside
	}
	if c.part.median() > 1 {
		part = "short: " + part
		if c.reason != "" {
			part += ", as " + c.reason
		}
	}
	w.s.Claim(c.what, c.promised, measured, part)
	what, _, _ := strings.Cut(c.what, ", slowest: ") // which one that is changes from run to run
	w.s.Keep(what, c.kept())
}

// kept is what later runs are held against: what was measured, as that does not
// depend on the machine as times do, so that less is better.
func (c claim) kept() ratio {
	if c.more {
		return c.measured.each(func(v float64) float64 { return 1 / v })
	}
	return c.measured
}

// worst is the claim that comes off worst.
func worst(claims []claim) claim {
	return slices.MaxFunc(claims, func(a, b claim) int { return cmp.Compare(a.part.median(), b.part.median()) })
}

// open opens a database in memory on one connection, with so many threads.
func open(threads int) *sql.DB {
	db := report.Must(connector.Open(fmt.Sprintf("?threads=%d", threads)))
	db.SetMaxOpenConns(1)
	return db
}

// duckDB is the version that is linked into this program.
func duckDB() (version string) {
	db := open(1)
	defer db.Close()
	report.Check(db.QueryRow("SELECT version()").Scan(&version))
	return version
}

func run(db *sql.DB, statements ...string) {
	for _, s := range statements {
		report.Must(db.Exec(s))
	}
}

// number is the only answer of a query.
func number(db *sql.DB, query string) float64 {
	var n float64
	report.Check(db.QueryRow(query).Scan(&n))
	return n
}

// column is the only column of a query.
func column[T any](db *sql.DB, query string) []T {
	rows := report.Must(db.Query(query))
	defer rows.Close()
	var out []T
	for rows.Next() {
		var v T
		report.Check(rows.Scan(&v))
		out = append(out, v)
	}
	report.Check(rows.Err())
	return out
}

// crimes is a query for the points of the UK file.
func crimes(c report.Config) string {
	file := report.Must(filepath.Abs(filepath.Join(c.Data, "uk_crime_2018q4.parquet"))) // others read it too, from elsewhere
	return fmt.Sprintf("SELECT lon, lat FROM '%s' %s", file, report.Pick(c, "LIMIT 50000", "", ""))
}

// world is a database with the countries c(g), GeoJSON each, and the cities
// (lon, lat).
func world(c report.Config) *sql.DB {
	countries := fmt.Sprintf("SELECT unnest(features).geometry::VARCHAR g FROM read_json('%s', columns = {features: 'STRUCT(geometry JSON)[]'})",
		filepath.Join(c.Data, "ne_110m_countries.geojson"))
	cities := fmt.Sprintf("SELECT lon, lat FROM '%s'", filepath.Join(c.Data, "geonames_cities.parquet"))
	db := open(2)
	run(db, fmt.Sprintf("CREATE TABLE c AS SELECT g FROM (%s) USING SAMPLE reservoir(%d ROWS) REPEATABLE (7)", countries, report.Pick(c, 9, 177, 177)), "CREATE TABLE cities AS "+cities)
	return db
}

// peak runs setup and then a query in a process of their own and returns by how
// much the query raised resident memory at most, in bytes.
func peak(query string, setup ...string) float64 {
	return alone(query, setup...).resident
}

// peakVariable carries the statements to the process of peak.
const peakVariable = "BENCH_PEAK"

// isPeak is that process: it reports whether it was one, and exits with 1
// where it failed.
func isPeak() bool {
	statements := os.Getenv(peakVariable)
	if statements == "" {
		return false
	}
	if err := report.Try(func() { measurePeak(strings.Split(statements, ";\n")) }); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
	return true
}

func measurePeak(statements []string) {
	db := open(2)
	last := len(statements) - 1
	run(db, statements[:last]...)
	debug.FreeOSMemory()
	// 5 resets the peak to what is resident now (proc(5)).
	report.Check(os.WriteFile("/proc/self/clear_refs", []byte("5"), 0))
	before := status("VmRSS")
	cpu, clock, counted, answer := spent(db, statements[last])
	after := status("VmHWM")
	fmt.Println(after-min(before, after), counted, int64(cpu), int64(clock), answer)
}

// status is a field of /proc/self/status in bytes.
func status(field string) uint64 {
	for line := range strings.Lines(string(report.Must(os.ReadFile("/proc/self/status")))) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			return report.Must(strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)) << 10
		}
	}
	panic("no " + field + " in /proc/self/status")
}
