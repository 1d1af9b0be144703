package test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/ccbfsql/ccbfsql"
)

// TestCancelled: a query that is cancelled while it holds memory leaves none, and the next one works.
// (memory_left.test has the other queries whose states DuckDB does not destroy.)
func TestCancelled(t *testing.T) {
	db := open(t)
	exec(t, db, "SET threads = 4")
	exec(t, db, "CREATE TABLE m AS SELECT i % 20000 AS k, i * i % 97 AS x, i % 31 AS y FROM range(200000) t(i)")
	for range 3 {
		if err := cancelled(db, "SELECT k, ccbf_agg(x, y, 1) FROM m, range(1000) GROUP BY k"); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if used := ccbfsql.MemoryUsed(); used != 0 {
			t.Fatalf("%d bytes are held and no query runs", used)
		}
		want(t, db, "200000", "SELECT ccbf_total(ccbf_agg(x, y, 1)) FROM m")
	}
}

// cancelled runs a query and cancels it once it holds memory.
func cancelled(db *sql.DB, query string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		_, err := askContext(ctx, db, query)
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
