package test

import (
	"bytes"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// waitingCall is an aggregate of keys, with options and the same parameters in Go.
type waitingCall struct{ family, options, params string }

// waitingForms are calls of forms that buffer keys differently, or whose samples are too small for
// the groups.
var waitingForms = []waitingCall{
	{"cms", "width: 64, depth: 3", `{"Width": 64, "Depth": 3}`},
	{"cms", "width: 7, depth: 1", `{"Width": 7, "Depth": 1}`},
	{"cms", "epsilon: 0.01, seed: 9", `{"Epsilon": 0.01, "Seed": 9}`},
	{"cms", "width: 32, depth: 4, conservative: true", `{"Width": 32, "Depth": 4, "Conservative": true}`},
	{"sbf", "counters: 100", `{"Counters": 100}`},
	{"sbf", "counters: 90, method: 'mi', encoding: 'elias'", `{"Counters": 90, "Method": 1, "Encoding": 1}`},
	{"sbf", "counters: 120, method: 'rm'", `{"Counters": 120, "Method": 2}`},
	{"sbf", "counters: 120, method: 'trm'", `{"Counters": 120, "Method": 3}`},
	{"bloom", "capacity: 50", `{"Capacity": 50}`},
	{"bloom", "bits: 333, k: 2.5, variant: 'blocks'", `{"Bits": 333, "K": 2.5, "Variant": 2}`},
	{"bloom", "grow: true", `{"Grow": true}`},
	{"cbf", "capacity: 40", `{"Capacity": 40}`},
	{"cbf", "capacity: 30, variable_length: true", `{"Capacity": 30, "VariableLength": true}`},
	{"cuckoo", "capacity: 400", `{"Capacity": 400}`},
	{"cuckoo", "capacity: 900, slots: 8, variant: 'tagged', duplicates: true", `{"Capacity": 900, "Slots": 8, "Variant": 1, "Duplicates": true}`},
}

// waitingOf returns the calls of a family: those in waitingForms, or its samples.
func waitingOf(t testing.TB, f keyed.Any) (calls []keyed.Form) {
	t.Helper()
	for _, c := range waitingForms {
		if c.family != f.About().Name {
			continue
		}
		params, err := f.ReadParams([]byte(c.params))
		if err != nil {
			t.Fatal(err)
		}
		calls = append(calls, keyed.Form{Name: c.family, Options: c.options, Params: params})
	}
	if len(calls) > 0 {
		return calls
	}
	for _, form := range f.Forms() {
		if !f.Laws(form.Params).Fills { // the sample has room for any group
			calls = append(calls, keyed.Form{Name: f.About().Name, Options: form.Options, Params: form.Params})
		}
	}
	if len(calls) == 0 {
		t.Errorf("%s: all forms fill, so waitingForms must have a call with room for 500 keys", f.About().Name)
	}
	return calls
}

// groupsOfKeys creates table d: groups of 1 to about 300 rows, mostly of few, in random order. Keys
// recur, and some are NULL.
func groupsOfKeys(t testing.TB, db *sql.DB, rows int) {
	t.Helper()
	exec(t, db, fmt.Sprintf(`CREATE OR REPLACE TABLE d AS SELECT i, (exp(hash(i, 1) %% 10000 / 10000 * ln(%[1]d / 4)) + hash(i, 2) %% 40)::BIGINT AS g,
		CASE WHEN hash(i, 3) %% 9 > 0 THEN (hash(i, 4) %% 3000)::BIGINT END AS x FROM range(%[1]d) t(i)`, rows))
	exec(t, db, `CREATE OR REPLACE TABLE d AS SELECT *, x / 8::DOUBLE AS d, 'key ' || x AS t, x::DECIMAL(9, 2) AS n FROM d WHERE g > 3 OR i % 50 = 0`)
}

// TestKeysThatWait: a group's sketch has the bytes that the package returns for its keys one by
// one. It does not matter how many keys are buffered before they are added. make test leaves out the
// second order.
func TestKeysThatWait(t *testing.T) {
	db := open(t)
	groupsOfKeys(t, db, 30_000)
	orders := []string{"i", "hash(g), i"} // groups in random order, and one after the other
	if testing.Short() {
		orders = orders[:1]
	}
	for _, f := range filters.Keyed() {
		for _, c := range waitingOf(t, f) {
			for _, order := range orders {
				eachGroup(t, db, f, c.Params, fmt.Sprintf(`SELECT list(x ORDER BY i) FILTER (x NOT NULL), %s_agg(x, {%s} ORDER BY i) FROM (FROM d ORDER BY %s) GROUP BY g`, c.Name, c.Options, order))
			}
		}
	}
}

// eachGroup compares the sketches of a query with sketches of their keys.
func eachGroup(t testing.TB, db *sql.DB, f keyed.Any, params any, query string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	groups := 0
	for rows.Next() {
		var keys any
		var blob []byte
		if err := rows.Scan(&keys, &blob); err != nil {
			t.Fatal(err)
		}
		list, _ := keys.([]any)
		if want := sketchOf(t, f, params, list); !bytes.Equal(blob, want) {
			t.Fatalf("%s: a group of %d keys has another sketch:\n%x\n%x", query, len(list), blob, want)
		}
		groups++
	}
	if err := rows.Err(); err != nil || groups < 1000 {
		t.Fatalf("%d groups, %v", groups, err)
	}
}

// sketchOf returns the BLOB of keys that are added one by one, or nil for none.
func sketchOf(t testing.TB, f keyed.Any, params any, keys []any) []byte {
	t.Helper()
	if len(keys) == 0 {
		return nil
	}
	s, err := f.Make(params)
	if err == nil {
		err = keyed.BaseOf(s).SetKeyClass(key.Int)
	}
	for _, k := range keys {
		if err == nil {
			err = f.AddKey(s, key.AppendInt64(nil, k.(int64)), 1)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return s.Blob()
}

// TestKeysThatWaitAndDoNot: keys with a weight are not buffered. In one query, with the same
// threads and states, buffered and unbuffered keys have the same sketches. That holds in whatever
// way DuckDB passes rows and combines states, and for every type of keys.
func TestKeysThatWaitAndDoNot(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: every family in every plan (make test-all)")
	}
	db := open(t)
	groupsOfKeys(t, db, 24_000)
	exec(t, db, `CREATE TABLE sorted AS FROM d ORDER BY g, i`)
	exec(t, db, `CREATE TABLE runs AS FROM d ORDER BY i // 700, g, i`)
	queries := []string{
		`SELECT count(*) FILTER (a IS DISTINCT FROM b) FROM (SELECT %[1]s AS a, %[2]s AS b FROM d GROUP BY g)`,
		`SELECT count(*) FILTER (a IS DISTINCT FROM b) FROM (SELECT %[1]s AS a, %[2]s AS b FROM sorted GROUP BY g)`,
		`SELECT count(*) FILTER (a IS DISTINCT FROM b) FROM (SELECT %[1]s AS a, %[2]s AS b FROM runs GROUP BY g)`,
		`SELECT count(*) FILTER (a IS DISTINCT FROM b) FROM (SELECT %[1]s AS a, %[2]s AS b FROM d GROUP BY g %% 300)`,
		`SELECT count(*) FILTER (a IS DISTINCT FROM b) FROM (SELECT %[1]s AS a, %[2]s AS b FROM d WHERE i %% 7 < 3 GROUP BY ROLLUP (g %% 9, g %% 800))`,
		`SELECT count(*) FILTER (a IS DISTINCT FROM b) FROM (SELECT %[1]s AS a, %[2]s AS b FROM (FROM d LIMIT 3) GROUP BY ALL)`,
	}
	windows := `SELECT count(*) FILTER (a IS DISTINCT FROM b) FROM (SELECT %[1]s OVER w AS a, %[2]s OVER w AS b FROM d WHERE i < 600
		WINDOW w AS (PARTITION BY g %% 5 ORDER BY i ROWS BETWEEN 20 PRECEDING AND CURRENT ROW))`
	column := []string{"x", "d", "t", "n"}
	var all []keyed.Form
	for _, f := range filters.Keyed() {
		all = append(all, waitingOf(t, f)...)
	}
	for i, c := range all {
		for _, threads := range []int{1, 4} {
			exec(t, db, fmt.Sprintf(`SET threads = %d`, threads))
			for j, q := range append(queries, windows) {
				options := c.Options
				if c.Name == "cuckoo" { // some groups have very many keys
					options = strings.NewReplacer("400", "5000", "900", "5000", ", duplicates: true", "").Replace(options)
				}
				x := column[(i+j+threads)%len(column)]
				want(t, db, "0", fmt.Sprintf(q, fmt.Sprintf("%s_agg(%s, {%s})", c.Name, x, options), fmt.Sprintf("%s_agg(%s, {%s, weight: 1})", c.Name, x, options)))
			}
		}
	}
}

// The options of a family's samples mean the same as their parameters.
func TestOptionsOfForms(t *testing.T) {
	db := open(t)
	for _, f := range filters.Keyed() {
		for _, form := range f.Forms() {
			s, err := f.Make(form.Params)
			if err != nil {
				t.Fatal(err)
			}
			want(t, db, fmt.Sprintf("%X", s.Blob()), fmt.Sprintf("SELECT hex(%s_empty({%s}))", f.About().Name, form.Options))
		}
	}
}

// TestDifferingOptionsOfKeysThatWait: options that differ between chunks are an error for buffered
// keys too.
func TestDifferingOptionsOfKeysThatWait(t *testing.T) {
	db := open(t)
	exec(t, db, `SET threads = 1`)
	for _, groups := range []int{1, 100, 3000, 30000} { // within a chunk; in adjacent chunks; in a page; in different states
		_, err := ask(db, fmt.Sprintf(`SELECT count(s) FROM (SELECT cms_agg(i, {width: CASE WHEN i < 40960 THEN 50 ELSE 60 END}) AS s FROM range(81920) t(i) GROUP BY i %% %d)`, groups))
		if err == nil || !strings.Contains(err.Error(), "options differ within a group: width 50 vs 60") {
			t.Errorf("%d groups: %v", groups, err)
		}
	}
	// Wrong options are an error, although no sketch is built before the end.
	_, err := ask(db, `SELECT count(s) FROM (SELECT cms_agg(i, {width: 50, epsilon: 0.1}) AS s FROM range(10) t(i) GROUP BY i)`)
	if err == nil || !strings.Contains(err.Error(), "give one of them") {
		t.Error(err)
	}
}
