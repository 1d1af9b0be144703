package sqltest

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// WindowCount returns how many random queries a test runs: few, a third of them with -short, ten
// thousand with CCBF_LONG=1, or the number in CCBF_WINDOWS.
func WindowCount(few int) int {
	if n, err := strconv.Atoi(os.Getenv("CCBF_WINDOWS")); err == nil {
		return n
	}
	if os.Getenv("CCBF_LONG") != "" {
		return 10000
	}
	if testing.Short() {
		return few / 3
	}
	return few
}

// Random runs the queries first to first+n-1 of a seed, which check themselves, on 1 to 8 threads.
func Random(t testing.TB, c Conn, of func(seed uint64, number int) []string, seed uint64, first, n int) {
	t.Helper()
	defer func() {
		if err := c.Exec("RESET threads"); err != nil {
			t.Error(err)
		}
	}()
	wrong, refused := 0, 0
	for number := first; number < first+n && wrong < 3; number++ {
		steps := of(seed, number)
		last := len(steps) - 1
		for _, s := range append([]string{fmt.Sprintf("SET threads = %d", 1+number%8)}, steps[:last]...) {
			if err := c.Exec(s); err != nil {
				t.Fatalf("%v: %s", err, s)
			}
		}
		rows, err := c.Query("SELECT COLUMNS('bad.*')::VARCHAR FROM (" + steps[last] + ")")
		// DuckDB 1.3 has this error in windows without an order. The query is skipped.
		if err != nil && strings.Contains(err.Error(), "passes the same row again and again") {
			refused++
			continue
		}
		if err == nil && (len(rows) != 1 || slices.ContainsFunc(rows[0], func(n string) bool { return n != "0" })) {
			err = fmt.Errorf("numbers of bad rows: %v, want a row of zeros", rows)
		}
		if err != nil {
			wrong++
			t.Errorf("seed %d, query %d: %v\n%s", seed, number, err, strings.Join(steps, ";\n"))
		}
	}
	t.Logf("%d random queries of seed %d, %d wrong, %d refused", n, seed, wrong, refused)
}

// OrderedStructs runs aggregates over whole partitions with an order, for which DuckDB damages
// STRUCTs. Each must be an error or have the sketches of GROUP BY. It returns the number of errors.
// The STRUCTs have no text, because DuckDB would follow its damaged pointer.
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
