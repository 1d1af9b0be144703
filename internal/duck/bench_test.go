package duck

import (
	"fmt"
	"strings"
	"testing"
)

// What the bridge itself costs, beside what DuckDB needs for the same plan.
func BenchmarkBridge(b *testing.B) {
	db, _ := openDB(b, toys())
	const rows = 4 << 20
	mustExec(b, db, fmt.Sprintf("CREATE TABLE big AS SELECT i, i %% 1000 AS g, i // 5 AS m FROM range(%d) t(i)", rows))
	mustExec(b, db, "SET threads = 1")
	for _, q := range []struct{ name, query string }{
		{"scalar", "SELECT max(@add(i, g)) FROM big"},
		{"ungrouped", "SELECT @(i) FROM big"},
		{"thousand_groups", "SELECT count(v) FROM (SELECT g, @(i) AS v FROM big GROUP BY g)"},
		{"groups_of_five", "SELECT count(v) FROM (SELECT m, @(i) AS v FROM big GROUP BY m)"},
	} {
		fns := []string{"toy_nothing", "toy_sum", "sum"}
		if q.name == "scalar" {
			fns = []string{"toy_", "-"}
		}
		for _, f := range fns {
			query := strings.ReplaceAll(q.query, "@", f)
			if f == "-" {
				query = "SELECT max(i + g) FROM big"
			}
			b.Run(q.name+"/"+f, func(b *testing.B) {
				for b.Loop() {
					mustAsk(b, db, query)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/rows, "ns/row")
			})
		}
	}
}

// Crossings from DuckDB into Go and back, with everything a callback sets up:
// ordered groups of two rows are updated and finalized one by one. The crossing
// is what this takes more than DuckDB's own sum.
func BenchmarkCrossing(b *testing.B) {
	db, _ := openDB(b, toys())
	mustExec(b, db, "SET threads = 1")
	mustExec(b, db, "CREATE TABLE one AS SELECT i FROM range(300000) t(i)")
	for _, f := range []string{"toy_nothing", "sum"} {
		b.Run(f, func(b *testing.B) {
			for b.Loop() {
				mustAsk(b, db, "SELECT count(v) FROM (SELECT "+f+"(i ORDER BY -i) AS v FROM one GROUP BY i // 2)")
			}
			// An update and a finalize to each group.
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/300000, "ns/call")
		})
	}
}

func BenchmarkBlockLookup(b *testing.B) {
	for _, n := range []int{1, 1000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			withLimit(b, 1<<40)
			states := make([]State, n)
			for i := range states {
				l, err := states[i].NewBlock(1)
				if err != nil {
					b.Fatal(err)
				}
				l.Set(&states[i])
			}
			i, x := 0, uint64(1)
			for b.Loop() {
				x = x*6364136223846793005 + 1442695040888963407
				i = int(x>>33) % n
				if _, err := states[i].Block(); err != nil {
					b.Fatal(err)
				}
			}
			ReleaseAll()
		})
	}
}

func BenchmarkNewBlockAndDrop(b *testing.B) {
	withLimit(b, 1<<40)
	var s State
	for b.Loop() {
		if _, err := s.NewBlock(100); err != nil {
			b.Fatal(err)
		}
	}
	s.Drop()
}
