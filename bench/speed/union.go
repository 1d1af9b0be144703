package main

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
)

// union merges dense sketches of 256 KiB.
func union(c report.Config, s *report.Section) {
	db := open(2)
	defer db.Close()
	n := report.Pick(c, 20, 100, 1000)
	w := newStopwatch(c, s, 2)
	s.Text("%d dense sketches of 256 KiB, made one by `ccbf_union_agg`; their kernel, called from Go; a plain loop that adds as many bytes, each of which stops at 255; and `copy` of as many bytes into one place.", n)
	t := s.Table("sketches", "counters in use", "ccbf_union_agg / kernel", "kernel / plain loop", "ccbf_union_agg / plain loop", "kernel / copy")
	var rows []report.Row
	for _, p := range []struct {
		name     string
		points   int
		promised string
		rate     float64 // bytes a second
	}{
		{"a third full", 23_000, "at least 2 GB/s", 2e9},
		{"nearly empty", 100, "at least 4 GB/s", 4e9},
	} {
		run(db, fmt.Sprintf(`CREATE OR REPLACE TABLE s AS SELECT ccbf_agg((hash(i, g, 1) %% 100000)::DOUBLE, (hash(i, g, 2) %% 100000)::DOUBLE, 1,
			{exact: false, mode: 'standard', bytes: 262144}) s FROM range(%d) t(i), range(%d) u(g) GROUP BY g`, p.points, n))
		fill := number(db, "SELECT avg((ccbf_info(s)).fill) FROM s")
		blobs := column[[]byte](db, "SELECT s FROM s")
		bytes := 0
		for _, b := range blobs {
			bytes += len(b)
		}
		sum := make([]byte, len(blobs[0]))
		took := w.inTurn(p.name, query(db, "ccbf_union_agg", "SELECT octet_length(ccbf_union_agg(s)) FROM s"),
			contender{name: "kernel", run: func() { unite(blobs) }},
			contender{name: "plain loop", fresh: func() { clear(sum) }, run: func() { addBytes(sum, blobs) }},
			loop("copy", func() {
				for _, b := range blobs {
					copy(sum, b)
				}
			}))
		sql := took[0].over(took[2])
		t.Row(p.name, report.Percent(fill), took[0].over(took[1]), took[1].over(took[2]), sql, took[1].over(took[3]))
		w.claim(took[0].rate("time of `ccbf_union_agg`, sketches "+p.name, p.promised, float64(bytes), p.rate, sql, "a plain loop"))
		rows = append(rows, sql.row(p.name, "ccbf_union_agg"), took[1].over(took[2]).row(p.name, "kernel"))
	}
	s.Short("a `ccbf_union_agg` on two threads takes %s of the time of a plain loop over bytes where counters are a third full, %s where nearly all are empty.", report.Num(rows[0].At), report.Num(rows[2].At))
	s.Rows("ratio", "Time of merging as a part of a plain loop's that adds bytes.", "time / plain loop", rows)
}

// unite merges sketches as ccbf_union_agg does.
func unite(blobs [][]byte) {
	var v ccbf.View
	report.Check(v.Reset(blobs[0]))
	b := ccbf.NewBuilder(v.Config, nil)
	for _, blob := range blobs {
		report.Check(v.Reset(blob))
		report.Check(b.AddView(&v))
	}
	report.Must(b.Sketch())
}

// addBytes adds with a ceiling, byte by byte.
func addBytes(sum []byte, blobs [][]byte) {
	for _, blob := range blobs {
		for i, v := range blob {
			sum[i] = byte(min(255, int(sum[i])+int(v)))
		}
	}
}
