package test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
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

// goHost is a variable of the environment with the path of an extension. With it, the test binary
// is a Go program that loads the extension, so that changes to the process affect no other test.
const goHost = "CCBF_TEST_GO_HOST"

// TestExtensionInGo: a Go program that loads the extension gets an error that names the Go package.
// The process does not change: signals have the same handlers.
func TestExtensionInGo(t *testing.T) {
	if os.Getenv(goHost) != "" {
		hostExtension(t, os.Getenv(goHost))
		return
	}
	path, err := filepath.Abs(filepath.Join("..", "..", "build", "ccbf.duckdb_extension"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(path); err != nil {
		t.Skipf("skipped: no %s (make extension)", path)
	}
	cmd := osexec.Command(os.Args[0], "-test.run=^TestExtensionInGo$", "-test.v")
	cmd.Env = append(os.Environ(), goHost+"="+path)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS") {
		t.Errorf("%v\n%s", err, out)
	}
}

func hostExtension(t *testing.T, path string) {
	c, err := duckdb.NewConnector("?allow_unsigned_extensions=true", nil)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(c)
	defer db.Close()
	caught := caughtSignals(t)
	for range 2 {
		_, err = db.Exec("LOAD '" + path + "'")
		if err == nil || !strings.Contains(err.Error(), "use the Go package github.com/ccbfsql/ccbfsql instead") {
			t.Fatalf("LOAD: error %v", err)
		}
	}
	if now := caughtSignals(t); now != caught {
		t.Errorf("signals caught: %s, %s before", now, caught)
	}
	// The runtime still interrupts goroutines with SIGURG: a collection does not wait for the end
	// of a loop without calls.
	runtime.GOMAXPROCS(2)
	var collected atomic.Bool
	begun, told := make(chan bool), make(chan bool)
	go func() {
		close(begun)
		for range 10_000_000_000 {
			if collected.Load() {
				told <- true
				return
			}
		}
		told <- false
	}()
	<-begun
	runtime.GC()
	collected.Store(true)
	if !<-told {
		t.Error("the garbage collector waited for the end of a loop")
	}
	// Faults still become panics.
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		var p *int
		t.Log(*p)
	}()
}

// caughtSignals returns the set of signals for which the process has handlers.
func caughtSignals(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("skipped: no /proc/self/status")
	}
	_, rest, _ := strings.Cut(string(text), "SigCgt:")
	set, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(set)
}
