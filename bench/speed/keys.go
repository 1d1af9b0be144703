package main

import (
	"fmt"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
)

// keyedBuilds builds sketches of keys beside what DuckDB would be asked otherwise.
func keyedBuilds(b *bench) {
	n := report.Pick(b.c, 20_000, 1_000_000, 5_000_000)
	b.make("keys", report.At{"n": n})
	b.Set("n", n)
	for _, keys := range []string{"different", "skewed"} {
		group, distinct := "SELECT count(n) FROM (SELECT count(*) AS n FROM k GROUP BY "+keys+")", "SELECT count(DISTINCT "+keys+") FROM k"
		many := int(duck.Number(b.db, distinct))
		for _, q := range []struct {
			name, options, beside, exact string
			promised                     float64 // of the exact query's time
		}{
			{"cms_agg", "epsilon: 0.0001", "GROUP BY", group, 0.6},
			{"bloom_agg", fmt.Sprint("capacity: ", many), "DISTINCT", distinct, 0.5},
			{"cuckoo_agg", fmt.Sprint("capacity: ", many), "DISTINCT", distinct, 0.6},
		} {
			r := b.compare(q.name+" / "+q.beside, report.At{"way": keys, "different": many, "aggregate": q.name, "beside": q.beside},
				b.query(q.beside+", "+keys, q.exact), b.query(q.name, fmt.Sprintf("SELECT octet_length(%s(%s, {%s})) FROM k", q.name, keys, q.options)))
			if keys == "different" || q.name == "cms_agg" {
				b.promise(r[0].atMost(fmt.Sprintf("time of `%s` / exact %s, %d keys, %s", q.name, q.beside, n, keys), q.promised))
			}
		}
	}
}

// estimates builds sketches beside DuckDB's own approximate aggregates, where both answer the
// same question, and beside the exact query.
func estimates(b *bench) {
	n, keys := report.Pick(b.c, 20_000, 500_000, 2_000_000), report.Pick(b.c, 500, 50_000, 50_000)
	b.make("estimates", report.At{"n": n, "keys": keys})
	b.Set("n", n, "keys", keys)
	for _, kind := range []string{"numbers", "texts"} {
		column := map[string]string{"numbers": "key", "texts": "text"}[kind]
		for _, q := range []struct {
			what, theirs string   // DuckDB's aggregate
			ours         []string // that answer the same
			exact, query string
		}{
			{"frequent", "approx_top_k(key, 100)", []string{"cms_agg(key)", "sbf_agg(key, {capacity: $n})"}, "GROUP BY", "SELECT max(n) FROM (SELECT count(*) AS n FROM k GROUP BY key)"},
			{"different", "approx_count_distinct(key)", []string{"bloom_agg(key, {capacity: $n})", "bloom_agg(key, {grow: true})"}, "DISTINCT", "SELECT count(DISTINCT key) FROM k"},
		} {
			of := func(text string) string {
				return strings.NewReplacer("key", column, "$n", fmt.Sprint(keys)).Replace(text)
			}
			contenders := []contender{b.query("DuckDB's own", of("SELECT len(("+q.theirs+")::VARCHAR) FROM k")), b.query(q.exact, of(q.query))}
			for _, ours := range q.ours {
				contenders = append(contenders, b.query(of(ours), of("SELECT octet_length("+ours+") FROM k")))
			}
			took := b.inTurn(q.what+", "+kind, contenders...)
			for i, ours := range q.ours {
				name := strings.ReplaceAll(ours, "$n", fmt.Sprint(keys))
				own := took[2+i].over(took[0])
				b.record(name, kind, own, report.At{"question": q.what})
				b.note("over exact", took[2+i].over(took[1]), report.At{"sketch": name, "of": kind})
				b.Keep(fmt.Sprintf("time of `%s` / DuckDB's own, %s", name, kind), own)
			}
		}
	}
}
