package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// besideExact is an aggregate of keys, the exact query for what it answers, and what part of
// that one's time it may take.
type besideExact struct {
	name, options string // options of SQL, for $n different keys
	exact, query  string
	promised      float64
}

// keyedBuilds builds sketches of keys beside what DuckDB would be asked otherwise.
func keyedBuilds(c report.Config, s *report.Section) {
	db := open(2)
	defer db.Close()
	n := report.Pick(c, 20_000, 1_000_000, 5_000_000)
	// As in aggregate: u^-5 inverts the distribution function of ranks of Zipf's law.
	const rank = "floor(((%d::DOUBLE ^ -0.2 - 1) * ((hash(i, 1) %% 1000000007) / 1000000007.0) + 1) ^ -5)::BIGINT"
	run(db, fmt.Sprintf("CREATE TABLE k AS SELECT (hash(i) >> 1)::BIGINT AS different, (hash("+rank+") >> 1)::BIGINT AS skewed FROM range(%d) t(i)", 1<<24, n))
	const (
		group    = "SELECT count(n) FROM (SELECT count(*) AS n FROM k GROUP BY $k)"
		distinct = "SELECT count(DISTINCT $k) FROM k"
	)
	besides := []besideExact{
		{"cms", "{epsilon: 0.0001}", "GROUP BY", group, 0.6},
		{"bloom", "{capacity: $n}", "DISTINCT", distinct, 0.5},
		{"cuckoo", "{capacity: $n}", "DISTINCT", distinct, 0.6},
	}
	w := newStopwatch(c, s)
	s.Text("%d whole numbers on two threads: all different, and following Zipf's law with exponent 1.2. `cms_agg` is compared with `count(*)` of each key by `GROUP BY`; `bloom_agg` and `cuckoo_agg`, made for as many keys as there are, with `count(DISTINCT)`. "+
		"DuckDB's time grows with the number of distinct keys, as its hash table outgrows the caches; a sketch's time grows far less, so exact counts of few keys are faster.", n)
	t := s.Table("keys", "different", "aggregate", "beside", "time / exact")
	var rows []report.Row
	for _, keys := range []string{"different", "skewed"} {
		k := strings.NewReplacer("$k", keys)
		many := int(number(db, k.Replace(distinct)))
		for _, b := range besides {
			ours := fmt.Sprintf("SELECT octet_length(%s_agg(%s, %s)) FROM k", b.name, keys, strings.ReplaceAll(b.options, "$n", strconv.Itoa(many)))
			took := w.inTurn(fmt.Sprintf("%s_agg, %s keys", b.name, keys), query(db, b.name+"_agg", ours), query(db, b.exact, k.Replace(b.query)))
			r := took[0].over(took[1])
			t.Row(keys, many, b.name+"_agg", b.exact, r)
			rows = append(rows, r.row(b.name+"_agg / "+b.exact, keys))
			if keys == "different" || b.name == "cms" {
				w.claim(r.atMost(fmt.Sprintf("time of `%s_agg` / exact %s, %d keys, %s", b.name, b.exact, n, keys), b.promised))
			}
		}
	}
	s.Short("`cms_agg` takes %s of the time of GROUP BY, `bloom_agg` %s and `cuckoo_agg` %s of that of DISTINCT, on %d different keys.",
		report.Num(rows[0].At), report.Num(rows[1].At), report.Num(rows[2].At), n)
	s.Rows("ratio", "Time of aggregates of keys, as a part of the exact query's.", "time / exact query", rows)
}
