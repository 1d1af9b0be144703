package test

import (
	"testing"

	"github.com/ccbfsql/ccbfsql"
)

// TestKeptSketchesGoWithTheDatabase: decoded sketches that are kept for the next query are freed when the
// database is closed.
func TestKeptSketchesGoWithTheDatabase(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE s AS SELECT ccbf_agg(i % 300, i // 300, 1) AS s FROM range(30000) t(i)")
	want(t, db, "40000", "SELECT sum(ccbf_get(s, i % 300, i // 300 % 100))::BIGINT FROM s, range(40000) t(i)")
	if ccbfsql.MemoryKept() == 0 {
		t.Error("nothing is kept")
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if kept := ccbfsql.MemoryKept(); kept != 0 {
		t.Errorf("%d bytes are kept, and the database is closed", kept)
	}
}
