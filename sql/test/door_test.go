package test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/duckdb/duckdb-go/v2"
)

func conn(t *testing.T, db *sql.DB) *sql.Conn {
	t.Helper()
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestRegister: a program that opens DuckDB itself registers the functions once per database, on
// any connection, with its own driver.
func TestRegister(t *testing.T) {
	const query = "SELECT ccbf_total(ccbf_agg(i, i, 1)) FROM range(10) t(i)"
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	first, second := conn(t, db), conn(t, db)
	var n int
	if err := first.QueryRowContext(t.Context(), query).Scan(&n); err == nil {
		t.Fatal("the functions are there before they are registered")
	}
	for range 2 { // a second registration is harmless
		if err := ccbfsql.Register(t.Context(), first); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []*sql.Conn{first, second} {
		if err := c.QueryRowContext(t.Context(), query).Scan(&n); err != nil || n != 10 {
			t.Fatalf("%d, %v; want 10", n, err)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ccbfsql.Register(cancelled, first); err == nil {
		t.Error("registering with a cancelled context: no error")
	}
}

// TestUnknownDriver: the error for the connection of another driver names its type.
func TestUnknownDriver(t *testing.T) {
	if _, err := ccbfsql.RegisterConn(struct{ driver.Conn }{}); err == nil || !strings.Contains(err.Error(), "struct") {
		t.Errorf("an unknown driver: error %v, want one that names the type", err)
	}
}

// TestUnwrap: the driver's own connection is available, for its appender.
func TestUnwrap(t *testing.T) {
	db, err := connector.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	c := conn(t, db)
	if _, err := c.ExecContext(t.Context(), "CREATE TABLE p (x DOUBLE, y DOUBLE)"); err != nil {
		t.Fatal(err)
	}
	err = c.Raw(func(raw any) error {
		inner, ok := connector.Unwrap(raw)
		if !ok {
			t.Fatalf("no driver connection in %T", raw)
		}
		a, err := duckdb.NewAppenderFromConn(inner, "", "p")
		if err != nil {
			return err
		}
		for i := range 5 {
			if err := a.AppendRow(float64(i/2), 0.0); err != nil {
				return err
			}
		}
		return a.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := c.QueryRowContext(t.Context(), "SELECT ccbf_get(ccbf_agg(x, y, 1), 1, 0) FROM p").Scan(&n); err != nil || n != 2 {
		t.Errorf("%d, %v; want 2", n, err)
	}
	if _, ok := connector.Unwrap(7); ok {
		t.Error("a number is no connection")
	}
}

// TestUnwrappedQueries: this package does not see queries on an unwrapped connection. The end of
// another query does not free their memory.
func TestUnwrappedQueries(t *testing.T) {
	db, err := connector.Open("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var held int64
	err = c.Raw(func(outer any) error {
		held = leaveBehind(t, outer) // stands for the groups of a running query
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	if now := ccbfsql.MemoryUsed(); now != held {
		t.Errorf("%d bytes were held, and %d are after a query of another connection", held, now)
	}
	// This closes the connection instead of returning it to the pool.
	_ = c.Raw(func(any) error { return driver.ErrBadConn })
	if now := ccbfsql.MemoryUsed(); now != 0 {
		t.Errorf("%d bytes are held after the connection was closed", now)
	}
}

// TestReleaseUnwrapped: a program that unwraps connections knows when no query runs, and Release
// relies on that.
func TestReleaseUnwrapped(t *testing.T) {
	c, err := connector.New("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	c.Release() // before there is a connection
	outer, err := c.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = outer.Close() })
	leaveBehind(t, outer)
	c.Release()
	if n := ccbfsql.MemoryUsed(); n != 0 {
		t.Errorf("%d bytes are held after Release", n)
	}
}

// leaveBehind runs a query on an unwrapped connection, and returns the memory that it leaves behind. DuckDB
// forgets groups below a LIMIT. With a category, every group has its own memory from its first row on.
func leaveBehind(t *testing.T, outer any) int64 {
	t.Helper()
	inner, _ := connector.Unwrap(outer)
	const query = "SELECT count(s) FROM (SELECT ccbf_agg(i, i, 1, {category: i}) AS s FROM range(200000) t(i) GROUP BY i // 2 LIMIT 3)"
	if _, err := inner.ExecContext(t.Context(), query, nil); err != nil {
		t.Fatal(err)
	}
	held := ccbfsql.MemoryUsed()
	if held == 0 {
		t.Fatal("nothing was left behind: this test tests nothing")
	}
	return held
}
