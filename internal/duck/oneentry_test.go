package duck

import (
	"fmt"
	"strings"
	"testing"
)

// TestNeighbouringOneEntryArrays has queries with several window functions, or threads. Their
// one-entry arrays lie side by side on DuckDB's heap, so an entry of a living state follows each
// of them. Rows of different groups were mixed up when memory decided the kind of an array.
func TestNeighbouringOneEntryArrays(t *testing.T) {
	db, _ := openDB(t, toys())
	both := func(query string) {
		t.Helper()
		same(t, db, strings.ReplaceAll(query, "@", "toy_sum"), strings.ReplaceAll(query, "@", "sum"))
	}
	for size := 1; size <= 4; size++ {
		mustExec(t, db, fmt.Sprintf("CREATE OR REPLACE TABLE d AS SELECT i, i // %d AS g FROM range(20000) t(i)", size))
		for range rounds(2) {
			both(`SELECT sum(a * i), sum(b * i), sum(c * i) FROM (SELECT i, @(i) OVER w AS a,
				@(i + 1) OVER w AS b, @(i + 2) OVER w AS c FROM d WINDOW w AS (PARTITION BY g))`)
			both(`SELECT sum(a), sum(b), sum(c) FROM (SELECT g, @(i ORDER BY i) AS a,
				@(i + 1 ORDER BY i) AS b, @(i + 2 ORDER BY i) AS c FROM d GROUP BY g)`)
		}
	}
	db.SetMaxOpenConns(1)
	mustExec(t, db, "SET threads = 1")
	for range rounds(30) {
		for n := 2; n <= 4; n++ {
			both(fmt.Sprintf(`SELECT @(i) OVER () AS a, @(i + 1) OVER () AS b, @(i + 2) OVER () AS c,
				@(i + 3) OVER () AS d, @(i + 4) OVER () AS e FROM range(%d) t(i)`, n))
		}
	}
}

// Groups whose neighbour in the row is a count of 81 or 85 look like pages of
// malloc: nothing must be concluded from that.
func TestCountsThatLookLikeHeap(t *testing.T) {
	db, _ := openDB(t, toys())
	for _, n := range []int{80, 81, 84, 85, 86, 96, 97, 101, 102} {
		// Two rows to a chunk, one for each group, n chunks.
		mustExec(t, db, fmt.Sprintf(`CREATE OR REPLACE TABLE d AS
			SELECT i, i %% 2 AS g, i // 2 %% 1024 AS c FROM range(%d) t(i)`, 2048*n))
		q := "SELECT g, count(*), @(i), count(*) FILTER (i > 7), @(i + 1) FROM (SELECT * FROM d WHERE c = 0) GROUP BY g ORDER BY g"
		same(t, db, strings.ReplaceAll(q, "@", "toy_sum"), strings.ReplaceAll(q, "@", "sum"))
	}
}
