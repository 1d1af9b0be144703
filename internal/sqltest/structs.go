package sqltest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/test/structs"
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
