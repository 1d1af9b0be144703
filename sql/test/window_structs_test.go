package test

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

// TestStructsInWindows: random windows with STRUCTs, compared with GROUP BY. CCBF_LONG=1: 10,000
// queries.
func TestStructsInWindows(t *testing.T) {
	conn, err := sqltest.DB(open(t), func() {}).Conn()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	sqltest.StructWindows(t, conn, 44, 0, sqltest.WindowCount(300))
	if refused := sqltest.OrderedStructs(t, conn); refused < 6 {
		t.Errorf("%d queries were refused: the others are right by chance", refused)
	}
}
