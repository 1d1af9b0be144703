package clients

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// long is a query that runs for minutes, and holds memory of the extension from its first rows on.
const long = "SELECT ccbf_total(ccbf_agg(i % 5000, i % 7000, 1, {category: i % 3})) FROM range(100000000000) t(i)"

// faults is the number of faults that a host raises and catches at a time.
const faults = "10000"

// life returns the number of signals that the host has seen so far. In Node it also returns the
// longest wait of a timer of 5 ms, in ms.
func life(t *testing.T, c *client) (signals, waited int) {
	t.Helper()
	rows, err := c.do("life")
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
				h := loaded(t, c, ":memory:")
				busy, other := connect(t, h), connect(t, h)
				mustExec(t, busy, "SET threads = 2")
				storm := func() {
					t.Helper()
					if _, err := c.do("storm", faults); err != nil {
						t.Fatal(err)
					}
				}
				ctrlC := func() {
					t.Helper()
					before, _ := life(t, c)
					if err := c.cmd.Process.Signal(os.Interrupt); err != nil {
						t.Fatal(err)
					}
					// If the signal never arrives, the time limit of go test ends this.
					for n := before; n == before; {
						n, _ = life(t, c)
					}
				}
				storm()
				ctrlC()

				query := c.begin("query", busy.name, long)
				for used := ""; used == "" || used == "0"; {
					got, err := ask(other, "SELECT (ccbf_memory()).used")
					if err != nil || query.ended() {
						t.Fatalf("the query does not begin, or ends at once: %v", err)
					}
					used = got
				}
				storm()
				for range 10 {
					ctrlC()
				}
				if name == "node" {
					_, waited := life(t, c)
					t.Logf("a timer of 5 ms waited for %d ms at most", waited)
				}
				if _, err := c.do("interrupt", busy.name); err != nil {
					t.Fatal(err)
				}
				_, err := query.wait()
				if err == nil || !strings.Contains(strings.ToLower(err.Error()), "interrupt") {
					t.Errorf("cancelled: error %v", err)
				}

				for _, conn := range []*conn{busy, other} {
					if got, err := ask(conn, "SELECT ccbf_total(ccbf_agg(i, i, 1)) FROM range(10000) t(i)"); err != nil || got != "10000" {
						t.Errorf("afterwards: %s, %v", got, err)
					}
				}
				storm()
				ctrlC()
			})
		}
	}
}
