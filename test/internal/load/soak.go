package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/connector"
)

// SoakOptions say how long and how hard.
type SoakOptions struct {
	Seed        uint64
	Connections int
	Done        func(samples int) bool // asked after every sample
	Every       time.Duration          // between samples
	Dir         string
	Sampled     func(Sample)
	Failed      func(statement string, err error)
}

// Soak is a mixed load on many connections to one database file. In regular
// intervals everything stops, and memory is looked at.
func Soak(o SoakOptions) error {
	ctx := context.Background()
	db, err := connector.Open(filepath.Join(o.Dir, "soak.duckdb"))
	if err != nil {
		return err
	}
	defer db.Close()
	d := Database{Connections: o.Connections, threads: 4}
	d.Settings = []string{"SET threads = 4", "SET memory_limit = '2GB'", "SET temp_directory = '" + o.Dir + "'"}
	tables := newDraw(o.Seed, 1<<31)
	d.Tables = append(d.Tables, helpers)
	for n, rows := range []int{50, 200, 4000, 2} {
		d.Tables = append(d.Tables, table(tables, n, rows))
	}
	for _, s := range append(d.Settings, d.Tables...) {
		if _, err := db.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("%s: %w", s, err)
		}
	}
	var (
		idle     sync.RWMutex // held for writing while no query runs
		workers  sync.WaitGroup
		stop     atomic.Bool
		number   atomic.Int64
		failures atomic.Int64
	)
	fail := func(statement string, err error) {
		failures.Add(1)
		o.Failed(statement, err)
	}
	for c := range o.Connections {
		w := worker{db: db, load: &d, seed: o.Seed, id: c, fail: fail}
		workers.Go(func() {
			for !stop.Load() {
				idle.RLock()
				w.step(ctx, int(number.Add(1)))
				idle.RUnlock()
			}
			w.close()
		})
	}
	ticks := time.NewTicker(o.Every)
	defer ticks.Stop()
	begin := time.Now()
	for n := 1; ; n++ {
		<-ticks.C
		idle.Lock()
		s, err := sample(ctx, db)
		s.After, s.Queries, s.Failures = time.Since(begin), number.Load(), failures.Load()
		if err == nil && s.Used != 0 {
			fail("SELECT ccbf_memory()", fmt.Errorf("%d bytes are held and no query runs", s.Used))
		}
		idle.Unlock()
		if err != nil {
			fail("sample", err)
		}
		o.Sampled(s)
		if o.Done(n) {
			break
		}
	}
	stop.Store(true)
	workers.Wait()
	return nil
}

// worker is one connection and what it did.
type worker struct {
	db    *sql.DB
	conn  *sql.Conn
	load  *Database
	seed  uint64
	id    int
	built bool // the worker's own table is there, with points rows
	fail  func(string, error)
}

const points = 100000

func (w *worker) close() {
	if w.conn != nil {
		if err := w.conn.Close(); err != nil {
			w.fail("close", err)
		}
		w.conn = nil
	}
}

// step does one thing of the mix.
func (w *worker) step(ctx context.Context, n int) {
	d := newDraw(w.seed, uint64(n)|1<<62)
	if d.chance(50) {
		w.close()
	}
	if w.conn == nil {
		c, err := w.db.Conn(ctx)
		if err != nil {
			w.fail("connect", err)
			return
		}
		w.conn = c
	}
	own := fmt.Sprintf("own%d", w.id)
	if !d.chance(8) {
		q := NewQuery(w.seed, n, w.load)
		if got := q.Run(ctx, w.conn, d); got.err != nil || got.noMemory {
			w.fail(strings.Join(q.Steps, ";\n"), errors.Join(got.err, memory(got)))
		}
		return
	}
	if !w.built {
		w.must(ctx, fmt.Sprintf(`CREATE OR REPLACE TABLE %s AS SELECT quadkey(lon, lat, 6) AS tile, ccbf_agg(lon, lat, 0.01) AS s, cms_agg(i %% 1000, {width: 300}) AS c, count(*) AS n
  FROM (SELECT i, (hash(i, %[2]d) %% 36000) / 100 - 180 AS lon, (hash(i, %[2]d, 1) %% 17000) / 100 - 85 AS lat FROM range(%[3]d) t(i)) GROUP BY tile`, own, n, points))
		w.built = true
		return
	}
	switch d.IntN(9) {
	case 0:
		w.built = false // anew, next time
	case 1:
		w.must(ctx, fmt.Sprintf("UPDATE %s SET s = ccbf_remove(ccbf_add(s, 1.005, 2.005), 1.005, 2.005), c = cms_add(c, 5) WHERE hash(tile) %% 20 = %d", own, d.IntN(20)))
	case 2:
		w.right(ctx, fmt.Sprintf("SELECT count(*) AS n, count(*) FILTER (ccbf_total(s) <> m) AS bad FROM (SELECT ccbf_union_agg(s) AS s, sum(n) AS m FROM %s GROUP BY tile[:%d])", own, d.between(0, 5)))
	case 3:
		w.right(ctx, fmt.Sprintf("SELECT count(*) AS n, count(*) FILTER (ccbf_total(s) <> %d) AS bad FROM (SELECT ccbf_union_agg(s) AS s FROM %s)", points, own))
	case 4: // states that DuckDB forgets
		w.must(ctx, fmt.Sprintf("SELECT ccbf_agg(i, i %% 7, 1), cms_agg(i, {width: 50}) FROM range(%d) t(i) GROUP BY i // 9 LIMIT 3", points))
	case 5:
		w.must(ctx, "SELECT max(octet_length(s)) FROM (SELECT ccbf_agg(x, y, 1) OVER (ORDER BY i // 3 ROWS BETWEEN 20 PRECEDING AND 20 FOLLOWING EXCLUDE TIES) s FROM t2)")
	case 6: // large states
		w.right(ctx, fmt.Sprintf(`SELECT 1 AS n, (ccbf_total(s) <> %[1]d)::BIGINT AS bad FROM (SELECT ccbf_union_agg(ccbf_fold(s, 300000)) AS s FROM (
  SELECT ccbf_agg(i, hash(i) %% 999, 1, {exact: false, mode: 'standard', bytes: 600000}) AS s FROM range(%[1]d) t(i) GROUP BY i %% 7))`, points))
	case 7: // to a file and back
		w.must(ctx, fmt.Sprintf("COPY %s TO '%s'", own, w.file(ctx)))
		w.right(ctx, fmt.Sprintf("SELECT count(*) AS n, count(*) FILTER (a.s <> b.s OR a.c <> b.c) AS bad FROM %s a JOIN '%s' b USING (tile)", own, w.file(ctx)))
	case 8:
		w.cancelled(ctx, d, "SELECT tile, ccbf_agg(a.i, b.j, 1), sbf_agg(a.i) FROM (SELECT i, i % 5000 AS tile FROM range(1000000) t(i)) a, range(10) b(j) GROUP BY tile")
	}
}

func memory(o outcome) error {
	if o.noMemory {
		return errors.New("DuckDB's memory_limit was reached")
	}
	return nil
}

// file is the worker's own, beside the database.
func (w *worker) file(ctx context.Context) string {
	var dir string
	if err := w.conn.QueryRowContext(ctx, "SELECT current_setting('temp_directory')").Scan(&dir); err != nil {
		w.fail("temp_directory", err)
	}
	return filepath.Join(dir, fmt.Sprintf("own%d.parquet", w.id))
}

// must runs a statement whose answer does not matter.
func (w *worker) must(ctx context.Context, statement string) {
	if _, err := w.conn.ExecContext(ctx, statement); err != nil {
		w.fail(statement, err)
	}
}

// right runs a query that judges itself.
func (w *worker) right(ctx context.Context, query string) {
	if _, err := judge(ctx, w.conn, query); err != nil {
		w.fail(query, err)
	}
}

// cancelled runs a statement and cancels it, mostly once it has built something.
func (w *worker) cancelled(ctx context.Context, d draw, statement string) {
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	for spins := 1 << d.IntN(20); spins > 0 && d.chance(4); spins-- {
		runtime.Gosched()
	}
	before := ccbfsql.MemoryUsed()
	done := make(chan error, 1)
	go func() {
		_, err := w.conn.ExecContext(short, statement)
		done <- err
	}()
	for ccbfsql.MemoryUsed() < before+1<<20 {
		select {
		case err := <-done: // at its end, or before it had built so much
			if err != nil {
				w.fail(statement, err)
			}
			return
		default:
			runtime.Gosched()
		}
	}
	cancel()
	if err := <-done; err != nil && !errors.Is(err, context.Canceled) && !strings.Contains(err.Error(), "INTERRUPT") {
		w.fail(statement, err)
	}
}
