package test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestOptionsInWindows: options that DuckDB hands over wrongly are an error, or give
// the sketch that GROUP BY gives, and nothing else.
//
// Where the frame is the whole partition, DuckDB 1.5.5 cuts a chunk into its
// partitions. A STRUCT of constants and columns shares the constants' vectors
// between the parts; flattening them for the first part fills as many values as that
// one has rows, and what the other parts find behind those is uninitialised.
func TestOptionsInWindows(t *testing.T) {
	db := open(t)
	exec(t, db, `SET threads = 1`)
	exec(t, db, `CREATE TABLE d AS SELECT i, hash(i) % 50 AS x, hash(i, 1) % 50 AS y, (1 + hash(i, 2) % 4)::BIGINT AS w,
		'category number ' || hash(i, 3) % 3 AS c, (400 + 0 * i)::BIGINT AS b FROM range(3000) t(i)`)
	// Options for ccbf_agg and for cms_agg. Those that may be refused are never all
	// right: a constant stands beside a column.
	sets := []struct {
		ccbf, cms string
		sound     bool // DuckDB hands them over rightly, and nothing about them is doubtful
	}{
		{"{bytes: 400, weight: w}", "{width: 40, weight: w}", false},
		{"{weight: w, bytes: 400, mode: 'standard', k: 2}", "{weight: w, depth: 2, conservative: true}", false},
		{"{exact: false, counters: [64, 16], layers: [4, 8], weight: w}", "{epsilon: 0.1, delta: 0.5, weight: w}", false},
		{"{category: c, weight: 2}", "{width: 40, weight: w}", false},
		{"{category: 'a text that is kept elsewhere', weight: w}", "{width: 40, weight: w}", false},
		{"{category: 'short', weight: w}", "{width: 40, weight: w}", false},
		{"{weight: w}", "{weight: w}", true},
		{"{bytes: b, weight: w}", "{width: b, weight: w}", true},
		{"{bytes: 400, weight: 3}", "{width: 40, weight: 3}", true},
		{"{bytes: 400, mode: 'standard'}", "{width: 40, conservative: true}", true},
	}
	r := rand.New(rand.NewPCG(14, 8))
	refused, right := 0, 0
	for i := range 120 {
		set := sets[i%len(sets)]
		agg, options := "ccbf_agg(x, y, 1, %s)", set.ccbf
		if r.IntN(3) == 0 {
			agg, options = "cms_agg(x, %s)", set.cms
		}
		call := fmt.Sprintf(agg, options)
		n, groups := 2+r.IntN(2999), 1+r.IntN(400)
		// Another window keeps DuckDB from making a GROUP BY of the first.
		query := fmt.Sprintf(`SELECT count(*) FROM (SELECT i %% %[1]d AS g, %[2]s OVER (PARTITION BY i %% %[1]d) AS s, sum(i) OVER (ORDER BY i) FROM d WHERE i < %[3]d) q
			JOIN (SELECT i %% %[1]d AS g, %[2]s AS s FROM d WHERE i < %[3]d GROUP BY ALL) r USING (g) WHERE q.s IS DISTINCT FROM r.s`, groups, call, n)
		switch wrong, err := ask(db, query); {
		case err == nil && wrong != "0":
			t.Errorf("%s in %d partitions of %d rows: %s rows have a sketch that GROUP BY does not give", call, groups, n, wrong)
		case err == nil:
			right++
		case set.sound:
			t.Errorf("%s in %d partitions of %d rows: %v", call, groups, n, err)
		case !strings.Contains(err.Error(), "window") || !strings.Contains(err.Error(), "GROUP BY"):
			t.Errorf("%s in %d partitions of %d rows: the error does not say what to do: %v", call, groups, n, err)
		default:
			refused++
		}
	}
	if refused == 0 || right == 0 {
		t.Errorf("%d queries were refused, %d right", refused, right)
	}
}

// TestOptionsInWindowsRemedies: what the error says to do helps.
func TestOptionsInWindowsRemedies(t *testing.T) {
	db := open(t)
	exec(t, db, `SET threads = 1`)
	exec(t, db, `CREATE TABLE d AS SELECT i, i % 50 AS x, (1 + i % 4) AS w, i % 77 AS g FROM range(3000) t(i)`)
	truth := `(SELECT g, ccbf_agg(x, g, 1, {bytes: 400, weight: w}) AS s FROM d GROUP BY g) r`
	for _, sketches := range []string{
		`SELECT g, ccbf_agg(x, g, 1, o) OVER (PARTITION BY g) AS s, sum(i) OVER (ORDER BY i) FROM (SELECT *, {bytes: 400, weight: w} AS o FROM d)`,
		`SELECT g, ccbf_agg(x, g, 1, {bytes: 400, weight: w}) FILTER (i >= 0) OVER (PARTITION BY g) AS s, sum(i) OVER (ORDER BY i) FROM d`,
	} {
		want(t, db, "3000|0", `SELECT count(*), count(*) FILTER (q.s IS DISTINCT FROM r.s) FROM (`+sketches+`) q JOIN `+truth+` USING (g)`)
	}
}

// TestOptionsInOtherPlans: options that differ between groups are nothing to be
// refused where DuckDB hands them over rightly.
func TestOptionsInOtherPlans(t *testing.T) {
	db := open(t)
	exec(t, db, `CREATE TABLE d AS SELECT i, i % 50 AS x, (1 + i % 4) AS w, i % 77 AS g FROM range(9000) t(i)`)
	const options = `{bytes: 400 + 10 * g, weight: w, seed: 7}`
	truth := `(SELECT g, ccbf_agg(x, g, 1, ` + options + `) AS s FROM d GROUP BY g) r`
	for _, threads := range []int{1, 4} {
		exec(t, db, fmt.Sprintf("SET threads = %d", threads))
		for _, sketches := range []string{
			`SELECT g, ccbf_agg(x, g, 1, ` + options + ` ORDER BY i) AS s FROM d GROUP BY g`,
			`SELECT g, ccbf_agg(x, g, 1, ` + options + `) OVER (PARTITION BY g ORDER BY x ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE NO OTHERS) AS s FROM d WHERE g < 1`,
			`SELECT g, ccbf_agg(x, g, 1, ` + options + `) OVER (PARTITION BY g) AS s FROM d`,
		} {
			want(t, db, "0", `SELECT count(*) FILTER (q.s IS DISTINCT FROM r.s) FROM (`+sketches+`) q JOIN `+truth+` USING (g)`)
		}
		// Frames that slide: each holds a row and the two before it.
		want(t, db, "0", `SELECT count(*) FILTER (ccbf_total(s) IS DISTINCT FROM n) FROM (SELECT ccbf_agg(x, g, 1, {bytes: 400, weight: w}) OVER v AS s, sum(w) OVER v AS n
			FROM d WINDOW v AS (PARTITION BY g ORDER BY i ROWS 2 PRECEDING))`)
	}
}

// Aggregates without GROUP BY get a whole chunk one after the other, each for a state of
// its own, and states and options may lie side by side as those of a window's partitions
// do: nothing about their options is doubtful.
func TestOptionsOfSeveralAggregates(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE d AS SELECT (hash(i) % 60)::BIGINT AS x, (hash(i, 1) % 40)::BIGINT AS y, ['street', 'shop', 'home', ''][1 + i % 4] AS kind, (i * 7 % 52)::INTEGER AS week, DATE '2024-01-01' + (i * 7 % 364)::INTEGER AS day FROM range(6000) t(i)")
	for range 20 {
		want(t, db, "54000", `SELECT sum(ccbf_total(k) + ccbf_total(w) + ccbf_total(d))::BIGINT FROM (
			SELECT ccbf_agg(x, y, 1, {category: kind}) AS k, ccbf_agg(x, y, 1, {category: week}) AS w, ccbf_agg(x, y, 1, {category: day}) AS d FROM d
			UNION ALL SELECT ccbf_agg(x, y, 1, {category: kind, bytes: 1500}), ccbf_agg(x, y, 1, {category: week, bytes: 4000}), ccbf_agg(x, y, 1, {category: day, bytes: 12000}) FROM d
			UNION ALL SELECT ccbf_agg(x, y, 1, {category: kind, exact: false}), ccbf_agg(x, y, 1, {category: week, exact: false}), ccbf_agg(x, y, 1, {category: day, exact: false}) FROM d)`)
	}
}
