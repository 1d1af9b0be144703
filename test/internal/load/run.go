package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
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
	Dir         string
	// Starting, if not nil, is called before every query, with its connection.
	Starting func(connection, number int)
	// Failed is called for each failure, one at a time.
	Failed func(Failure)
}

// Failure is a query with a wrong result or error.
type Failure struct {
	Query
	Script string
	Err    error
}

// Counts are the results of queries.
type Counts struct {
	Queries, Failures int
	NoMemory          int // queries that DuckDB's own memory_limit ended, which is no failure
	Cancelled         int // cancelled queries that ended without their result
	Rows              int64
	Kinds             map[string]int
}

// Run runs queries, each batch on its own database. It returns the counts of each batch, up to an error.
func Run(o Options) iter.Seq2[Counts, error] {
	return func(yield func(Counts, error) bool) {
		for from := o.From; from < o.To; {
			batch := from / PerDatabase
			to := min((batch+1)*PerDatabase, o.To)
			counts, err := o.runBatch(NewDatabase(o.Seed, batch, o.Connections), from, to)
			if err != nil {
				err = fmt.Errorf("queries %d to %d: %w", from, to-1, err)
			}
			if !yield(counts, err) || err != nil {
				return
			}
			from = to
		}
	}
}

// Open opens the database with its tables.
func (d *Database) Open(ctx context.Context, dir string) (*sql.DB, []*sql.Conn, error) {
	db, err := connector.Open("")
	if err != nil {
		return nil, nil, err
	}
	settings := append([]string{"SET temp_directory = '" + dir + "'"}, d.Settings...)
	for _, s := range append(settings, d.Tables...) {
		if _, err := db.ExecContext(ctx, s); err != nil {
			return nil, nil, errors.Join(fmt.Errorf("%s: %w", s, err), db.Close())
		}
	}
	var conns []*sql.Conn
	for range d.Connections {
		c, err := db.Conn(ctx)
		if err != nil {
			return nil, nil, errors.Join(err, db.Close())
		}
		conns = append(conns, c)
		for _, s := range d.Settings { // some settings belong to a connection
			if _, err := c.ExecContext(ctx, s); err != nil {
				return nil, nil, errors.Join(fmt.Errorf("%s: %w", s, err), db.Close())
			}
		}
	}
	return db, conns, nil
}

func (o *Options) runBatch(d Database, from, to int) (total Counts, err error) {
	ctx := context.Background()
	db, conns, err := d.Open(ctx, o.Dir)
	if err != nil {
		return total, err
	}
	numbers := make(chan int)
	var mu sync.Mutex
	var workers sync.WaitGroup
	for n, c := range conns {
		workers.Go(func() {
			for number := range numbers {
				q := NewQuery(o.Seed, number, &d)
				if o.Starting != nil {
					o.Starting(n, number)
				}
				counts, err := q.Run(ctx, c, queries.NewDraw(o.Seed, uint64(number)|1<<63))
				mu.Lock()
				total.Add(counts)
				if err != nil {
					total.Failures++
					o.Failed(Failure{Query: q, Script: q.Script(d), Err: err})
				}
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
			return total, err
		}
	}
	if used := ccbfsql.MemoryUsed(); used != 0 {
		total.Failures++
		o.Failed(Failure{Script: d.Settings[0], Err: fmt.Errorf("%d bytes are held after queries %d to %d, and no query runs", used, from, to-1)})
	}
	return total, db.Close()
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

// Run runs a query and checks it. An error is a wrong result or an unexpected error.
func (q *Query) Run(ctx context.Context, conn *sql.Conn, d draw) (counts Counts, err error) {
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
func (q *Query) ask(ctx context.Context, conn *sql.Conn) (rows int64, err error) {
	for _, s := range q.Steps {
		if !answers(s) {
			if _, err := conn.ExecContext(ctx, s); err != nil {
				return 0, err
			}
			continue
		}
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
	rows, err := conn.QueryContext(ctx, statement)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return 0, err
	}
	values, into := make([]any, len(names)), make([]any, len(names))
	for i := range values {
		into[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return 0, err
		}
		for i, name := range names {
			v, whole := values[i].(int64)
			switch {
			case name == "n" && whole:
				n = v
			case strings.HasPrefix(name, "bad") && (!whole || v != 0):
				return 0, fmt.Errorf("%s is %v, of %d rows", name, values[i], n)
			}
		}
	}
	return n, rows.Err()
}
