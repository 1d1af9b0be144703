package test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestKeysInWindows: keys and categories that are STRUCTs of constants and columns, which
// DuckDB hands over wrongly to windows over whole partitions as it does options
// (TestOptionsInWindows), are an error there, or give the sketch that GROUP BY gives.
func TestKeysInWindows(t *testing.T) {
	db := open(t)
	exec(t, db, `SET threads = 1`)
	exec(t, db, `CREATE TABLE d AS SELECT i, hash(i) % 50 AS x, hash(i, 1) % 50 AS y, (1 + hash(i, 2) % 4)::BIGINT AS w,
		'category number ' || hash(i, 3) % 3 AS c, {x: hash(i) % 50, c: 'number ' || hash(i, 3) % 3} AS k FROM range(3000) t(i)`)
	calls := []struct {
		call  string
		sound bool // DuckDB hands it over rightly, and nothing about it is doubtful
	}{
		{"cms_agg({a: 'a text that is kept elsewhere', b: x})", false},
		{"cms_agg({a: c, b: 7, c: {d: 'short', e: y}})", false},
		{"cms_agg({a: 'a text that is kept elsewhere', b: x}, {width: 100, weight: w})", false},
		{"ccbf_agg(x, y, 1, {category: {a: 'a text that is kept elsewhere', b: c}})", false},
		{"ccbf_agg(x, y, 1, {category: {a: 'a text that is kept elsewhere', b: c}, weight: w})", false},
		{"cms_agg({a: x})", true},
		{"cms_agg({a: 'a text that is kept elsewhere', b: 7})", true},
		{"ccbf_agg(x, y, 1, {category: {a: c}})", true},
	}
	r := rand.New(rand.NewPCG(17, 2))
	refused, right := 0, 0
	for i := range 48 {
		c := calls[i%len(calls)]
		n, groups := 2+r.IntN(2999), 1+r.IntN(400)
		// Another window keeps DuckDB from making a GROUP BY of the first.
		query := fmt.Sprintf(`SELECT count(*) FROM (SELECT i %% %[1]d AS g, %[2]s OVER (PARTITION BY i %% %[1]d) AS s, sum(i) OVER (ORDER BY i) FROM d WHERE i < %[3]d) q
			JOIN (SELECT i %% %[1]d AS g, %[2]s AS s FROM d WHERE i < %[3]d GROUP BY ALL) r USING (g) WHERE q.s IS DISTINCT FROM r.s`, groups, c.call, n)
		switch wrong, err := ask(db, query); {
		case err == nil && wrong != "0":
			t.Errorf("%s in %d partitions of %d rows: %s rows have a sketch that GROUP BY does not give", c.call, groups, n, wrong)
		case err == nil:
			right++
		case c.sound:
			t.Errorf("%s in %d partitions of %d rows: %v", c.call, groups, n, err)
		case !strings.Contains(err.Error(), "window") || !strings.Contains(err.Error(), "GROUP BY"):
			t.Errorf("%s in %d partitions of %d rows: the error does not say what to do: %v", c.call, groups, n, err)
		default:
			refused++
		}
	}
	if refused == 0 || right == 0 {
		t.Errorf("%d queries were refused, %d right", refused, right)
	}
	// What the error says to do helps, and other windows are as they are.
	for _, over := range []string{"FILTER (i >= 0) OVER (PARTITION BY i % 77)", "OVER (PARTITION BY i % 77 ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE NO OTHERS)"} {
		want(t, db, "0", fmt.Sprintf(`SELECT count(*) FILTER (q.s IS DISTINCT FROM r.s) FROM (SELECT i %% 77 AS g, cms_agg({a: 'constant', b: x}, {width: 100}) %s AS s, sum(i) OVER (ORDER BY i) FROM d) q
			JOIN (SELECT i %% 77 AS g, cms_agg({a: 'constant', b: x}, {width: 100}) AS s FROM d GROUP BY ALL) r USING (g)`, over))
	}
}
