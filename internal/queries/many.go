package queries

import (
	"fmt"
	"strings"
)

// Three of every 250 queries of Windows have the largest size: if all had it, ten thousand queries
// would take an hour. The number of a query decides whether it is one of them, not chance.
const (
	largeOf       = 250
	manyFunctions = 11 // Number, modulo largeOf, of the queries with 64 functions.
	manyRows      = 37 // Number, modulo largeOf, of the queries with maxRows rows.
	manyOfBoth    = 59 // Number, modulo largeOf, of the queries with both.
)

// Windows returns the only statement of the query with a number of a seed. It calls Many, mostly with few
// functions and few rows. For these DuckDB hands an aggregate an array of states of which only the first exists.
// The memory behind it depends on the rest of the query.
func Windows(seed uint64, number int) []string {
	d := NewDraw(seed, uint64(number))
	functions, rows := d.Uneven(8), d.Uneven(60)
	if d.Chance(12) {
		functions, rows = d.Uneven(24), d.Uneven(600)
	}
	switch number % largeOf {
	case manyFunctions:
		functions = 64
	case manyRows:
		rows = maxRows
	case manyOfBoth:
		functions, rows = 64, maxRows
	}
	return []string{Many(d, functions, rows, !d.Chance(3))}
}

// mostFramed is the largest number of rows of a window whose frame grows from row to row, because
// each row has its own sketch.
const mostFramed = 700

// Many returns a query with a number of aggregates over a number of rows. They run in windows, or in
// groups with an order. DuckDB passes the states of such aggregates in arrays of one entry. The query
// checks that each sketch counts exactly its rows.
func Many(d Draw, functions, rows int, windows bool) string {
	overs := []string{" OVER (PARTITION BY g)", " OVER (PARTITION BY g)", " OVER (PARTITION BY g, i % 3)", " OVER ()"}
	if rows <= mostFramed {
		overs = append(overs, " OVER (PARTITION BY g ORDER BY i)", " OVER (ORDER BY i ROWS 3 PRECEDING)", " OVER (PARTITION BY g ORDER BY i // 3)",
			" OVER (PARTITION BY g ORDER BY i ROWS BETWEEN 7 PRECEDING AND 9 FOLLOWING)", " OVER (ORDER BY i ROWS BETWEEN 4 PRECEDING AND 2 FOLLOWING EXCLUDE TIES)",
			" OVER (PARTITION BY g ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)")
	}
	first, group := "i", ""
	if !windows {
		first, group = "min(i) AS least", d.One("", " GROUP BY g", " GROUP BY g", " GROUP BY ROLLUP (g)")
	} else if d.Chance(2) { // a second window: DuckDB would turn a single window over partitions into a join
		first += ", count(*) OVER (PARTITION BY g % 3) AS other"
	}
	var columns, bad []string
	for k := range functions {
		form := d.IntN(5)
		call := [...]string{"ccbf_agg(i + $at, 0, 1$order)", "cms_agg(i + $at, {width: 9, depth: 2}$order)", "bloom_agg(i + $at, {bits: 900, k: 3}$order)",
			"ccbf_union_agg(s$order)", "list(i$order)"}[form]
		find := [...]string{"ccbf_get(s$k, $i + $at, 0) <> 1", "cms_get(s$k, $i + $at) < 1", "NOT bloom_contains(s$k, $i + $at)", "ccbf_get(s$k, $i, 0) <> 1",
			"NOT list_contains(s$k, $i)"}[form]
		total := [...]string{"(sketch_info(s$k)).total", "len(s$k)"}[form/4]
		over, order, row := "", "", "i"
		if windows {
			over = d.One(overs...)
		} else {
			order, row = d.One("", " ORDER BY i DESC", " ORDER BY i DESC", " ORDER BY hash(i)"), "least"
		}
		fill := strings.NewReplacer("$at", fmt.Sprint(k*100000), "$order", order, "$over", over, "$k", fmt.Sprint(k), "$i", row)
		columns = append(columns, fill.Replace(call+"$over AS s$k, sum(1)$over AS m$k"))
		bad = append(bad, fill.Replace("coalesce("+total+" <> m$k OR "+find+", true)"))
	}
	return fmt.Sprintf("SELECT count(*) AS n, count(*) FILTER (%s) AS bad FROM (\n  SELECT %s, %s\n  FROM (SELECT i, i %% %d AS g, ccbf_add(ccbf_empty(1), i, 0) AS s FROM range(%d) t(i))%s)",
		strings.Join(bad, " OR "), first, strings.Join(columns, ",\n  "), d.Uneven(90), rows, group)
}
