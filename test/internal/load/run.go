package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/internal/queries"
)

// Options describe a run.
type Options struct {
	Seed        uint64
	From, To    int // the run has the queries with the numbers From to To-1
	Connections int // largest number of connections at once
}

// Event is the start of a query, a failure, or the end of a batch.
type Event struct {
	Number     int     // number of the query
	Connection int     // connection on which it starts
	Failure    string  `json:",omitempty"` // wrong result or error; "": another event
	Script     string  `json:",omitempty"` // the failed query as SQL for the shell
	Counts     *Counts `json:",omitempty"` // counts of the batch that has ended; nil: another event
}

// Counts are the results of queries.
type Counts struct {
	Queries, Failures int
	NoMemory          int // queries that DuckDB's own memory_limit ended, which is no failure
	Cancelled         int // cancelled queries that ended without their result
	Rows              int64
	Kinds             map[string]int
}

// Run runs queries, each batch on its own database. It calls report with what happens, once at a time.
// The error is one of the run itself.
func (o Options) Run(report func(Event)) error {
	dir, err := os.MkdirTemp("", "load")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for from := o.From; from < o.To; {
		to := min((from/PerDatabase+1)*PerDatabase, o.To)
		if err := o.runBatch(dir, from, to, report); err != nil {
			return fmt.Errorf("queries %d to %d: %w", from, to-1, err)
		}
		from = to
	}
	return nil
}

// Script returns the query with a number as SQL for the shell, with its database.
func (o Options) Script(number int) string {
	d := newDatabase(o.Seed, number/PerDatabase, o.Connections)
	q := newQuery(o.Seed, number, &d)
	return q.script(d)
}

// open opens the database with its tables and its connections.
func (d *database) open(ctx context.Context, dir string) (db *sql.DB, conns []*sql.Conn, err error) {
	if db, err = connector.Open(""); err != nil {
		return nil, nil, err
	}
	for n := range d.Connections {
		c, err := db.Conn(ctx)
		if err != nil {
			return nil, nil, errors.Join(err, db.Close())
		}
		conns = append(conns, c)
		// Some settings belong to a connection. The folder for temporary files cannot change once it has some.
		script := strings.Join(d.Settings, ";\n")
		if n == 0 {
			script = "SET temp_directory = '" + dir + "';\n" + script + ";\n" + strings.Join(d.Tables, ";\n")
		}
		if _, err := c.ExecContext(ctx, script); err != nil {
			return nil, nil, errors.Join(fmt.Errorf("%s: %w", script, err), db.Close())
		}
	}
	return db, conns, nil
}

// runBatch runs queries of one database.
func (o Options) runBatch(dir string, from, to int, report func(Event)) error {
	ctx := context.Background()
	d := newDatabase(o.Seed, from/PerDatabase, o.Connections)
	db, conns, err := d.open(ctx, dir)
	if err != nil {
		return err
	}
	var total Counts
	numbers := make(chan int)
	var mu sync.Mutex // for total and report
	var workers sync.WaitGroup
	for n, c := range conns {
		workers.Go(func() {
			for number := range numbers {
				q := newQuery(o.Seed, number, &d)
				mu.Lock()
				report(Event{Number: number, Connection: n})
				mu.Unlock()
				counts, err := q.run(ctx, c, queries.NewDraw(o.Seed, uint64(number)|1<<63))
				mu.Lock()
				if err != nil {
					counts.Failures++
					report(Event{Number: number, Failure: fmt.Sprintf("%s: %v", q.Kind, err), Script: q.script(d)})
				}
				total.Add(counts)
				mu.Unlock()
			}
		})
	}
	for number := from; number < to; number++ {
		numbers <- number
	}
	close(numbers)
	workers.Wait()
	for _, c := range conns {
		if err := c.Close(); err != nil {
			return err
		}
	}
	if used := ccbfsql.MemoryUsed(); used != 0 {
		total.Failures++
		report(Event{Number: to - 1, Failure: fmt.Sprintf("%d bytes are held after queries %d to %d, and no query runs", used, from, to-1)})
	}
	report(Event{Counts: &total})
	return db.Close()
}

// Add adds other counts.
func (c *Counts) Add(o Counts) {
	if c.Kinds == nil {
		c.Kinds = map[string]int{}
	}
	c.Queries += o.Queries
	c.Failures += o.Failures
	c.NoMemory += o.NoMemory
	c.Cancelled += o.Cancelled
	c.Rows += o.Rows
	for kind, n := range o.Kinds {
		c.Kinds[kind] += n
	}
}

// run runs a query and checks it. An error is a wrong result or an unexpected error.
func (q *query) run(ctx context.Context, conn *sql.Conn, d draw) (counts Counts, err error) {
	counts = Counts{Queries: 1, Kinds: map[string]int{q.Kind: 1}}
	if q.Cancel {
		short, cancel := context.WithCancel(ctx)
		spins := 1 << d.IntN(18)
		go func() {
			for range spins {
				runtime.Gosched()
			}
			cancel()
		}()
		_, err := q.ask(short, conn)
		cancel()
		switch {
		case errors.Is(err, context.Canceled) || err != nil && strings.Contains(err.Error(), "INTERRUPT"):
			counts.Cancelled = 1
		case err != nil && !outOfMemory(err):
			return counts, fmt.Errorf("when cancelled: %w", err)
		}
	}
	counts.Rows, err = q.ask(ctx, conn)
	switch {
	case err != nil && outOfMemory(err):
		counts.NoMemory = 1
		return counts, nil
	case q.Fails == "":
		return counts, err
	case err == nil:
		return counts, fmt.Errorf("no error, must be one with %q", q.Fails)
	case !strings.Contains(err.Error(), q.Fails):
		return counts, fmt.Errorf("must be an error with %q: %w", q.Fails, err)
	}
	return counts, nil
}

// outOfMemory reports whether an error is due to DuckDB's memory_limit, which is allowed.
func outOfMemory(err error) bool {
	return strings.Contains(err.Error(), "Out of Memory Error") || strings.Contains(err.Error(), "DuckDB has no memory left")
}

// ask runs the steps. A wrong result is an error.
func (q *query) ask(ctx context.Context, conn *sql.Conn) (rows int64, err error) {
	for _, s := range q.Steps {
		n, err := judge(ctx, conn, s)
		if err != nil {
			return 0, err
		}
		rows += n
	}
	return rows, nil
}

// judge runs a statement whose columns called bad must be 0, and returns an error otherwise. n is the
// number of rows that it checked.
func judge(ctx context.Context, conn *sql.Conn, statement string) (n int64, err error) {
	names, rows, err := queries.Values(ctx, conn, statement)
	for _, row := range rows {
		for i, name := range names {
			v, whole := row[i].(int64)
			switch {
			case name == "n" && whole:
				n = v
			case strings.HasPrefix(name, "bad") && (!whole || v != 0):
				return 0, fmt.Errorf("%s is %v, of %d rows", name, row[i], n)
			}
		}
	}
	return n, err
}
