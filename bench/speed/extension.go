package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// ownCPU is the processor time of this program so far.
func ownCPU() (time.Duration, error) {
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}

// extension runs the same query through the extension and in this program, in
// turn, on the same version of DuckDB.
func extension(c report.Config, s *report.Section) error {
	db, err := open(2)
	if err != nil {
		return err
	}
	defer db.Close()
	version, err := duckDB()
	if err != nil {
		return err
	}
	host, err := findHost(strings.TrimPrefix(version, "v"))
	if errors.Is(err, errNoHost) {
		s.Short("left out: %v.", err)
		return nil
	}
	if err != nil {
		return err
	}
	defer host.remove()
	g, err := host.start()
	if err != nil {
		return err
	}
	defer func() { g.stop() }()
	points, err := crimes(c)
	if err != nil {
		return err
	}
	both := func(statement string) error { return errors.Join(run(db, statement), g.run(statement)) }
	if err := both("CREATE TABLE uk AS " + points); err != nil {
		return err
	}
	w := newStopwatch(c, s, 2*3+1)
	s.Text("`ccbf_agg` over the UK crimes through the loadable extension, in a host written in C with libduckdb, beside the functions in this program, on the same version of DuckDB (%s).", version)
	t := s.Table("sketch", "threads", "time / embedded", "processor time / embedded")
	var rows []report.Row
	var claims []claim
	for _, threads := range []int{1, 2} {
		if err := both(fmt.Sprintf("SET threads = %d", threads)); err != nil {
			return err
		}
		for _, q := range []struct{ what, query string }{
			{"exact", "SELECT ccbf_agg(lon, lat, 0.001) AS s FROM uk"},
			{"dense", "SELECT ccbf_agg(lon, lat, 0.001, {exact: false}) AS s FROM uk"},
			{"by tile", "SELECT ccbf_agg(lon, lat, 0.001) AS s FROM uk GROUP BY quadkey(lon, lat, 10)"},
		} {
			statement := "CREATE OR REPLACE TEMP TABLE s AS " + q.query
			var cpus [2]sample
			what := fmt.Sprintf("%s, %d threads", q.what, threads)
			took, err := w.inTurn(what,
				contender{name: "extension", run: func() error {
					return spend(&cpus[0], g.cpu, func() error { return g.run(statement) })
				}},
				contender{name: "embedded", run: func() error {
					return spend(&cpus[1], ownCPU, func() error { return run(db, statement) })
				}})
			if err != nil {
				return err
			}
			clock, cpu := took[0].over(took[1]), cpus[0][1:].over(cpus[1][1:]) // a first round is not counted
			t.Row(q.what, threads, clock, cpu)
			claims = append(claims, clock.atMost("time of `ccbf_agg`, extension / embedded, slowest: "+what, 1.1))
			rows = append(rows, clock.row(what, "by the clock"), cpu.row(what, "of the processor"))
		}
	}
	w.claim(worst(claims))
	loads, err := timeLoads(w, host)
	if err != nil {
		return err
	}
	ratios := report.Column(claims, func(c claim) float64 { return c.measured.median() })
	rows = append(rows, loads)
	s.Short("`ccbf_agg` through the extension takes %s to %s of the embedded time.", report.Num(slices.Min(ratios)), report.Num(slices.Max(ratios)))
	return s.Rows("ratio", "Time of ccbf_agg through the extension beside the embedded functions, and of LOAD beside opening a database.", "time / reference", rows)
}

// spend adds to a sample the processor time that a function takes.
func spend(to *sample, cpu func() (time.Duration, error), f func() error) error {
	before, err := cpu()
	if err != nil {
		return err
	}
	if err := f(); err != nil {
		return err
	}
	after, err := cpu()
	*to = append(*to, after-before)
	return err
}

// timeLoads starts hosts and has them load the extension.
func timeLoads(w stopwatch, h host) (report.Row, error) {
	var opened, loaded sample
	for range w.rounds {
		g, err := h.start()
		if err != nil {
			return report.Row{}, err
		}
		g.stop()
		opened, loaded = append(opened, g.opened), append(loaded, g.loaded)
	}
	w.s.Step()
	w.say("LOAD", []contender{{name: "LOAD"}, {name: "opening a database"}}, []sample{loaded, opened})
	r := loaded.over(opened)
	w.claim(loaded.within("time of LOAD", 100*time.Millisecond, r, "opening a database"))
	return r.row("LOAD / opening a database", "by the clock"), nil
}
