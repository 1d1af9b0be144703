package duck

import (
	"fmt"
	"strings"
	"testing"
)

// manyWindows is a query with n functions over one constant window, each its own
// state. DuckDB lays their one-entry arrays side by side, in any order.
func manyWindows(f string, n int, over string) string {
	var a, t strings.Builder
	for k := range n {
		fmt.Fprintf(&a, ", %s(i + %d) OVER (%s) a%d", f, k, over, k)
		fmt.Fprintf(&t, " + a%d", k)
	}
	return fmt.Sprintf("SELECT sum(0%s), min(n) FROM (SELECT count(*) OVER (PARTITION BY g %% 2) n%s FROM w)", t.String(), a.String())
}

// TestManyWindowFunctions has queries that crashed while the memory behind an array of one entry
// was read. That memory depends on everything else that runs.
func TestManyWindowFunctions(t *testing.T) {
	db, _ := openDB(t, toys())
	for _, w := range []struct {
		threads, rows, groups int
	}{{1, 64, 1}, {1, 5000, 1}, {8, 90 * 64, 90}, {8, 900, 300}} {
		mustExec(t, db, fmt.Sprintf("SET threads = %d; CREATE OR REPLACE TABLE w AS SELECT i, i %% %d AS g FROM range(%d) t(i)", w.threads, w.groups, w.rows))
		for _, n := range []int{2, 16, 64} {
			for range 2 {
				same(t, db, manyWindows("toy_sum", n, "PARTITION BY g"), manyWindows("sum", n, "PARTITION BY g"))
			}
		}
	}
}
