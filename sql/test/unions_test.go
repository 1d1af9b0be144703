package test

import (
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/connector"
)

// unionsDB returns a database with points p of 500 days, and a sketch per day.
func unionsDB(t *testing.T) *sql.DB {
	db := open(t)
	exec(t, db, "SET threads = 2")
	exec(t, db, "CREATE TABLE p AS SELECT i % 500 AS day, (hash(i) % 800 * (hash(i) % 3))::DOUBLE AS x, (hash(i, 1) % 850)::DOUBLE AS y FROM range(100000) t(i)")
	exec(t, db, "CREATE TABLE days AS SELECT day, ccbf_agg(x, y, 1) AS s FROM p GROUP BY day ORDER BY day")
	exec(t, db, "CREATE TABLE other AS SELECT ccbf_agg(y, x, 1) AS s FROM p WHERE day = 7")
	return db
}

// TestUnionsMadeAgain: a repeated union is the sketch of all points each time. The sketches come
// with others among them, with fewer, in another order, with more before or after them, and in
// windows.
func TestUnionsMadeAgain(t *testing.T) {
	db := unionsDB(t)
	for _, q := range []struct{ union, points string }{
		{"SELECT ccbf_union_agg(s) FROM days", "FROM p"},
		{"SELECT ccbf_union_agg(if(day = 7, (FROM other), s)) FROM days", "FROM p WHERE day <> 7 UNION ALL SELECT day, y, x FROM p WHERE day = 7"},
		{"SELECT ccbf_union_agg(if(day % 9 = 1, NULL, s)) FROM days", "FROM p WHERE day % 9 <> 1"},
		{"SELECT ccbf_union_agg(s) FILTER (day > 1) FROM days", "FROM p WHERE day > 1"},
		{"SELECT ccbf_union_agg(s) FROM (FROM days ORDER BY hash(day))", "FROM p"},
		{"SELECT ccbf_union_agg(s) FROM days GROUP BY day < 1000", "FROM p"},
		{"SELECT ccbf_union_agg(s) FROM (FROM other UNION ALL SELECT s FROM days)", "FROM p UNION ALL SELECT day, y, x FROM p WHERE day = 7"},
		{"SELECT any_value(u) FROM (SELECT ccbf_union_agg(s) OVER () AS u FROM days)", "FROM p"},
		{"SELECT u FROM (SELECT day, ccbf_union_agg(s) OVER (ORDER BY day) AS u FROM days WHERE day < 200) WHERE day = 150", "FROM p WHERE day <= 150"},
	} {
		exec(t, db, "CREATE OR REPLACE TABLE whole AS SELECT ccbf_agg(x, y, 1) AS s FROM ("+q.points+")")
		for _, threads := range []string{"1", "2"} {
			exec(t, db, "SET threads = "+threads)
			for range 2 {
				want(t, db, "true", "SELECT ("+q.union+") = s FROM whole")
			}
		}
		if used := ccbfsql.MemoryUsed(); used != 0 {
			t.Errorf("%d bytes are used, and no query runs: %s", used, q.union)
		}
	}
}

// TestUnionsWithWhatIsNoSketch: a damaged sketch among the others is an error each time, and so is
// one with other cells.
func TestUnionsWithWhatIsNoSketch(t *testing.T) {
	db := unionsDB(t)
	for range 3 {
		for _, day := range []int{0, 250, 499} {
			want(t, db, "100000", "SELECT ccbf_total(ccbf_union_agg(s)) FROM days")
			for by, text := range map[string]string{
				"'no sketch at all, of so many bytes'::BLOB":       "ccbf_union_agg: ",
				"(SELECT ccbf_agg(x, y, 2) FROM p WHERE day = 7)":  "resolution ",
				"s[:octet_length(s) - 2] || '\\xA7\\x15'::BLOB":    "ccbf_union_agg: ",
				"s[:40] || ('\\x55'::BLOB) || s[42:]":              "ccbf_union_agg: ",
				"s || '\\x00'::BLOB":                               "ccbf_union_agg: ",
				"s[:octet_length(s) // 2] || s[octet_length(s):1]": "ccbf_union_agg: ",
			} {
				if _, err := ask(db, fmt.Sprintf("SELECT ccbf_union_agg(if(day = %d, %s, s)) FROM days", day, by)); err == nil || !strings.Contains(err.Error(), text) {
					t.Errorf("%s on day %d: %v", by, day, err)
				}
			}
		}
	}
	if used := ccbfsql.MemoryUsed(); used != 0 {
		t.Errorf("%d bytes are used, and no query runs", used)
	}
}

// TestManyConnectionsAskForUnions: the same holds if several connections compute unions and other
// databases are closed meanwhile.
func TestManyConnectionsAskForUnions(t *testing.T) {
	db := unionsDB(t)
	exec(t, db, "CREATE TABLE wanted AS SELECT k, (SELECT md5(ccbf_agg(x, y, 1)) FROM p WHERE day >= k) AS u FROM range(3) t(k)")
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			for round := range rounds(t, 12) {
				k := (i + round) % 3
				got, err := ask(db, fmt.Sprintf("SELECT (SELECT md5(ccbf_union_agg(s)) FROM days WHERE day >= %d) = u FROM wanted WHERE k = %[1]d", k))
				if err != nil || got != "true" {
					t.Errorf("union %d in round %d: %s %v", k, round, got, err)
				}
				if i == 0 && round%3 == 2 {
					if other, err := connector.Open(""); err != nil || other.Ping() != nil || other.Close() != nil {
						t.Error("another database cannot be opened and closed")
					}
				}
			}
		})
	}
	wait.Wait()
	if used := ccbfsql.MemoryUsed(); used != 0 {
		t.Errorf("%d bytes are used, and no query runs", used)
	}
}
