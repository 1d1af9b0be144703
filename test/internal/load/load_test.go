package load

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/queries"
)

var (
	count       = flag.Int("queries", 200, "`number` of random queries to run")
	seed        = flag.Uint64("seed", 1, "`seed` of the random queries")
	from        = flag.Int("from", 0, "`number` of the first query to run")
	connections = flag.Int("connections", 4, "most `connections` that query at once")
)

// A sample of the queries of make differential.
func TestDifferential(t *testing.T) {
	err := Options{Seed: *seed, From: *from, To: *from + *count, Connections: *connections}.Run(func(e Event) {
		switch {
		case e.Failure != "":
			t.Errorf("query %d: %s\n%s", e.Number, e.Failure, e.Script)
		case e.Counts != nil:
			t.Logf("%+v", *e.Counts)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// The large queries make DuckDB write temporary files, and their results are right.
func TestLargeSpill(t *testing.T) {
	d := database{Connections: 1, Settings: []string{"SET threads = 1", "SET memory_limit = '60MB'"}}
	_, conns, err := d.open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	forms := 1
	if os.Getenv("CCBF_LONG") != "" {
		forms = 3
	}
	seen := map[string]bool{}
	for seed := uint64(0); len(seen) < forms; seed++ {
		query := values{draw: queries.NewDraw(seed, 0), Windows: forms > 1}.statement("large")
		form, _, _ := strings.Cut(query, "FROM range")
		if seen[form] {
			continue
		}
		seen[form] = true
		var name, plan string
		if err := conns[0].QueryRowContext(t.Context(), "EXPLAIN (ANALYZE, FORMAT json) "+query).Scan(&name, &plan); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		var profile struct {
			Files int64 `json:"system_peak_temp_dir_size"`
		}
		if err := json.Unmarshal([]byte(plan), &profile); err != nil {
			t.Fatal(err)
		}
		if profile.Files == 0 {
			t.Errorf("nothing was written to files: %s", query)
		}
		if n, err := judge(t.Context(), conns[0], query); err != nil || n == 0 {
			t.Errorf("%s: %d rows, %v", query, n, err)
		}
	}
}

// TestNotices checks the checks: they notice every sketch that misses rows or has other rows.
func TestNotices(t *testing.T) {
	d := database{Connections: 1}
	d.Tables = []string{helpers, values{draw: queries.NewDraw(1, 1), Rows: 300}.statement("table")}
	_, conns, err := d.open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for seed := range uint64(60) {
		it := item{aggregate: anyAggregate(queries.NewDraw(seed, 2))}
		if it.fn == "cuckoo_agg" {
			continue // its total is unknown, and a missing key may be found by chance
		}
		for _, missing := range []string{"i % 3 > 0", "i < 299", "i < 0"} {
			p := spec{Table: "t0", Source: "@", Shape: "group", Items: []item{it}, Wrap: "@"}
			if n, err := judge(t.Context(), conns[0], p.SQL()); err != nil || n != 1 {
				t.Errorf("%d rows, %v: %s", n, err, p.SQL())
			}
			// The list of all rows, and the sketch of some rows or of others.
			p.Wrap = fmt.Sprintf("(SELECT b.s0, a.l0 FROM @ a, (SELECT %s FROM t0 WHERE %s) b)", it.call(it.fn, with(it.args, it.Options), false)+" AS s0", missing)
			var lost int
			keys := "list_transform(list_filter(list(" + it.Truth + "), lambda p: " + it.Valid + "), lambda p: " + it.Each + ")"
			if it.Weighted {
				keys = "flatten(" + keys + ")"
			}
			count := fmt.Sprintf("SELECT coalesce(len(%s), 0) FROM t0 WHERE NOT (%s)", keys, missing)
			if err := conns[0].QueryRowContext(t.Context(), count).Scan(&lost); err != nil {
				t.Fatalf("%s: %v", count, err)
			}
			if lost == 0 {
				continue
			}
			wrong++
			if _, err := judge(t.Context(), conns[0], p.SQL()); err == nil {
				t.Errorf("not noticed: %s", p.SQL())
			}
		}
	}
	if wrong < 60 {
		t.Errorf("only %d sketches were wrong", wrong)
	}
}
