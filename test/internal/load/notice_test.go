package load

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/queries"
)

// TestNotices checks the checks: they notice every sketch that misses rows or has other rows.
func TestNotices(t *testing.T) {
	d := Database{Connections: 1}
	d.Tables = []string{helpers, table(queries.NewDraw(1, 1), 0, 300)}
	_, conns, err := d.Open(t.Context(), t.TempDir())
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
			p := spec{table: "t0", source: "@", shape: "group", items: []item{it}, wrap: "@"}
			if n, err := judge(t.Context(), conns[0], p.SQL()); err != nil || n != 1 {
				t.Errorf("%d rows, %v: %s", n, err, p.SQL())
			}
			// The list of all rows, and the sketch of some rows or of others.
			p.wrap = fmt.Sprintf("(SELECT b.s0, a.l0 FROM @ a, (SELECT %s FROM t0 WHERE %s) b)", it.call(it.fn, with(it.args, it.options), false)+" AS s0", missing)
			var lost int
			keys := "list_transform(list_filter(list(" + it.truth + "), lambda p: " + it.valid + "), lambda p: " + it.each + ")"
			if strings.HasPrefix(it.each, "list_transform(") { // weights
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
