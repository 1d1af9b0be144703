package clients

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// long is a query that runs for minutes, and holds memory of the extension from its first rows on.
const long = "SELECT ccbf_total(ccbf_agg(i % 5000, i % 7000, 1, {category: i % 3})) FROM range(100000000000) t(i)"

// faults is the number of faults that a host raises and catches at a time.
const faults = "10000"

// life returns the number of signals that the host has seen so far. In Node it also returns the
// longest wait of a timer of 5 ms, in ms.
func life(t *testing.T, c *client) (signals, waited int) {
	t.Helper()
	rows, err := c.Do("life")
	if err == nil {
		_, err = fmt.Sscan(strings.Join(append(rows[0], "0"), " "), &signals, &waited)
	}
	if err != nil {
		t.Fatal(err)
	}
	return signals, waited
}

// TestGuest: the host goes on while the extension works in it. It receives its Ctrl-C, catches the
// faults that its own machine code raises on purpose, and cancels a query that would not end. Then
// everything works as before.
func TestGuest(t *testing.T) {
	for name, host := range hosts {
		vs := host.versions(t)
		for _, v := range []string{vs[0], vs[len(vs)-1]} {
			t.Run(name+" "+v, func(t *testing.T) {
				c := host.start(t, v)
				busy, other := connect(t, loaded(t, c, ":memory:")), connect(t, c)
				mustExec(t, busy, "SET threads = 2")
				storm := func() {
					t.Helper()
					if _, err := c.Do("storm", faults); err != nil {
						t.Fatal(err)
					}
				}
				ctrlC := func() {
					t.Helper()
					before, _ := life(t, c)
					if err := c.Cmd.Process.Signal(os.Interrupt); err != nil {
						t.Fatal(err)
					}
					// If the signal never arrives, the time limit of go test ends this.
					for n := before; n == before; {
						n, _ = life(t, c)
					}
				}
				storm()
				ctrlC()

				query := c.Begin("query", busy.name, long)
				for used := "0\n"; used == "0\n"; {
					used = mustAsk(t, other, "SELECT (ccbf_memory()).used")
					if query.Ended() {
						t.Fatal("the query does not begin, or ends at once")
					}
				}
				storm()
				for range 10 {
					ctrlC()
				}
				if name == "node" {
					_, waited := life(t, c)
					t.Logf("a timer of 5 ms waited for %d ms at most", waited)
				}
				if _, err := c.Do("interrupt", busy.name); err != nil {
					t.Fatal(err)
				}
				_, err := query.Wait()
				if err == nil || !strings.Contains(strings.ToLower(err.Error()), "interrupt") {
					t.Errorf("cancelled: error %v", err)
				}

				for _, conn := range []*conn{busy, other} {
					if got := mustAsk(t, conn, "SELECT ccbf_total(ccbf_agg(i, i, 1)) FROM range(10000) t(i)"); got != "10000\n" {
						t.Errorf("afterwards: %s", got)
					}
				}
				storm()
				ctrlC()
			})
		}
	}
}

// A host that repeatedly opens a database, loads the extension, works and closes the database does
// not grow. There are 50 rounds, or CCBF_ROUNDS.
func TestCycles(t *testing.T) {
	rounds := 50
	if text := os.Getenv("CCBF_ROUNDS"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 50 {
			t.Fatalf("CCBF_ROUNDS is %q, must be a number from 50", text)
		}
		rounds = n
	}
	for name, host := range hosts {
		t.Run(name, func(t *testing.T) {
			c := host.start(t, host.newest(t))
			stages, first := "", true
			note := func(what string) {
				if first {
					s := footprint(t, c.Cmd)
					stages += fmt.Sprintf("\n%-16s %6.1f MB %3d threads", what, s.mb, s.threads)
				}
			}
			cycle := func() {
				t.Helper()
				if _, err := c.Do("open", ":memory:"); err != nil {
					t.Fatal(err)
				}
				conn := connect(t, c)
				note("database open")
				mustExec(t, conn, "LOAD "+quote(extension(t)))
				note("loaded")
				// The memory of groups that LIMIT leaves behind is freed with the database.
				if got := mustAsk(t, conn, "SELECT sum(ccbf_total(s)) FROM (SELECT ccbf_agg(i, i, 1, {category: 'a'}) s FROM range(20000) t(i) GROUP BY i % 500 LIMIT 100)"); got != "4000\n" {
					t.Fatal(got)
				}
				note("queried")
				if _, err := c.Do("close"); err != nil {
					t.Fatal(err)
				}
				note("database closed")
			}
			life(t, c) // after the start
			note("started")
			cycle()
			t.Log(stages)
			first = false
			for range rounds/10 - 1 {
				cycle()
			}
			before := footprint(t, c.Cmd)
			for range rounds - rounds/10 {
				cycle()
			}
			after := footprint(t, c.Cmd)
			t.Logf("%.1f MB and %d threads after %d rounds, %.1f MB and %d after %d",
				before.mb, before.threads, rounds/10, after.mb, after.threads, rounds)
			if after.mb > before.mb+20 {
				t.Errorf("grew by %.1f MB, want 20 at most", after.mb-before.mb)
			}
			if got := mustAsk(t, connect(t, loaded(t, c, ":memory:")), "SELECT (ccbf_memory()).used"); got != "0\n" {
				t.Errorf("%s bytes are held for databases that are closed", got)
			}
			// Both runtimes start a few threads on demand. A leak would be one per round.
			if after.threads >= before.threads+10 {
				t.Errorf("%d threads more", after.threads-before.threads)
			}
		})
	}
}

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
				if _, err := fmt.Sscan(p.must("cpu"), &ms); err != nil {
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
				query := p.Begin("start", "query", "1", q)
				for held() < before+e.holds {
					runtime.Gosched()
				}
				interrupted := time.Now()
				p.must("interrupt", "1")
				began := cpu()
				answer, err := query.Wait()
				wall, took := time.Since(interrupted), cpu()-began
				if err == nil || !strings.Contains(err.Error(), "INTERRUPT") {
					t.Errorf("%s: %v %v %v", q, wall, answer, err)
				}
				t.Logf("%v, %.0f ms of processor time: %s", wall, took, q)
				p.works(1)
			}
		})
	}
}
