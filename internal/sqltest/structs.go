package sqltest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/structs"
)

// StructWindows asks queries first to first+n-1 of a seed of package structs. All
// sketches must be those of GROUP BY, and none may be refused.
func StructWindows(t testing.TB, c Conn, seed uint64, first, n int) {
	t.Helper()
	defer func() {
		if err := c.Exec("RESET threads"); err != nil {
			t.Error(err)
		}
	}()
	wrong := 0
	for number := first; number < first+n && wrong < 3; number++ {
		steps := structs.Steps(seed, number)
		threads := 1 + number%3
		if err := c.Exec(fmt.Sprintf("SET threads = %d; ", threads) + steps[0]); err != nil {
			t.Fatal(err)
		}
		rows, err := c.Query(steps[1])
		if err == nil && (len(rows) != 1 || len(strings.Trim(strings.Join(rows[0][1:], ""), "0")) > 0) {
			err = fmt.Errorf("answer %v, want 0 after the number of rows", rows)
		}
		if err != nil {
			wrong++
			t.Errorf("seed %d, query %d, %d threads: %v\n%s", seed, number, threads, err, strings.Join(steps, ";\n"))
		}
	}
}

// OrderedStructs asks aggregates over whole partitions with an order, where DuckDB
// damages STRUCTs: they are refused, or the sketches are those of GROUP BY. It returns
// how many are refused. DuckDB follows damaged text: there is none.
func OrderedStructs(t testing.TB, c Conn) (refused int) {
	t.Helper()
	const order = " OVER (PARTITION BY g ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"
	for _, call := range []struct {
		args, over string
		sound      bool
	}{
		{"cms_agg({a: 12345, b: x}%s)", order, false},
		{"cms_agg({a: 12345, n: NULL::INTEGER, b: x}, {width: 30}%s)", order, false},
		{"cms_agg(x, {width: 30, weight: w}%s)", order, false},
		{"bloom_agg(x, {capacity: 300 + g, seed: 7}%s)", order, false},
		{"cms_agg({a: 12345, b: x}%s)", " ORDER BY x", false},
		{"cms_agg(x, {width: 30, depth: 2}%s)", order, true},
		{"cms_agg(x, {width: 30, depth: 2}%s)", " ORDER BY x", true},
		{"cms_agg({a: x}, {width: 30}%s)", order, true},
		{"ccbf_agg(x, w, 1, {exact: false, mode: 'standard', layers: [4, 8], counters: [64, 16]}%s)", order, true},
	} {
		for _, rows := range []int{155, 3000} {
			inner, over := call.over, " OVER (PARTITION BY g)"
			if call.over == order {
				inner, over = "", order
			}
			from := fmt.Sprintf("(SELECT i, hash(i) %% 20 AS x, (1 + hash(i, 1) %% 4)::BIGINT AS w, i // 12 AS g FROM range(%d) t(i))", rows)
			query := fmt.Sprintf("SELECT count(*) FROM (SELECT g, %s AS s, sum(i) OVER (ORDER BY i) FROM %s) q JOIN (SELECT g, %s AS s FROM %s GROUP BY g) r USING (g) WHERE q.s IS DISTINCT FROM r.s",
				fmt.Sprintf(call.args, inner)+over, from, fmt.Sprintf(call.args, ""), from)
			answer, err := c.Query(query)
			switch {
			case err == nil && answer[0][0] != "0":
				t.Errorf("%s rows have a sketch that GROUP BY does not give: %s", answer[0][0], query)
			case err == nil:
			case call.sound || !strings.Contains(err.Error(), "use GROUP BY instead of the window"):
				t.Errorf("%v: %s", err, query)
			default:
				refused++
			}
		}
	}
	return refused
}
