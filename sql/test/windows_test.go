package test

import (
	"fmt"
	"strings"
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

// TestManyConstantWindows: 64 constant windows on one thread, and a window over other partitions
// beside them.
func TestManyConstantWindows(t *testing.T) {
	db := open(t)
	var agg, total strings.Builder
	for k := range 64 {
		fmt.Fprintf(&agg, ", ccbf_agg(i + %d, 0, 1) OVER (PARTITION BY g) a%d", k, k)
		fmt.Fprintf(&total, " + ccbf_total(a%d)", k)
	}
	exec(t, db, "SET threads = 1")
	got, err := ask(db, "SELECT sum(0"+total.String()+") FROM (SELECT count(*) OVER (PARTITION BY g % 3) n"+agg.String()+" FROM (SELECT i, 0 AS g FROM range(64) t(i)))")
	if err != nil || got != "262144" { // 64 functions, 64 rows, 64 points
		t.Errorf("%s, %v", got, err)
	}
}
