//go:build cgo

package connector

import (
	"context"
	"database/sql/driver"
	"testing"
)

// queryMonitor is a context that notes how many queries ran when the driver asked for it.
type queryMonitor struct {
	context.Context
	c    *Connector
	most *int
}

func (w queryMonitor) Err() error {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	*w.most = max(*w.most, w.c.running)
	return w.Context.Err()
}

// TestPrepareCounts: the driver runs all but the last of the statements that it prepares, and they count as
// a query. If they did not, the end of another query would take the memory of their groups.
func TestPrepareCounts(t *testing.T) {
	c, err := New("")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	conn, err := c.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	most := 0
	stmt, err := conn.(driver.ConnPrepareContext).PrepareContext(queryMonitor{t.Context(), c, &most}, "CREATE TABLE a AS SELECT 1; SELECT 2")
	if err != nil {
		t.Fatal(err)
	}
	if most != 1 || c.running != 0 {
		t.Errorf("%d queries run while it is prepared, want 1; %d after it, want 0", most, c.running)
	}
	if err := stmt.Close(); err != nil {
		t.Fatal(err)
	}
}
