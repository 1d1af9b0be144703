package duck

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/memory"
)

// plans is the ways in which DuckDB runs an aggregate. @ stands for the function, which is a sum
// in one pass and a list in another.
var plans = []struct {
	name, query string
	left        bool // DuckDB may not destroy all states
}{
	{"ungrouped", "SELECT @(i) FROM d", false},
	{"ungrouped, no rows", "SELECT @(i) FROM d WHERE i < 0", false},
	{"grouped", "SELECT g, @(i) FROM d GROUP BY g ORDER BY g", false},
	{"grouped, no rows", "SELECT count(*) FROM (SELECT g, @(i) FROM d WHERE i < 0 GROUP BY g)", false},
	{"grouped by text", "SELECT s, @(i) FROM d GROUP BY s ORDER BY s", false},
	{"many groups", "SELECT i // 3 AS k, @(i) FROM d GROUP BY k ORDER BY k", false},
	{"grouping sets", "SELECT g, s, @(i) FROM d GROUP BY ROLLUP (g, s) ORDER BY ALL", false},
	{"filter", "SELECT g, @(i) FILTER (i % 3 = 0) FROM d GROUP BY g ORDER BY g", false},
	{"filter, ungrouped", "SELECT @(i) FILTER (i % 3 = 0) FROM d", false},
	{"filter, nothing passes", "SELECT g, @(i) FILTER (i < 0) FROM d GROUP BY g ORDER BY g", false},
	{"distinct", "SELECT g, @(DISTINCT i % 10) FROM d GROUP BY g ORDER BY g", false},
	{"distinct, ungrouped", "SELECT @(DISTINCT i % 10) FROM d", false},
	{"order by, 2 rows", "SELECT @(i ORDER BY i DESC) FROM d WHERE i < 2", false},
	{"order by, 3 rows", "SELECT @(i ORDER BY i DESC) FROM d WHERE i < 3", false},
	{"order by", "SELECT @(i ORDER BY i DESC) FROM d", false},
	{"order by, grouped", "SELECT g, @(i ORDER BY i DESC) FROM d GROUP BY g ORDER BY g", false},
	{"order by, many groups", "SELECT i // 3 AS k, @(i ORDER BY i DESC) FROM d GROUP BY k ORDER BY k", false},
	{"order by, 2 rows a group", "SELECT g, @(i ORDER BY i DESC) FROM d WHERE i < 14 GROUP BY g ORDER BY g", false},
	{"over ()", "SELECT i, @(i) OVER () FROM d WHERE i % 50 = 0 ORDER BY i", false},
	{"over (), 2 rows", "SELECT i, @(i) OVER () FROM d WHERE i < 2 ORDER BY i", false},
	{"over partition", "SELECT i, @(i) OVER (PARTITION BY g) FROM d WHERE i % 50 = 0 ORDER BY i", false},
	{"over filter", "SELECT i, @(i) FILTER (i % 3 = 0) OVER (PARTITION BY g) FROM d WHERE i % 50 = 0 ORDER BY i", false},
	{"over partition, numbered", "SELECT i, row_number() OVER (PARTITION BY g ORDER BY i), @(i) OVER (PARTITION BY g) FROM d WHERE i % 50 = 0 ORDER BY i", false},
	{"running", "SELECT i, @(i) OVER (ORDER BY i) FROM d WHERE i % 50 = 0 ORDER BY i", false},
	{"streaming", "SELECT i, @(i) OVER (ROWS UNBOUNDED PRECEDING) FROM (SELECT i FROM d WHERE i % 50 = 0 ORDER BY i) ORDER BY i", false},
	{"sliding", "SELECT i, @(i) OVER (ORDER BY i ROWS BETWEEN 20 PRECEDING AND 20 FOLLOWING) FROM d ORDER BY i", false},
	{"sliding, partitioned", "SELECT i, @(i) OVER (PARTITION BY g ORDER BY i ROWS BETWEEN 20 PRECEDING AND 20 FOLLOWING) FROM d ORDER BY i", false},
	{"sliding, filter", "SELECT i, @(i) FILTER (i % 3 = 0) OVER (ORDER BY i ROWS 20 PRECEDING) FROM d ORDER BY i", false},
	{"sliding, distinct", "SELECT i, @(DISTINCT i % 4) OVER (ORDER BY i ROWS 9 PRECEDING) FROM d WHERE i % 50 = 0 ORDER BY i", false},
	{"distinct over ()", "SELECT i, @(DISTINCT i // 1000) OVER () FROM d ORDER BY i", false},
	{"order by in a window", "SELECT i, @(i ORDER BY -i) OVER (ORDER BY i ROWS 3 PRECEDING) FROM d WHERE i % 50 = 0 ORDER BY i", false},
	{"over lists", "SELECT g, list_aggregate(list(i), '@') FROM d GROUP BY g ORDER BY g", false},
	{"exclude current row", "SELECT i, @(i) OVER (ORDER BY i ROWS BETWEEN 20 PRECEDING AND 20 FOLLOWING EXCLUDE CURRENT ROW) FROM d ORDER BY i", true},
	{"exclude group", "SELECT i, @(i) OVER (ORDER BY i // 3 ROWS BETWEEN 20 PRECEDING AND 20 FOLLOWING EXCLUDE GROUP) FROM d ORDER BY i", true},
	{"exclude ties", "SELECT i, @(i) OVER (ORDER BY i // 3 ROWS BETWEEN 20 PRECEDING AND 20 FOLLOWING EXCLUDE TIES) FROM d ORDER BY i", true},
	{"subquery", "SELECT g, (SELECT @(e.i) FROM d e WHERE e.g = x.g AND e.i < 300) FROM (SELECT DISTINCT g FROM d) x ORDER BY g", false},
	{"cte and union", "WITH a AS (SELECT @(i) AS v FROM d) SELECT * FROM a UNION ALL SELECT * FROM a", false},
	{"limit", "SELECT count(v) FROM (SELECT i // 3 AS k, @(i) AS v FROM d GROUP BY k LIMIT 3)", true},
}

const planData = `CREATE TABLE d AS SELECT i, i % 7 AS g, 'text number ' || i % 11 AS s
	FROM range(10000) t(i)`

func asSum(q string) (ours, theirs string) {
	return strings.ReplaceAll(q, "@", "toy_sum"), strings.ReplaceAll(q, "@", "sum")
}

// The same plans with lists: the order of arrival differs with more threads, so
// both sides are sorted.
func asList(q string) (ours, theirs string) {
	wrap := func(f string) string {
		return "SELECT * REPLACE (list_sort(v) AS v) FROM (" + strings.ReplaceAll(q, "@", f) + ")"
	}
	return wrap("toy_list"), wrap("list")
}

// TestPlans compares sums and lists with DuckDB's own. Only plans with left set leave pages behind, and
// Release drops these.
func TestPlans(t *testing.T) {
	db, in := openDB(t, toys())
	mustExec(t, db, planData)
	for _, threads := range []int{1, 8} {
		mustExec(t, db, fmt.Sprintf("SET threads = %d", threads))
		for _, p := range plans {
			t.Run(fmt.Sprintf("%s/%d", p.name, threads), func(t *testing.T) {
				ours, theirs := asSum(p.query)
				same(t, db, ours, theirs)
				if strings.Contains(p.query, "(SELECT @") || !strings.Contains(p.query, "@(") ||
					strings.HasPrefix(p.query, "SELECT count(") || strings.HasPrefix(p.query, "WITH") {
					mustAsk(t, db, strings.ReplaceAll(p.query, "@", "toy_list"))
				} else { // the list is in the result, named v
					ours, theirs = asList(strings.Replace(p.query, " FROM", " AS v FROM", 1))
					same(t, db, ours, theirs)
				}
				if used := memory.Used(); used != 0 && !p.left {
					t.Errorf("%d bytes left behind", used)
				}
				in.Release()
				if used := memory.Used(); used != 0 {
					t.Errorf("%d bytes after Release", used)
				}
			})
		}
	}
}

// TestOrderIsKept checks that rows arrive in the order of the query.
func TestOrderIsKept(t *testing.T) {
	db, _ := openDB(t, toys())
	mustExec(t, db, planData)
	for _, q := range []string{
		"SELECT @(i ORDER BY i % 10, i DESC) FROM d WHERE i < %d",
		"SELECT g, @(i ORDER BY i % 10, i DESC) FROM d WHERE i < %d GROUP BY g ORDER BY g",
	} {
		for _, n := range []int{2, 3, 20, 10000} {
			q := strings.ReplaceAll(q, "%d", fmt.Sprint(n))
			same(t, db, strings.ReplaceAll(q, "@", "toy_list"), strings.ReplaceAll(q, "@", "list"))
		}
	}
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

// TestMemoryLeftBehind runs queries whose states DuckDB does not destroy, several times. The budget holds,
// and the next query works. Release frees everything.
func TestMemoryLeftBehind(t *testing.T) {
	const budget = 4 << 20
	before := memory.Limit()
	if err := memory.SetLimit(budget); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = memory.SetLimit(before) }()
	db, in := openDB(t, append(toys(),
		aggregateOf("toy_combine", BigInt, ListOf(BigInt), toyList{cost: 64, combine: func() error { return errToy }}),
		aggregateOf("toy_update", BigInt, ListOf(BigInt), failingUpdate{toyList{cost: 64}})))
	mustExec(t, db, "SET threads = 2")
	mustExec(t, db, "CREATE TABLE m AS SELECT i, i % 20000 AS k FROM range(40000) t(i)")
	for _, f := range forgetful {
		for range 6 { // more than the budget in all
			_, err := ask(db, f.query)
			if f.fails == "" && err != nil {
				t.Fatalf("%s: %v", f.name, err)
			}
			if f.fails != "" && (err == nil || !strings.Contains(err.Error(), f.fails)) {
				t.Fatalf("%s: error %v, want %q", f.name, err, f.fails)
			}
			if used := memory.Used(); used > budget || used == 0 && f.leaves {
				t.Fatalf("%s: %d bytes in use, the limit is %d; leaves pages: %v", f.name, used, budget, f.leaves)
			}
			if got := mustAsk(t, db, "SELECT len(toy_list(i)), list_sum(toy_list(i)) FROM m WHERE i < 1000"); got != "1000|499500" {
				t.Fatalf("after %s: got %s", f.name, got)
			}
		}
		in.Release()
		if used := memory.Used(); used != 0 {
			t.Errorf("%s: %d bytes after Release", f.name, used)
		}
	}
}
