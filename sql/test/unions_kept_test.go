package test

import (
	"database/sql"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/connector"
)

// unionsDB has points p of 500 days, and a sketch for each day.
func unionsDB(t *testing.T) *sql.DB {
	db := open(t)
	exec(t, db, "SET threads = 2")
	exec(t, db, "CREATE TABLE p AS SELECT i % 500 AS day, (hash(i) % 800 * (hash(i) % 3))::DOUBLE AS x, (hash(i, 1) % 850)::DOUBLE AS y FROM range(300000) t(i)")
	exec(t, db, "CREATE TABLE days AS SELECT day, ccbf_agg(x, y, 1) AS s FROM p GROUP BY day ORDER BY day")
	exec(t, db, "CREATE TABLE other AS SELECT ccbf_agg(y, x, 1) AS s FROM p WHERE day = 7")
	return db
}

// forgetKept gives up what is kept, as is done where a database is closed.
func forgetKept(t *testing.T) {
	db, err := connector.Open("")
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec("SELECT 1")
	if more := db.Close(); err != nil || more != nil {
		t.Fatal(err, more)
	}
	if kept := ccbfsql.MemoryKept(); kept != 0 {
		t.Fatalf("%d bytes are kept, and a database was closed", kept)
	}
}

// A union that is made again and again is the sketch of all points each time, from the second time on
// kept, and from the third not made: not with other sketches among these either, with fewer,
// in another order, with more behind or before it, or in windows.
func TestUnionsMadeAgain(t *testing.T) {
	db := unionsDB(t)
	for _, q := range []struct {
		union, points string
		kept          bool
	}{
		{"SELECT ccbf_union_agg(s) FROM days", "FROM p", true},
		{"SELECT ccbf_union_agg(if(day = 7, (FROM other), s)) FROM days", "FROM p WHERE day <> 7 UNION ALL SELECT day, y, x FROM p WHERE day = 7", true},
		{"SELECT ccbf_union_agg(if(day % 9 = 1, NULL, s)) FROM days", "FROM p WHERE day % 9 <> 1", true},
		{"SELECT ccbf_union_agg(s) FROM days WHERE day <> 499", "FROM p WHERE day <> 499", true},
		{"SELECT ccbf_union_agg(s) FILTER (day > 1) FROM days", "FROM p WHERE day > 1", true},
		{"SELECT ccbf_union_agg(s) FROM (FROM days ORDER BY hash(day))", "FROM p", true},
		{"SELECT ccbf_union_agg(s ORDER BY day DESC) FROM days", "FROM p", true},
		{"SELECT ccbf_union_agg(s) FROM days GROUP BY day < 1000", "FROM p", true},
		{"SELECT ccbf_union_agg(s) FROM (SELECT s FROM days UNION ALL FROM other)", "FROM p UNION ALL SELECT day, y, x FROM p WHERE day = 7", false},
		{"SELECT ccbf_union_agg(s) FROM (FROM other UNION ALL SELECT s FROM days)", "FROM p UNION ALL SELECT day, y, x FROM p WHERE day = 7", false},
		{"SELECT any_value(u) FROM (SELECT ccbf_union_agg(s) OVER () AS u FROM days)", "FROM p", true},
		{"SELECT u FROM (SELECT day, ccbf_union_agg(s) OVER (ORDER BY day) AS u FROM days WHERE day < 200) WHERE day = 150", "FROM p WHERE day <= 150", false},
	} {
		forgetKept(t)
		exec(t, db, "CREATE OR REPLACE TABLE whole AS SELECT ccbf_agg(x, y, 1) AS s FROM ("+q.points+")")
		for _, threads := range []string{"1", "2"} {
			exec(t, db, "SET threads = "+threads)
			for range 4 {
				want(t, db, "true", "SELECT ("+q.union+") = s FROM whole")
			}
		}
		if kept := ccbfsql.MemoryKept(); q.kept && kept == 0 {
			t.Errorf("not kept: %s", q.union)
		}
		if used := ccbfsql.MemoryUsed(); used != 0 {
			t.Errorf("%d bytes are used, and no query runs: %s", used, q.union)
		}
		if !q.kept {
			continue
		}
		// Whoever makes it holds eight bytes for each of some 200,000 cells.
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		want(t, db, "true", "SELECT ccbf_total(("+q.union+")) > 0")
		if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<20 {
			t.Errorf("%d bytes were allocated for a union that is kept: %s", after.TotalAlloc-before.TotalAlloc, q.union)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if kept := ccbfsql.MemoryKept(); kept != 0 {
		t.Errorf("%d bytes are kept, and the database is closed", kept)
	}
}

// Unions that can depend on the memory there was are not kept, nor are those that take too much of the
// budget; the answers are the same.
func TestUnionsNotKept(t *testing.T) {
	db := unionsDB(t)
	exec(t, db, "CREATE TABLE counters AS SELECT ccbf_agg(x, y, 1, {exact: false, bytes: 8192}) AS s FROM p GROUP BY day")
	exec(t, db, "CREATE TABLE fits AS SELECT ccbf_agg(x, y, 1, {bytes: 8192}) AS s FROM p GROUP BY day")
	for table, encoding := range map[string]string{"counters": "dense", "fits": "tree"} {
		forgetKept(t)
		first := ""
		for range 3 {
			want(t, db, "true", "SELECT sum(octet_length(s)) > 1 << 18 FROM "+table)
			want(t, db, encoding, "SELECT (ccbf_info(ccbf_union_agg(s))).encoding FROM "+table)
			switch u := mustAsk(t, db, "SELECT md5(ccbf_union_agg(s)) FROM "+table); first {
			case "":
				first = u
			case u:
			default:
				t.Errorf("%s: another union than the first", table)
			}
		}
		if kept := ccbfsql.MemoryKept(); kept != 0 {
			t.Errorf("%d bytes of a union of %s are kept", kept, table)
		}
	}
	limit := mustAsk(t, db, "SELECT (ccbf_memory()).limit")
	defer exec(t, db, "SELECT ccbf_memory_limit("+limit+"::UBIGINT)")
	// Cells far from each other: their BLOB takes more than a sixty-fourth of what they take here.
	exec(t, db, "CREATE TABLE far AS SELECT i, hash(i) % 10_000_000 AS x, hash(i, 1) % 10_000_000 AS y FROM range(100_000) t(i)")
	exec(t, db, "CREATE TABLE apart AS SELECT ccbf_agg(x, y, 1) AS s FROM far GROUP BY i % 500")
	exec(t, db, "CREATE TABLE whole AS SELECT ccbf_agg(x, y, 1) AS s FROM far")
	want(t, db, "true|exact", "SELECT sum(octet_length(a.s)) > 1 << 18, any_value((ccbf_info(w.s)).encoding) FROM apart a, whole w")
	exec(t, db, "SELECT ccbf_memory_limit(64 * octet_length(s)) FROM whole")
	forgetKept(t)
	for range 4 {
		want(t, db, "true", "SELECT ccbf_union_agg(s) = (FROM whole) FROM apart")
	}
	if kept := ccbfsql.MemoryKept(); kept != 0 {
		t.Errorf("%d bytes are kept of a budget that is too small", kept)
	}
}

// A damaged sketch among the others is an error each time, and so is one of other cells; of the others
// the union is kept nevertheless.
func TestUnionsWithWhatIsNoSketch(t *testing.T) {
	db := unionsDB(t)
	for range 3 {
		for _, day := range []int{0, 250, 499} {
			want(t, db, "300000", "SELECT ccbf_total(ccbf_union_agg(s)) FROM days")
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

// So it is where several connections ask for unions, and what is kept is given up meanwhile.
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
	forgetKept(t)
}
