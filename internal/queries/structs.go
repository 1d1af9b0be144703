// Package queries generates random queries that check themselves, for every host and every version
// of DuckDB: windows with STRUCTs, and many functions in one query.
//
// The last statement of a query returns one row. n is the number of checked rows; bad, bad0, bad1,
// ... are the numbers of wrong ones.
package queries

import (
	"fmt"
	"strings"
)

// Structs returns the statements of the query with this number of a seed. Its aggregates in windows
// have STRUCTs as keys and options. They are compared with GROUP BY.
func Structs(seed uint64, number int) []string {
	d := NewDraw(seed, uint64(number))
	return []string{d.table(), d.query()}
}

// maxRows exceeds two chunks of DuckDB, so that a partition can be longer than a chunk.
const maxRows = 5000

func (d Draw) table() string {
	rows := d.uneven(maxRows)
	groups := func() string {
		n := d.uneven(300)
		switch d.IntN(5) {
		case 0:
			return fmt.Sprintf("i // %d", (rows+n-1)/n)
		case 1:
			return fmt.Sprintf("nullif(i %% %d, 1)", n)
		case 2:
			return fmt.Sprintf("(hash(i, 9) %% %d)::BIGINT", n)
		}
		return fmt.Sprintf("i %% %d", n)
	}
	return fmt.Sprintf(`CREATE OR REPLACE TEMP TABLE points AS SELECT *, %s AS k, %s AS o, {bytes: 60000 + 10 * coalesce(g, 0), weight: w} AS p FROM (
  SELECT i, %s AS g, %s AS h, hash(i) %% 20 AS x, hash(i, 1) %% 20 AS y, (1 + hash(i, 2) %% 4)::BIGINT AS w,
    if(hash(i, 3) %% 9 = 0, NULL, 'category number ' || hash(i, 3) %% 3) AS c, 'k' || hash(i, 4) %% 30 AS s,
    DATE '2024-01-01' + (hash(i, 5) %% 40)::INTEGER AS day FROM range(%d) t(i))`,
		d.structure(3), d.One("{width: 30 + coalesce(g, 0), weight: w}", "{width: 30, weight: nullif(w, 2)}", "{depth: 2, width: coalesce(g, 7) + 9}"),
		groups(), groups(), rows)
}

// constants are SQL expressions with a constant value. columns are SQL expressions whose value depends
// on the row.
var constants = []string{
	"7", "'short'", "'a text that is kept elsewhere'", "NULL::INTEGER", "NULL::VARCHAR", "2.5::DOUBLE", "true", "DATE '2024-02-29'",
	"170141183460469231731687303715884105727::HUGEINT", "3.25::DECIMAL(18, 2)", "'\\xAA\\x00'::BLOB", "INTERVAL 3 DAYS", "(-5)::TINYINT",
	"'b'::ENUM ('a', 'b')", "TIMESTAMP '2024-01-01 10:00:00'", "'c56a4180-65aa-42ec-a945-5fd21dec0538'::UUID",
}

var columns = []string{
	"x", "y", "c", "s", "day", "w", "g", "h", "g + 1", "nullif(x, 3)", "x::DOUBLE", "c || '!'", "upper(s)", "[x, y][1]", "if(i % 7 = 0, NULL, s)",
	"CASE WHEN i >= 0 THEN 5 ELSE x END", "CASE WHEN i < 100 THEN 5 ELSE x END", "coalesce(c, 'a text that is kept elsewhere')", "0 * i + 7", "{v: x, u: s}.u",
	"(x % 3)::VARCHAR", "x::DECIMAL(9, 2)", "y > 9", "i // 100",
}

// structure returns a STRUCT of 1 to 4 fields. The first can be a STRUCT with fewer levels.
func (d Draw) structure(levels int) string {
	var fields []string
	for j := range 1 + d.IntN(4) {
		f := columns[d.IntN(len(columns))]
		if d.Chance(2) {
			f = constants[d.IntN(len(constants))]
		}
		if j == 0 && levels > 1 && d.Chance(3) {
			f = d.One("{p: 1, q: 'a constant in a constant'}", "NULL::STRUCT(p INTEGER, q VARCHAR)", "if(i % 5 = 0, NULL, {p: x, q: 2})", d.structure(levels-1), d.structure(levels-1))
		}
		fields = append(fields, fmt.Sprintf("f%d: %s", j, f))
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// keyed returns an aggregate of keys. key is an expression.
func (d Draw) keyed(key string) string {
	switch d.IntN(5) {
	case 0:
		return "bloom_agg(" + key + ", " + d.One("{capacity: 300}", "{capacity: 300, fpp: 0.1}", "{capacity: 200 + coalesce(g, 0), fpp: 0.1, seed: 3}") + ")"
	case 1:
		return "cms_agg(" + key + ", o)"
	case 2:
		return "cms_agg(" + key + ", " + d.One("{width: 30, weight: w}", "{width: 30 + coalesce(g, 0), depth: 2, weight: nullif(w, 3)}", "{weight: 2, width: 20}",
			"{weight: w, width: 20, seed: 5, depth: NULL}", "{epsilon: 0.1, delta: 0.5, weight: w}", "{width: 30, weight: CASE WHEN i >= 0 THEN 2 ELSE w END}") + ")"
	}
	return "cms_agg(" + key + d.One(")", ", {width: 30})", ", {width: 30, depth: 2})")
}

// spatial returns an aggregate of points. key is an expression.
func (d Draw) spatial(key string) string {
	if d.Chance(4) {
		return "ccbf_agg(x, y, 1, p)"
	}
	var options []string
	switch d.IntN(4) {
	case 0:
		options = append(options, "exact: false", "mode: 'standard'", "layers: [4, 8]", "counters: [64, 16]")
		if d.Chance(2) {
			options = append(options, "k: "+d.One("2", "1 + coalesce(g, 1) % 3"))
		}
	case 1:
		options = append(options, "bytes: "+d.One("60000", "60000 + coalesce(g, 0)", "60000 + 0 * i", "CASE WHEN i >= 0 THEN 70000 ELSE i END"))
	case 2:
		options = append(options, "bytes: 60000", "seed: "+d.One("7", "coalesce(g, 3)", "NULL"))
	}
	if d.Chance(2) {
		options = append(options, "weight: "+d.One("w", "w", "2", "nullif(w, 2)", "coalesce(g, 2) % 3 + 1"))
	}
	if d.Chance(2) || len(options) == 0 {
		options = append(options, "category: "+d.One("c", "s", "'a text that is kept elsewhere'", "'short'", "NULL", "g", key, key, "{a: 7, b: c}"))
	}
	d.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
	return "ccbf_agg(x, y, 1, {" + strings.Join(options, ", ") + "})"
}

// ordered are aggregates that are allowed over whole partitions with an order.
var ordered = []string{
	"cms_agg(x, {width: 30, depth: 2})", "cms_agg({a: c})", "bloom_agg(s, {capacity: 300, fpp: 0.1})", "ccbf_agg(x, y, 1, {bytes: 60000, seed: 7})",
	"ccbf_agg(x, y, 1, {exact: false, mode: 'standard', layers: [4, 8], counters: [64, 16]})", "ccbf_agg(x, y, 1, {category: 'short', bytes: 60000})",
}

// query returns a query with 1 to 5 aggregates over whole partitions, mostly with another window.
// DuckDB turns a single window over partitions into a GROUP BY and a join.
func (d Draw) query() string {
	keys := []string{"k", d.structure(3), d.structure(3), d.One(
		"struct_insert({a: x, b: c}, z := 'a text that is kept elsewhere')", "struct_insert({a: 7, b: c}, z := x)", "{a: 7, b: x}::STRUCT(a BIGINT, b DOUBLE)", "row(x, 7, NULL::VARCHAR)",
		"CASE WHEN i % 2 = 0 THEN {a: 7, b: c} ELSE {a: 9, b: s} END", "CASE WHEN i >= 0 THEN {a: 7, b: c} ELSE {a: 9, b: s} END", "CASE WHEN i % 3 = 0 THEN NULL ELSE {a: 7, b: c} END",
		"[{a: 7, b: c}, {a: x::INTEGER, b: 'short'}][1 + i % 2]", "coalesce(if(i % 4 = 0, {a: 7, b: c}, NULL), {a: 8, b: s})", "{a: 7, b: {c: NULL::DATE, d: {e: 'z', f: c}}}",
		"struct_extract({a: 1, b: {c: 7, d: x}}, 'b')", "{a: 7, b: random() < 2, c: x}")}
	from := "points"
	if d.Chance(3) { // a subquery builds the third of the STRUCTs, as a column
		from = "(SELECT *, " + keys[2] + " AS b FROM points)"
		keys[2] = "b"
	}
	var calls, judged []string
	for j := range 1 + d.IntN(5) {
		key := keys[d.IntN(len(keys))]
		call := d.keyed(key)
		if d.Chance(3) {
			call = d.spatial(key)
		}
		if d.Chance(3) {
			call += " FILTER (WHERE " + d.One("i % 2 = 0", "w > 1", "g > 2", "x < 10", "i < 40") + ")"
		}
		// A call whose options depend on g is grouped by g, so that its options are constant in each
		// group. Other calls can be grouped by h.
		by := "g"
		if !strings.Contains(call, "g,") && !strings.Contains(call, "(g") && !strings.Contains(call, " o)") && !strings.Contains(call, " p)") && d.Chance(3) {
			by = "h"
		}
		order := ""
		if d.Chance(6) {
			call = d.One(ordered...)
			order = " ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
		}
		calls = append(calls, fmt.Sprintf("%s OVER (PARTITION BY %s%s) AS s%d", call, by, order, j))
		judged = append(judged, fmt.Sprintf("(SELECT count(*) FROM q JOIN (SELECT %[1]s AS by, %[2]s AS s FROM %[3]s GROUP BY ALL) r ON q.%[1]s IS NOT DISTINCT FROM r.by WHERE q.s%[4]d IS DISTINCT FROM r.s) AS bad%[4]d", by, call, from, j))
	}
	for range d.IntN(3) {
		calls = append(calls, d.One("sum(i) OVER (ORDER BY i)", "count(*) OVER (PARTITION BY i % 3)", "sum(i) OVER (PARTITION BY g ORDER BY i ROWS 2 PRECEDING)", "row_number() OVER (PARTITION BY h ORDER BY i)")+fmt.Sprintf(" AS w%d", len(calls)))
	}
	d.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	return "WITH q AS MATERIALIZED (SELECT g, h,\n  " + strings.Join(calls, ",\n  ") + "\n  FROM " + from + ")\nSELECT (SELECT count(*) FROM q) AS n,\n  " + strings.Join(judged, ",\n  ")
}
