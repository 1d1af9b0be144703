package test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/ccbfsql/ccbfsql"
)

// TestManyConnections: 50 connections at once on 8 threads, each with its own mix of queries, get
// the right results. go test -race checks the Go code.
func TestManyConnections(t *testing.T) {
	db := open(t)
	exec(t, db, "SET threads = 8")
	exec(t, db, "CREATE TABLE d AS SELECT i, i * i % 97 AS x, i % 31 AS y, i % 6 AS kind FROM range(20000) t(i)")
	exec(t, db, "CREATE TABLE s AS SELECT ccbf_agg(x, y, 1) AS exact, ccbf_agg(x, y, 1, {exact: false, mode: 'standard', bytes: 20000}) AS sums, ccbf_agg(x, y, 1, {category: kind}) AS kinds, cms_agg(x) AS c FROM d")
	exec(t, db, "CREATE TABLE truth AS SELECT x, y, count(*) AS n FROM d GROUP BY ALL")
	sums := mustAsk(t, db, "SELECT md5(sums) FROM s")

	// mix are the queries of each connection. @ in a query is the connection's number from 0, and
	// in a result that number plus 1.
	mix := []struct{ query, answer string }{
		{"SELECT count(*) FILTER (ccbf_get(exact, x, y) <> n) FROM truth, s", "0"},
		{"SELECT ccbf_total(ccbf_agg(x, y, 1)) - count(*) FROM d WHERE i % (@ + 2) = 0", "0"},
		{"SELECT md5(ccbf_agg(x, y, 1, {exact: false, mode: 'standard', bytes: 20000})) FROM d", sums},
		{"SELECT md5(ccbf_union_agg(p)) FROM (SELECT ccbf_agg(x, y, 1, {exact: false, mode: 'standard', bytes: 20000}) p FROM d GROUP BY i % (@ + 2))", sums},
		{"SELECT count(*) FILTER (ccbf_total(s) <> n) FROM (SELECT ccbf_agg(x, y, 1) s, count(*) n FROM d GROUP BY i % (100 * @ + 7))", "0"},
		{"SELECT ccbf_bbox_sum(kinds, 0, 0, 50, 50, @ % 6) - (SELECT count(*) FROM d WHERE x < 50 AND y < 50 AND kind = @ % 6) FROM s", "0"},
		{"SELECT ccbf_polygon_sum(exact, 'POLYGON ((0 0, 50 0, 50 50, 0 50, 0 0))') - (SELECT count(*) FROM d WHERE x < 50 AND y < 50) FROM s", "0"},
		{"SELECT cms_get(c, @) >= (SELECT count(*) FROM d WHERE x = @) FROM s", "true"},
		{"SELECT count(*) FILTER (ccbf_total(a) <> n) FROM (SELECT ccbf_agg(x, y, 1) OVER w a, count(*) OVER w n FROM d WHERE i < 1000 WINDOW w AS (ORDER BY i ROWS @ PRECEDING))", "0"},
		{"SELECT ccbf_total(ccbf_agg(x, y, 1 ORDER BY i DESC)) FROM d WHERE i <= @", "@"},
		{"SELECT TRY(ccbf_get('bad'::BLOB, 1, @))", "<nil>"},
		{"SELECT count(*) FROM (SELECT ccbf_agg(x, y, 1) s FROM d GROUP BY i % 3000 LIMIT 3)", "3"},
	}
	db.SetMaxOpenConns(50)
	var ready, done sync.WaitGroup
	ready.Add(50)
	for c := range 50 {
		done.Go(func() {
			conn, err := db.Conn(context.Background())
			ready.Done()
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			ready.Wait() // all 50 are open
			for k := range mix {
				m := mix[(c+k)%len(mix)]
				answer := strings.ReplaceAll(m.answer, "@", strconv.Itoa(c+1))
				query := strings.ReplaceAll(m.query, "@", strconv.Itoa(c))
				if got, err := ask(conn, query); err != nil || got != answer {
					t.Errorf("%s: got %s, %v, want %s", query, got, err, answer)
					return
				}
			}
			// An error on one connection does not affect the others.
			if _, err := ask(conn, "SELECT ccbf_agg(x, y, i) FROM d"); err == nil {
				t.Error("no error where resolutions differ")
			}
		})
	}
	done.Wait()
	want(t, db, "0", "SELECT (ccbf_memory()).used")
}

// TestCancelled: a query that is cancelled while it holds memory leaves none, and the next one works.
// (memory_left.test has the other queries whose states DuckDB does not destroy.)
func TestCancelled(t *testing.T) {
	db := open(t)
	exec(t, db, "SET threads = 4")
	exec(t, db, "CREATE TABLE m AS SELECT i % 20000 AS k, i * i % 97 AS x, i % 31 AS y FROM range(200000) t(i)")
	for range 10 {
		if err := cancelled(db, "SELECT k, ccbf_agg(x, y, 1) FROM m, range(1000) GROUP BY k"); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if used := ccbfsql.MemoryUsed(); used != 0 {
			t.Fatalf("%d bytes are held and no query runs", used)
		}
		want(t, db, "200000", "SELECT ccbf_total(ccbf_agg(x, y, 1)) FROM m")
	}
}

// patientContext waits for a query to hold memory before it says whether it has ended. So
// the driver may find it ended after DuckDB's threads have begun, and before it executes the query itself.
type patientContext struct{ context.Context }

func (p patientContext) Err() error {
	for i := 0; i < 100_000 && ccbfsql.MemoryUsed() == 0; i++ {
		runtime.Gosched()
	}
	return p.Context.Err()
}

// cancelled runs a query and cancels it once it holds memory.
func cancelled(db *sql.DB, query string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		_, err := db.ExecContext(patientContext{ctx}, query)
		failed <- err
	}()
	for ccbfsql.MemoryUsed() == 0 {
		select {
		case err := <-failed:
			return fmt.Errorf("ended before it held anything: %w", err)
		default:
			runtime.Gosched()
		}
	}
	cancel()
	return <-failed
}

// TestKeptSketchesGoWithTheDatabase: decoded sketches that are kept for the next query are freed when the
// database is closed.
func TestKeptSketchesGoWithTheDatabase(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE s AS SELECT ccbf_agg(i % 300, i // 300, 1) AS s FROM range(30000) t(i)")
	want(t, db, "40000", "SELECT sum(ccbf_get(s, i % 300, i // 300 % 100))::BIGINT FROM s, range(40000) t(i)")
	if ccbfsql.MemoryKept() == 0 {
		t.Error("nothing is kept")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if kept := ccbfsql.MemoryKept(); kept != 0 {
		t.Errorf("%d bytes are kept, and the database is closed", kept)
	}
}
