package test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql"
)

// forgetful are queries after which DuckDB does not destroy all states of groups, or may not.
// Groups of more than five points have their own pages of memory.
//
// Errors within a window run on one thread. If one of several threads fails, DuckDB (1.5.5) waits
// forever in WindowSegmentTreeLocalState::Finalize, with any aggregate. Its own sum(HUGEINT) is an
// example.
var forgetful = []struct{ name, query, fails string }{
	{"limit", "SELECT k, ccbf_agg(x, y, 1) FROM m GROUP BY k LIMIT 3", ""},
	{"limit, cms", "SELECT k, cms_agg(x, {width: 30}) FROM m WHERE k < 2000 GROUP BY k LIMIT 3", ""},
	{"limit, unions", "SELECT k // 20, ccbf_union_agg(s) FROM parts GROUP BY ALL LIMIT 3", ""},
	{"limit, intersections", "SELECT k // 20, ccbf_intersect_agg(s) FROM parts GROUP BY ALL LIMIT 3", ""},
	{"exclude ties", "SELECT max(octet_length(s)) FROM (SELECT ccbf_agg(x, y, 1) OVER (ORDER BY i // 3 ROWS BETWEEN 20 PRECEDING AND 20 FOLLOWING EXCLUDE TIES) s FROM m WHERE i < 3000)", ""},
	{"exclude current row", "SELECT max(octet_length(s)) FROM (SELECT cms_agg(x, {width: 10}) OVER (ORDER BY i ROWS BETWEEN 20 PRECEDING AND 20 FOLLOWING EXCLUDE CURRENT ROW) s FROM m WHERE i < 3000)", ""},
	{"error downstream", "SELECT sum(CASE WHEN ccbf_total(s) > 0 THEN error('downstream')::INT END) FROM (SELECT ccbf_agg(x, y, 1) s FROM m GROUP BY k)", "downstream"},
	{"error in combine", "SELECT count(s) FROM (SELECT ccbf_agg(x, y, if(i < 2000, 1, 2)) OVER (ORDER BY i ROWS 100 PRECEDING) s FROM m WHERE i < 4000)", "options differ within a group: resolution 1 vs 2"},
	{"error in combine, groups", "SELECT k, ccbf_agg(x, y, if(i < 100000, 1, 2)) FROM m GROUP BY k", "options differ within a group: resolution "},
	{"error in combine, cms", "SELECT count(s) FROM (SELECT cms_agg(x, {width: if(i < 2000, 10, 20)}) OVER (ORDER BY i ROWS 100 PRECEDING) s FROM m WHERE i < 4000)", "differ"},
	{"error in update", "SELECT k, ccbf_agg(if(i = 150000, 'nan'::DOUBLE, x), y, 1) FROM m GROUP BY k", "ccbf_agg: x is NaN, not a finite number"},
	{"error in finalize", "SELECT k, ccbf_union_agg(s) FROM (SELECT k, s FROM parts UNION ALL SELECT 3, 'bad'::BLOB) GROUP BY k", "ccbf_union_agg: not a valid sketch"},
	{"cancelled", "", "context canceled"},
}

func forgetfulDB(t *testing.T) *sql.DB {
	db := open(t)
	// One thread fills whole row groups. A later thread then gets more points of each group than a
	// state holds inline.
	exec(t, db, "SET threads = 1")
	exec(t, db, "CREATE TABLE m AS SELECT i, i % 20000 AS k, i * i % 97 AS x, i % 31 AS y FROM range(200000) t(i)")
	exec(t, db, "CREATE TABLE parts AS SELECT k, ccbf_agg(x, y, 1) AS s FROM m GROUP BY k")
	exec(t, db, "SET threads = 4")
	return db
}

// TestMemoryLeftBehind: when no query runs, no memory is held whatever DuckDB forgot. The next
// query works, and memory does not grow. CCBF_ROUNDS sets the number of rounds.
func TestMemoryLeftBehind(t *testing.T) {
	db := forgetfulDB(t)
	n := rounds(t, 3)
	var early uint64
	for round := range n {
		for _, f := range forgetful {
			var err error
			exec(t, db, "SET threads = "+threadsFor(f.query))
			if f.name == "cancelled" {
				err = cancelled(db, "SELECT k, ccbf_agg(x, y, 1) FROM m, range(1000) GROUP BY k")
			} else {
				_, err = ask(db, f.query)
			}
			switch {
			case f.fails == "" && err != nil:
				t.Fatalf("%s: %v", f.name, err)
			case f.fails != "" && (err == nil || !strings.Contains(err.Error(), f.fails)):
				t.Fatalf("%s: error %v, want %q", f.name, err, f.fails)
			}
			if used := ccbfsql.MemoryUsed(); used != 0 {
				t.Fatalf("%s: %d bytes are held and no query runs", f.name, used)
			}
			want(t, db, "0|20000|200000", "SELECT (ccbf_memory()).used, count(*), sum(ccbf_total(s))::BIGINT FROM parts")
		}
		if round == n/4 {
			early = resident(t)
		}
	}
	late := resident(t)
	t.Logf("%d rounds: %d MiB resident after %d, %d MiB at the end", n, early>>20, n/4+1, late>>20)
	if n >= 20 && late > early+128<<20 {
		t.Errorf("resident memory went from %d to %d MiB", early>>20, late>>20)
	}
}

// TestMillionGroups: a million groups whose points fit in their states, and 200,000 groups of five
// and of six points, which have pages. Three groups are read.
func TestMillionGroups(t *testing.T) {
	db := open(t)
	exec(t, db, "SET threads = 2")
	for perGroup, groups := range map[int]int{1: 1_000_000, 5: 200_000, 6: 200_000} {
		query := fmt.Sprintf("SELECT i // %d AS k, ccbf_agg(i, i, 1) AS s FROM range(%d) t(i) GROUP BY k LIMIT 3", perGroup, perGroup*groups)
		want(t, db, fmt.Sprintf("3|%d", 3*perGroup), "SELECT count(*), sum(ccbf_total(s))::BIGINT FROM ("+query+")")
		if used := ccbfsql.MemoryUsed(); used != 0 {
			t.Errorf("%d bytes are held and no query runs", used)
		}
	}
	want(t, db, "10", "SELECT ccbf_total(ccbf_agg(i, i, 1)) FROM range(10) t(i)")
}

// TestMoreThanTheBudget: a query that needs more than the budget ends with an error that names it,
// and the next one works.
func TestMoreThanTheBudget(t *testing.T) {
	db := forgetfulDB(t)
	limit := mustAsk(t, db, "SELECT (ccbf_memory()).limit")
	defer exec(t, db, "SELECT ccbf_memory_limit("+limit+"::UBIGINT)")
	// DuckDB may process the groups partition by partition, and then holds only some of their
	// states at a time. No partition fits in this budget, at 80 bytes per group.
	const small, large = "8192", "4194304"
	for range rounds(t, 2) {
		for _, q := range []string{
			"SELECT count(s) FROM (SELECT ccbf_agg(x, y, 1) s FROM m GROUP BY k)",
			"SELECT count(s) FROM (SELECT ccbf_agg(x, y, 1, {exact: false}) s FROM m GROUP BY k)",
			"SELECT ccbf_agg(i, i * 7, 1, {exact: false, bytes: 16777216}) FROM m",
			"SELECT octet_length(ccbf_agg(i, hash(i) % 1000000007, 1, {bytes: 100000000})) FROM range(3000000) t(i)",
			"SELECT count(s) FROM (SELECT cms_agg(x) s FROM m GROUP BY k)",
			"SELECT cms_agg(x, {width: 10000000}) FROM m",
			"SELECT count(s) FROM (SELECT ccbf_union_agg(s) s FROM parts GROUP BY k)",
			"SELECT count(s) FROM (SELECT ccbf_intersect_agg(s) s FROM parts GROUP BY k)",
			"SELECT count(s) FROM (SELECT ccbf_agg(x, y, 1) OVER (ORDER BY i ROWS 1000 PRECEDING) s FROM m)",
		} {
			exec(t, db, "SET threads = "+threadsFor(q))
			limit, budget := large, "4.0 MiB"
			if strings.Contains(q, "GROUP BY") {
				limit, budget = small, "8.0 KiB"
			}
			exec(t, db, "SELECT ccbf_memory_limit("+limit+")")
			_, err := ask(db, q)
			if err == nil || !strings.Contains(err.Error(), "memory budget of "+budget+" is used up (raise it with ccbf_memory_limit)") {
				t.Errorf("%s: error %v", q, err)
			}
			exec(t, db, "SELECT ccbf_memory_limit("+large+")")
			if used := ccbfsql.MemoryUsed(); used != 0 {
				t.Fatalf("%s: %d bytes are held and no query runs", q, used)
			}
			want(t, db, "200000|900", "SELECT ccbf_total(ccbf_agg(x, y, 1)), (SELECT cms_get(cms_agg(i % 10), 3) FROM range(9000) t(i)) FROM m")
		}
	}
}

func threadsFor(query string) string {
	if strings.Contains(query, " OVER ") {
		return "1"
	}
	return "4"
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

// resident returns the resident memory of the process in bytes.
func resident(t *testing.T) uint64 {
	t.Helper()
	runtime.GC()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("skipped: no /proc/self/statm")
	}
	pages, err := strconv.ParseUint(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * uint64(os.Getpagesize())
}
