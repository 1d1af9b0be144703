package test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/connector"
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
	if _, err := ask(first, query); err == nil {
		t.Fatal("the functions are there before they are registered")
	}
	for range 2 { // a second registration is harmless
		if err := ccbfsql.Register(t.Context(), first); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []*sql.Conn{first, second} {
		if n, err := ask(c, query); err != nil || n != "10" {
			t.Fatalf("%s, %v; want 10", n, err)
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

// TestUnwrappedQueries: this package does not see queries on an unwrapped connection. The end of
// another query does not free their memory.
func TestUnwrappedQueries(t *testing.T) {
	db := open(t)
	c := conn(t, db)
	var held int64
	err := c.Raw(func(outer any) error {
		held = leaveBehind(t, outer) // stands for the groups of a running query
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	exec(t, db, "SELECT 1")
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
	if _, ok := connector.Unwrap(7); ok {
		t.Error("a number is no connection")
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
