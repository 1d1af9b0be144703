package clients

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

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
					s := footprint(t, c)
					stages += fmt.Sprintf("\n%-16s %6.1f MB %3d threads", what, s.mb, s.threads)
				}
			}
			cycle := func() {
				t.Helper()
				if _, err := c.do("open", ":memory:"); err != nil {
					t.Fatal(err)
				}
				h := &Host{client: c}
				conn := connect(t, h)
				note("database open")
				mustExec(t, conn, "LOAD "+quote(extension(t)))
				note("loaded")
				// The memory of groups that LIMIT leaves behind is freed with the database.
				got, err := ask(conn, "SELECT sum(ccbf_total(s)) FROM (SELECT ccbf_agg(i, i, 1, {category: 'a'}) s FROM range(20000) t(i) GROUP BY i % 500 LIMIT 100)")
				if err != nil || got != "4000" {
					t.Fatalf("%s, %v", got, err)
				}
				note("queried")
				if err := h.Close(); err != nil {
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
			before := footprint(t, c)
			for range rounds - rounds/10 {
				cycle()
			}
			after := footprint(t, c)
			t.Logf("%.1f MB and %d threads after %d rounds, %.1f MB and %d after %d",
				before.mb, before.threads, rounds/10, after.mb, after.threads, rounds)
			if after.mb > before.mb+20 {
				t.Errorf("grew by %.1f MB, want 20 at most", after.mb-before.mb)
			}
			if got, err := ask(connect(t, loaded(t, c, ":memory:")), "SELECT (ccbf_memory()).used"); err != nil || got != "0" {
				t.Errorf("%s bytes are held for databases that are closed, %v", got, err)
			}
			// Both runtimes start a few threads on demand. A leak would be one per round.
			if after.threads >= before.threads+10 {
				t.Errorf("%d threads more", after.threads-before.threads)
			}
		})
	}
}
