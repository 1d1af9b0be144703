package test

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

// TestRandomWindows: random windows and ORDER BY, compared with exact SQL. CCBF_LONG=1: 10,000
// queries.
func TestRandomWindows(t *testing.T) {
	conn, err := sqltest.DB(open(t), func() {}).Conn()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	sqltest.Windows(t, conn, 14, 0, sqltest.WindowCount(60))
}
