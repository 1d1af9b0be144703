package test

import (
	"database/sql"
	"os"
	osexec "os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
)

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
