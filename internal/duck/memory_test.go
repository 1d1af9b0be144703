package duck

import (
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/memory"
)

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
