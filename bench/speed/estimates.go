package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// estimates builds sketches beside DuckDB's own approximate aggregates, where both answer
// the same question, and beside the exact query.
func estimates(c report.Config, s *report.Section) {
	db := open(1)
	defer db.Close()
	n, keys := report.Pick(c, 20_000, 500_000, 2_000_000), report.Pick(c, 500, 50_000, 50_000)
	// (keys + 1)^u inverts the distribution function of the density 1/x from 1 on.
	run(db, fmt.Sprintf("CREATE TABLE k AS SELECT floor(exp((hash(i) %% 1000003 + 0.5) / 1000003 * ln(%d)))::INT AS key, 'key ' || key AS text FROM range(%d) t(i)", keys+1, n))
	questions := []struct {
		what         string
		theirs       string   // DuckDB's aggregate
		ours         []string // ours that answer it
		exact, query string
	}{
		{"frequent", "approx_top_k(%s, 100)", []string{"cms_agg(%s)", "sbf_agg(%s, {capacity: $n})"}, "GROUP BY", "SELECT max(n) FROM (SELECT count(*) AS n FROM k GROUP BY %s)"},
		{"different", "approx_count_distinct(%s)", []string{"bloom_agg(%s, {capacity: $n})", "bloom_agg(%s, {grow: true})"}, "DISTINCT", "SELECT count(DISTINCT %s) FROM k"},
	}
	w := newStopwatch(c, s)
	s.Text("%d keys from %d, where the frequency of rank r is in proportion to 1/r, on one thread: whole numbers, and texts of 5 to 9 letters. "+
		"`approx_top_k` of a hundred keys lists the most frequent ones, while a sketch says how frequent given keys are; `bloom_info` of a Bloom filter estimates the number of distinct keys, as `approx_count_distinct` does. "+
		"[CHOOSING.md](CHOOSING.md#beside-duckdbs-own-and-datasketches) says which to take.", n, keys)
	t := s.Table("keys", "question", "sketch", "time / DuckDB's own", "time / exact")
	var rows []report.Row
	for _, column := range []struct{ name, kind string }{{"key", "numbers"}, {"text", "texts"}} {
		for _, q := range questions {
			contenders := []contender{
				query(db, "DuckDB's own", fmt.Sprintf("SELECT len((%s)::VARCHAR) FROM k", fmt.Sprintf(q.theirs, column.name))),
				query(db, q.exact, fmt.Sprintf(q.query, column.name)),
			}
			var names []string
			for _, ours := range q.ours {
				call := ofKeys(ours, column.name, keys)
				contenders = append(contenders, query(db, call, "SELECT octet_length("+call+") FROM k"))
				names = append(names, ofKeys(ours, "key", keys))
			}
			took := w.inTurn(q.what+", "+column.kind, contenders...)
			for i, name := range names {
				own, exact := took[2+i].over(took[0]), took[2+i].over(took[1])
				t.Row(column.kind, q.what, "`"+name+"`", own, exact)
				rows = append(rows, own.row(name, column.kind))
				w.s.Keep(fmt.Sprintf("time of `%s` / DuckDB's own, %s", name, column.kind), own)
			}
		}
	}
	s.Short("`cms_agg` takes %s, `sbf_agg` %s of the time of `approx_top_k`; a Bloom filter takes %s times that of `approx_count_distinct`, for whole numbers.",
		report.Num(rows[0].At), report.Num(rows[1].At), report.Num(rows[2].At))
	s.Rows("ratio", "Time of sketches of keys, as a part of that of DuckDB's own approximate aggregate.", "time / DuckDB's own", rows)
}

// ofKeys is the call of an aggregate on a column of so many different keys.
func ofKeys(call, column string, keys int) string {
	return strings.ReplaceAll(fmt.Sprintf(call, column), "$n", strconv.Itoa(keys))
}
