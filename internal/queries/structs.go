// Package queries generates random queries that check themselves, for every host and every version
// of DuckDB: windows with STRUCTs, and many functions in one query.
//
// The last statement of a query returns one row. n is the number of checked rows; bad, bad0, bad1,
// ... are the numbers of wrong ones.
package queries

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
)

// Structs returns the statements of the query with this number of a seed. Its aggregates in windows
// have STRUCTs as keys and options. They are compared with GROUP BY.
func Structs(seed uint64, number int) []string {
	d := NewDraw(seed, uint64(number))
	return []string{values{Draw: d, Rows: d.Uneven(maxRows)}.statement("table"), values{Draw: d}.query()}
}

// maxRows exceeds two chunks of DuckDB, so that a partition can be longer than a chunk.
const maxRows = 5000

//go:embed queries.sql
var files embed.FS

var statement = Templates(files, "queries.sql", template.FuncMap{"parts": func(rows, n int) int { return (rows + n - 1) / n }})

// values fill in the templates of queries.sql. The Draw makes their choices.
type values struct {
	Draw
	Rows, Levels int
	Key          string
}

func (v values) statement(name string) string { return statement(name, v) }

// Column, Constant, Structure and Inner return fields of STRUCTs, for templates. Structure has at most so many
// levels, Inner one less than v.
func (v values) Column() string   { return v.statement("column") }
func (v values) Constant() string { return v.statement("constant") }
func (v values) Inner() string    { return v.Structure(v.Levels - 1) }
func (v values) Structure(levels int) string {
	v.Levels = levels
	return v.statement("structure")
}

// spatial returns an aggregate of points.
func (v values) spatial() string {
	if v.Chance(4) {
		return "ccbf_agg(x, y, 1, p)"
	}
	options := strings.Split(v.statement("spatial"), "\n")
	v.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
	return "ccbf_agg(x, y, 1, {" + strings.Join(options, ", ") + "})"
}

// query returns a query with 1 to 5 aggregates over whole partitions, mostly with another window.
// DuckDB turns a single window over partitions into a GROUP BY and a join.
func (v values) query() string {
	keys := []string{"k", v.Structure(3), v.Structure(3), v.statement("odd")}
	from := "points"
	if v.Chance(3) { // a subquery builds the third of the STRUCTs, as a column
		from = "(SELECT *, " + keys[2] + " AS b FROM points)"
		keys[2] = "b"
	}
	var calls, judged []string
	for j := range 1 + v.IntN(5) {
		v.Key = keys[v.IntN(len(keys))]
		call := v.statement("keyed")
		if v.Chance(3) {
			call = v.spatial()
		}
		if v.Chance(3) {
			call += " FILTER (WHERE " + v.One("i % 2 = 0", "w > 1", "g > 2", "x < 10", "i < 40") + ")"
		}
		// A call whose options depend on g is grouped by g, so that its options are constant in each
		// group. Other calls can be grouped by h.
		by := "g"
		if !strings.Contains(call, "g,") && !strings.Contains(call, "(g") && !strings.Contains(call, " o)") && !strings.Contains(call, " p)") && v.Chance(3) {
			by = "h"
		}
		order := ""
		if v.Chance(6) {
			call = v.statement("ordered")
			order = " ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
		}
		calls = append(calls, fmt.Sprintf("%s OVER (PARTITION BY %s%s) AS s%d", call, by, order, j))
		judged = append(judged, fmt.Sprintf("(SELECT count(*) FROM q JOIN (SELECT %[1]s AS by, %[2]s AS s FROM %[3]s GROUP BY ALL) r ON q.%[1]s IS NOT DISTINCT FROM r.by WHERE q.s%[4]d IS DISTINCT FROM r.s) AS bad%[4]d", by, call, from, j))
	}
	for range v.IntN(3) {
		calls = append(calls, v.One("sum(i) OVER (ORDER BY i)", "count(*) OVER (PARTITION BY i % 3)", "sum(i) OVER (PARTITION BY g ORDER BY i ROWS 2 PRECEDING)", "row_number() OVER (PARTITION BY h ORDER BY i)")+fmt.Sprintf(" AS w%d", len(calls)))
	}
	v.Shuffle(len(calls), func(i, j int) { calls[i], calls[j] = calls[j], calls[i] })
	return "WITH q AS MATERIALIZED (SELECT g, h,\n  " + strings.Join(calls, ",\n  ") + "\n  FROM " + from + ")\nSELECT (SELECT count(*) FROM q) AS n,\n  " + strings.Join(judged, ",\n  ")
}
