package duck

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// withLimit sets the budget for one test.
func withLimit(t testing.TB, n int64) {
	t.Helper()
	before := MemoryLimit()
	if err := SetMemoryLimit(n); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := SetMemoryLimit(before); err != nil {
			t.Error(err)
		}
	})
}

// resident is the process's memory in bytes, after giving back what Go can.
func resident(t testing.TB) int64 {
	t.Helper()
	debug.FreeOSMemory()
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("resident memory is known on Linux only")
	}
	pages, err := strconv.ParseInt(strings.Fields(string(b))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// forgetful are queries after which DuckDB leaves states behind, or may.
var forgetful = []struct {
	name, query string
	fails       string // what the error says; empty: no error
	leaves      bool   // certainly leaves pages
}{
	{"limit", "SELECT k, toy_list(i) FROM m GROUP BY k LIMIT 3", "", true},
	{"exclude ties", "SELECT count(v) FROM (SELECT toy_list(i) OVER (ORDER BY i // 3 ROWS BETWEEN 5 PRECEDING AND 5 FOLLOWING EXCLUDE TIES) AS v FROM m WHERE i < 3000)", "", true},
	{"error downstream", "SELECT k, error('stop here') FROM (SELECT k, toy_list(i) AS v FROM m GROUP BY k) WHERE len(v) > 0 AND k > 5", "stop here", true},
	{"error in combine", "SELECT k, toy_combine(i) FROM m GROUP BY k", "toy_combine: a toy error", false},
	{"error in update", "SELECT k, toy_update(i) FROM m GROUP BY k", "toy_update: a toy error", false},
}

// failingUpdate takes some rows and then fails.
type failingUpdate struct{ toyList }

func (a failingUpdate) Update(args *Rows, states States) error {
	for _, v := range Slice[int64](args.Col(0)) {
		if v == 9000 {
			return errToy
		}
	}
	return a.toyList.Update(args, states)
}

func forgetfulDB(t testing.TB, groups int) (*sql.DB, *Instance) {
	fns := append(toys(),
		aggregateOf("toy_combine", BigInt, ListOf(BigInt), toyList{cost: 64, combine: func() error { return errToy }}),
		aggregateOf("toy_update", BigInt, ListOf(BigInt), failingUpdate{toyList{cost: 64}}))
	db, in := openDB(t, fns)
	mustExec(t, db, "SET threads = 2")
	mustExec(t, db, fmt.Sprintf("CREATE TABLE m AS SELECT i, i %% %d AS k FROM range(%d) t(i)", groups, 2*groups))
	return db, in
}

// TestMemoryLeftBehind runs queries whose states DuckDB does not destroy. The budget holds, the
// process does not grow, and the next query works. Release then frees everything.
func TestMemoryLeftBehind(t *testing.T) {
	const budget = 16 << 20
	withLimit(t, budget)
	db, in := forgetfulDB(t, 20000)
	round := func() {
		for _, f := range forgetful {
			_, err := ask(db, f.query)
			if f.fails == "" && err != nil {
				t.Fatalf("%s: %v", f.name, err)
			}
			if f.fails != "" && (err == nil || !strings.Contains(err.Error(), f.fails)) {
				t.Fatalf("%s: error %v, want %q", f.name, err, f.fails)
			}
			if used := MemoryUsed(); used < 0 || used > budget {
				t.Fatalf("%s: %d bytes in use, the limit is %d", f.name, used, budget)
			}
			if got := mustAsk(t, db, "SELECT len(toy_list(i)), list_sum(toy_list(i)) FROM m WHERE i < 1000"); got != "1000|499500" {
				t.Fatalf("after %s: got %s", f.name, got)
			}
		}
	}
	n := max(rounds(12), 6)
	warm := max(n/4, 3)
	for range warm {
		round()
	}
	before, swept := resident(t), sweeps.Load()
	for range n - warm {
		round()
	}
	after := resident(t)
	t.Logf("resident: %s after %d rounds, %s after %d; %d sweeps", FormatBytes(before), warm, FormatBytes(after), n, sweeps.Load()-swept)
	if sweeps.Load() == swept {
		t.Error("the budget was never reached: this test tests nothing")
	}
	// Pages in use can differ by the whole budget between the two moments.
	if !raceDetector && after > before+2*budget {
		t.Errorf("resident memory went from %s to %s", FormatBytes(before), FormatBytes(after))
	}
	if in.Pages() == 0 {
		t.Error("nothing was left behind: this test tests nothing")
	}
	in.Release()
	if MemoryUsed() != 0 || PagesLive() != 0 {
		t.Errorf("%d bytes in %d pages after Release", MemoryUsed(), PagesLive())
	}
}

// TestMemoryLeftBehindByEach checks the number of pages that each of these queries leaves.
func TestMemoryLeftBehindByEach(t *testing.T) {
	db, in := forgetfulDB(t, 5000)
	for _, f := range forgetful {
		_, _ = ask(db, f.query)
		left := in.Pages()
		t.Logf("%-18s %6d pages", f.name, left)
		if f.leaves && left == 0 {
			t.Errorf("%s: nothing left behind: this test tests nothing", f.name)
		}
		in.Release()
		if in.Pages() != 0 || MemoryUsed() != 0 {
			t.Errorf("%s: %d pages, %d bytes after Release", f.name, in.Pages(), MemoryUsed())
		}
	}
}

func TestCancelledQueries(t *testing.T) {
	withLimit(t, 16<<20)
	started := make(chan struct{}, 1)
	var slow atomic.Bool
	gate := make(chan struct{})
	fns := append(toys(), oneArg("toy_gate", BigInt, BigInt, func(args *Rows, out *Result) error {
		copy(Out[int64](out), Slice[int64](args.Col(0)))
		if slow.CompareAndSwap(true, false) {
			started <- struct{}{}
			<-gate // the query is certainly running when it is cancelled
		}
		return nil
	}))
	db, in := openDB(t, fns)
	mustExec(t, db, "CREATE TABLE m AS SELECT i, i % 20000 AS k FROM range(100000) t(i)")
	mustExec(t, db, "SET threads = 2")
	for range rounds(3) {
		ctx, cancel := context.WithCancel(context.Background())
		slow.Store(true)
		failed := make(chan error, 1)
		go func() {
			_, err := db.ExecContext(ctx, "SELECT k, toy_list(toy_gate(i)) FROM m GROUP BY k")
			failed <- err
		}()
		<-started
		cancel()
		gate <- struct{}{}
		if err := <-failed; err == nil {
			t.Log("finished before it was cancelled")
		}
		if used := MemoryUsed(); used > 16<<20 {
			t.Fatalf("%d bytes in use", used)
		}
		if got := mustAsk(t, db, "SELECT len(toy_list(i)) FROM m"); got != "100000" {
			t.Fatalf("got %s", got)
		}
	}
	in.Release()
	if MemoryUsed() != 0 {
		t.Errorf("%d bytes after Release", MemoryUsed())
	}
}

// A million groups of which three are read.
func TestMillionGroups(t *testing.T) {
	withLimit(t, 64<<20)
	db, in := openDB(t, toys())
	mustExec(t, db, "SET threads = 2")
	// 80 bytes a group and copy: more than the budget in all.
	_, err := ask(db, "SELECT i // 2 AS k, toy_list(i) FROM range(2000000) t(i) GROUP BY k LIMIT 3")
	if err != nil && !errorNamesBudget(err) {
		t.Fatalf("error %v", err)
	}
	if MemoryUsed() > 64<<20 {
		t.Errorf("%d bytes in use", MemoryUsed())
	}
	if err := SetMemoryLimit(1 << 30); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		mustAsk(t, db, "SELECT i // 2 AS k, toy_list(i) FROM range(2000000) t(i) GROUP BY k LIMIT 3")
		t.Logf("%d pages left, %s", in.Pages(), FormatBytes(MemoryUsed()))
	}
	if in.Pages() < 900000 {
		t.Errorf("%d pages left behind: this test tests nothing", in.Pages())
	}
	in.Release()
	runtime.GC()
}

func errorNamesBudget(err error) bool {
	return strings.Contains(err.Error(), "memory budget of 64.0 MiB is used up (raise it with ccbf_memory_limit)")
}

// A query that needs more than there is ends with an error that names the
// budget, whatever its shape, and the one after it works.
func TestMoreThanTheBudget(t *testing.T) {
	withLimit(t, 64<<20)
	db, _ := openDB(t, toys())
	mustExec(t, db, "SET threads = 2")
	for _, q := range []string{
		"SELECT len(toy_list(i)) FROM range(20000000) t(i)", // one page
		"SELECT count(v) FROM (SELECT toy_big(i) AS v FROM range(2000) t(i) GROUP BY i)",
		"SELECT count(v) FROM (SELECT toy_big(i) AS v FROM range(100000) t(i) GROUP BY i % 500)",
		"SELECT count(v) FROM (SELECT toy_big(i) OVER (ORDER BY i ROWS 3 PRECEDING) AS v FROM range(2000) t(i))",
	} {
		_, err := ask(db, q)
		if err == nil || !errorNamesBudget(err) {
			t.Errorf("%s: error %v", q, err)
		}
		if got := mustAsk(t, db, "SELECT len(toy_big(i)) FROM range(1000) t(i)"); got != "1000" {
			t.Errorf("after %s: %s", q, got)
		}
	}
}

func TestBudgetErrors(t *testing.T) {
	withLimit(t, 1000)
	s := new(State)
	if _, err := newPage(s, 2000); !errors.Is(err, ErrBudget) {
		t.Errorf("error %v", err)
	}
	l, err := newPage(s, 400)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Drop()
	if err := l.Grow(601); !errors.Is(err, ErrBudget) {
		t.Errorf("error %v", err)
	}
	if err := l.Grow(600); err != nil {
		t.Error(err)
	}
	if MemoryUsed() != 1000 {
		t.Errorf("%d bytes in use", MemoryUsed())
	}
	if err := l.Grow(-1001); err == nil {
		t.Error("gave back more than it had")
	}
	if SetMemoryLimit(0) == nil {
		t.Error("a limit of 0 was taken")
	}
}
