// Package test runs the SQL test files on the bundled driver. It also has tests over SQL that need
// Go: hostile BLOBs, real data, concurrency, memory.
package test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/internal/queries"
	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

// The connector frees memory itself.
func TestSQL(t *testing.T) { sqltest.Run(t, sqltest.DB(open(t), func() {}), ".") }

// The files of real data take longer. Other hosts leave them out.
func TestData(t *testing.T) { sqltest.Run(t, sqltest.DB(open(t), func() {}), "data") }

// sqlConn returns a connection for the random queries of package sqltest.
func sqlConn(t *testing.T) sqltest.Conn {
	t.Helper()
	conn, err := sqltest.DB(open(t), func() {})()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// TestRandomWindows: random windows and ORDER BY, compared with exact SQL. CCBF_LONG=1: 10,000
// queries.
func TestRandomWindows(t *testing.T) {
	conn := sqlConn(t)
	sqltest.Random(t, conn, queries.Windows, 14, 0, sqltest.WindowCount(60))
}

// TestStructsInWindows: random windows with STRUCTs, compared with GROUP BY. CCBF_LONG=1: 10,000
// queries.
func TestStructsInWindows(t *testing.T) {
	conn := sqlConn(t)
	sqltest.Random(t, conn, queries.Structs, 44, 0, sqltest.WindowCount(300))
	if refused := sqltest.OrderedStructs(t, conn); refused < 6 {
		t.Errorf("%d queries were refused: the others are right by chance", refused)
	}
}

// TestStructsOfOtherFunctions: DuckDB builds a STRUCT that another function also gets only once. If
// that function comes first, a constant in it may be damaged, and nothing shows whether a value is
// a constant. So values that differ are an error.
func TestStructsOfOtherFunctions(t *testing.T) {
	db := open(t)
	exec(t, db, `SET threads = 1`)
	exec(t, db, `CREATE TABLE d AS SELECT i, hash(i) % 50 AS x, i // 12 AS g FROM range(3000) t(i)`)
	const ours, other = "cms_agg({a: 12345, b: x}) OVER (PARTITION BY g) AS s", "list({a: 12345, b: x}) OVER (PARTITION BY g)"
	const from = ", sum(i) OVER (ORDER BY i) FROM d) q JOIN (SELECT g, cms_agg({a: 12345, b: x}) AS s FROM d GROUP BY g) r USING (g)"
	want(t, db, "3000|0", "SELECT count(*), count(*) FILTER (q.s IS DISTINCT FROM r.s) FROM (SELECT g, "+ours+", "+other+from)
	// The memory behind the first part may hold the constant of an earlier query.
	wrong, err := ask(db, "SELECT count(*) FILTER (q.s IS DISTINCT FROM r.s) FROM (SELECT g, "+other+", "+ours+from)
	if err == nil && wrong != "0" || err != nil && !strings.Contains(err.Error(), "use GROUP BY instead of the window") {
		t.Errorf("after another function: %s wrong, %v", wrong, err)
	}
}

// open returns a database in memory with all functions.
func open(t testing.TB) *sql.DB {
	t.Helper()
	db, err := connector.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func exec(t testing.TB, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatalf("%.300s: %v", statement, err)
	}
}

// ask returns the first row of a query, with "|" between values.
func ask(db queries.Queryer, query string, args ...any) (string, error) {
	_, all, err := queries.Values(context.Background(), db, query, args...)
	if err != nil || len(all) == 0 {
		return "", err
	}
	var first []string
	for _, v := range all[0] {
		first = append(first, fmt.Sprint(v))
	}
	return strings.Join(first, "|"), nil
}

func mustAsk(t testing.TB, db *sql.DB, query string, args ...any) string {
	t.Helper()
	s, err := ask(db, query, args...)
	if err != nil {
		t.Fatalf("%.300s: %v", query, err)
	}
	return s
}

// want compares the first row of a query with the expected one.
func want(t testing.TB, db *sql.DB, answer, query string, args ...any) {
	t.Helper()
	if got := mustAsk(t, db, query, args...); got != answer {
		t.Errorf("%.400s\n got %s, want %s", query, got, answer)
	}
}
