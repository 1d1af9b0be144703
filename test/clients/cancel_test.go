package clients

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// endless are queries that run until they are cancelled, once they hold a number of bytes. A chunk
// of rows with 2,048 larger sketches takes longer; docs/EXTENSION.md says how long.
var endless = []struct {
	holds int
	query string
}{
	{1, "SELECT octet_length(ccbf_agg(i, i * 7, 1, {bytes: 1073741824})) FROM range(100000000000) t(i)"},
	{50 << 20, "SELECT octet_length(ccbf_agg(i, i * 7, 1, {bytes: 1073741824})) FROM range(100000000000) t(i)"},
	{1, "SELECT octet_length(ccbf_agg(i, i * 7, 1, {exact: false, k: 32, bytes: 134217728})) FROM range(100000000000) t(i)"},
	{1, "SELECT octet_length(ccbf_agg(i, i * 7, 1, {category: i % 100})) FROM range(100000000000) t(i)"},
	{10 << 20, "SELECT count(s) FROM (SELECT ccbf_agg(i, i, 1) OVER (ORDER BY i ROWS 20000 PRECEDING) s FROM range(200000) t(i))"},
	{50 << 20, "SELECT count(s) FROM (SELECT ccbf_agg(i, i * 7, 1) s FROM range(100000000000) t(i) GROUP BY i % 1000)"},
	{1, "SELECT octet_length(ccbf_union_agg(s)) FROM dense, range(1000000000)"},
	{1, "SELECT octet_length(ccbf_intersect_agg(s)) FROM small, range(1000000000)"},
	{1, "SELECT octet_length(cms_agg(i, {width: 10000000, depth: 10})) FROM range(100000000000) t(i)"},
	{1, "SELECT octet_length(cms_union_agg(s)) FROM counts, range(1000000000)"},
}

// TestCancel: a cancelled query stops after the chunk of rows on which its aggregate works, and the
// process goes on. The log has the time: below a second on one thread of an idle machine. The time
// limit of go test ends a query that does not stop.
func TestCancel(t *testing.T) {
	for _, v := range []string{libraries(t)[0], newest(t)} {
		t.Run(v, func(t *testing.T) {
			p := cHost(t, v)
			p.load(1, extension(t))
			p.load(2, extension(t)) // watches the query
			for _, s := range []string{
				"SET threads = 1",
				"CREATE TABLE dense AS SELECT ccbf_agg(i, i % 97, 1, {exact: false}) s FROM range(100000) t(i)",
				"CREATE TABLE small AS SELECT ccbf_agg(i, i % 97, 1, {exact: false, bytes: 16384}) s FROM range(100000) t(i)",
				"CREATE TABLE counts AS SELECT cms_agg(i) s FROM range(100000) t(i)",
			} {
				p.sql(1, s)
			}
			cpu := func() (ms float64) {
				t.Helper()
				if _, err := fmt.Sscan(p.do("cpu"), &ms); err != nil {
					t.Fatal(err)
				}
				return ms
			}
			held := func() int {
				t.Helper()
				n, err := strconv.Atoi(p.sql(2, "SELECT (ccbf_memory()).used"))
				if err != nil {
					t.Fatal(err)
				}
				return n
			}
			for _, e := range endless {
				q, before := e.query, held()
				p.do("start 1 %s", q)
				for held() < before+e.holds {
					runtime.Gosched()
				}
				p.do("interrupt 1")
				began := cpu()
				wall, answer, _ := strings.Cut(p.do("wait"), " ")
				took := cpu() - began
				if !strings.Contains(answer, "INTERRUPT") {
					t.Errorf("%s: %s %s", q, wall, answer)
				}
				t.Logf("%s ms, %.0f of processor time: %s", wall, took, q)
				if got := p.sql(1, ten); got != "10" {
					t.Errorf("afterwards: %s", got)
				}
			}
		})
	}
}
