package duck

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// The benchmarks measure the cost of the bridge, beside DuckDB's own functions in the same plan.
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

// One crossing from DuckDB into Go and back: a scalar that does nothing, less the
// same query without it, by chunk.
func BenchmarkCrossing(b *testing.B) {
	db, _ := openDB(b, []Function{oneArg("toy_idle", BigInt, BigInt, func(*Rows, *Result) error { return nil })})
	mustExec(b, db, "SET threads = 1")
	mustExec(b, db, "CREATE TABLE big AS SELECT i FROM range(2048 * 10000) t(i)")
	for b.Loop() {
		b.StopTimer()
		start := time.Now()
		mustAsk(b, db, "SELECT max(i) FROM big")
		plain := time.Since(start)
		b.StartTimer()
		start = time.Now()
		mustAsk(b, db, "SELECT max(toy_idle(i)) FROM big")
		b.ReportMetric(float64(time.Since(start)-plain)/10000, "ns/call")
	}
}

func BenchmarkPageLookup(b *testing.B) {
	for _, n := range []int{1, 1000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			withLimit(b, 1<<40)
			states := make([]State, n)
			for i := range states {
				l, err := newPage(&states[i], 1)
				if err != nil {
					b.Fatal(err)
				}
				l.Set(&states[i])
			}
			i, x := 0, uint64(1)
			for b.Loop() {
				x = x*6364136223846793005 + 1442695040888963407
				i = int(x>>33) % n
				if _, err := states[i].Page(); err != nil {
					b.Fatal(err)
				}
			}
			ReleaseAll()
		})
	}
}

func BenchmarkNewPageAndDrop(b *testing.B) {
	withLimit(b, 1<<40)
	var s State
	for b.Loop() {
		if _, err := newPage(&s, 100); err != nil {
			b.Fatal(err)
		}
	}
	s.Drop()
}
