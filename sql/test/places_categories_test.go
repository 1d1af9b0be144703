package test

import (
	"fmt"
	"testing"

	"github.com/ccbfsql/ccbfsql"
)

// TestPlacesByCategoriesOfEveryType: counts of places by category equal those of the table, for
// every type of the category and length of its text. There are more categories than the lookup
// remembers between chunks, absent categories, and queries with two types.
func TestPlacesByCategoriesOfEveryType(t *testing.T) {
	db := open(t)
	// Values of several types have the same bits.
	columns := []struct{ name, expression string }{
		{"short", "k::INTEGER"}, {"long", "k"}, {"unsigned", "k::UBIGINT"}, {"small", "k::SMALLINT"}, {"day", "DATE '2000-01-01' + k::INTEGER"},
		{"word", "'c' || k"}, {"words", "if(k % 2 = 0, 'category nr. ', 'a longer name of category ') || k"}, {"bytes", "encode('c' || k)"}, {"parts", "{a: k % 7, b: 'c' || k}"},
	}
	sketches, asked := "", ""
	for _, c := range columns {
		sketches += fmt.Sprintf(", ccbf_agg(x, y, 1, {bytes: 16000000, category: %s}) AS %s", c.expression, c.name)
		asked += fmt.Sprintf(", if(i %% 1000 = 9, NULL, %s) AS %s", c.expression, c.name)
	}
	exec(t, db, "CREATE TABLE p AS SELECT i // 9000 AS x, i % 4 AS y, i * 7 % 9000 AS k FROM range(36000) t(i)")
	exec(t, db, "CREATE TABLE one AS SELECT "+sketches[2:]+" FROM p")
	exec(t, db, "CREATE TABLE q AS SELECT i, x, y, k"+asked+" FROM (SELECT i, i % 5 AS x, i * 7 % 4 AS y, i * 11 % 9500 AS k FROM range(20000) t(i))")
	exec(t, db, "CREATE TABLE counted AS SELECT x, y, k, count(*) AS n FROM p GROUP BY ALL")
	exact := "SELECT i, if(i % 1000 = 9, NULL, coalesce(n, 0)) AS n FROM q LEFT JOIN counted USING (x, y, k)"
	for _, c := range columns {
		ours := fmt.Sprintf("SELECT i, ccbf_get(s.%s, x, y, q.%[1]s) AS n FROM q, one s", c.name)
		if got := mustAsk(t, db, differing(ours, exact)); got != "20000|0|true|true" {
			t.Errorf("%s: %s", ours, got)
		}
	}
	both := "SELECT i, if(ccbf_get(s.short, x, y, q.short) IS DISTINCT FROM ccbf_get(s.word, x, y, q.word), 0, ccbf_get(s.long, x, y, q.short)) AS n FROM q, one s"
	if got := mustAsk(t, db, differing(both, exact)); got != "20000|0|true|true" {
		t.Errorf("%s: %s", both, got)
	}
	if used := ccbfsql.MemoryUsed(); used != 0 {
		t.Errorf("%d bytes are kept and no query runs", used)
	}
}

// TestPlacesByCategoriesOnSeveralThreads: lookups by several threads equal the table. There are
// enough cells for several parts, and lookups from the first chunk on.
func TestPlacesByCategoriesOnSeveralThreads(t *testing.T) {
	db := open(t)
	exec(t, db, "SET threads = 4")
	exec(t, db, "CREATE TABLE p AS SELECT i % 400 AS x, i // 400 % 400 AS y, hash(i) % 300 AS k FROM range(150000) t(i)")
	exec(t, db, "CREATE TABLE one AS SELECT ccbf_agg(x, y, 1, {bytes: 16000000, category: k}) AS s FROM p")
	exec(t, db, "CREATE TABLE q AS SELECT i, i * 7 % 400 AS x, i * 3 % 400 AS y, i * 11 % 310 AS k FROM range(300000) t(i)")
	exec(t, db, "CREATE TABLE counted AS SELECT x, y, k, count(*) AS n FROM p GROUP BY ALL")
	exact := "SELECT i, coalesce(n, 0) AS n FROM q LEFT JOIN counted USING (x, y, k)"
	for range 3 {
		ours := "SELECT i, ccbf_get(s, x, y, k) AS n FROM q LEFT JOIN one ON (x IS NULL) = (s IS NULL)"
		if got := mustAsk(t, db, differing(ours, exact)); got != "300000|0|true|true" {
			t.Errorf("%s: %s", ours, got)
		}
	}
}
