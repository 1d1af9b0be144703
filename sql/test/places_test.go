package test

import (
	"testing"

	"github.com/ccbfsql/ccbfsql"
)

// TestSketchesAskedOnceAreNotKept: of many sketches with one lookup each, none stays decoded.
func TestSketchesAskedOnceAreNotKept(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE s AS SELECT k, ccbf_agg(k + i, i, 1) AS s FROM range(30000) t(k), range(3) u(i) GROUP BY k")
	want(t, db, "30000|30000|0", "SELECT count(*), sum(ccbf_get(s, k + 1, 1))::BIGINT, max((ccbf_memory()).kept) FROM s")
}

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
