package test

import (
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql"
)

// placesDB returns a database with points in eight columns of tiles, each with a kind, 40,000
// places q in random order, and the expected counts. Some places are NULL, and some have no points.
func placesDB(t *testing.T) *sql.DB {
	db := open(t)
	exec(t, db, "CREATE TABLE p AS SELECT i * i % 4099 - 2000 AS x, i % 61 AS y, (i * i % 4099) // 512 AS tile, i % 7 AS kind, 'kind ' || i % 7 AS name FROM range(60000) t(i)")
	exec(t, db, "CREATE TABLE tiles AS SELECT tile, ccbf_agg(x, y, 1) AS s, ccbf_agg(x, y, 1, {category: kind}) AS kinds, ccbf_agg(x, y, 1, {category: name, totals: true}) AS names FROM p GROUP BY tile")
	exec(t, db, "CREATE TABLE one AS SELECT ccbf_agg(x, y, 1) AS s, ccbf_agg(x, y, 1, {category: kind}) AS kinds, ccbf_agg(x, y, 1, {category: name, totals: true}) AS names FROM p")
	exec(t, db, `CREATE TABLE q AS SELECT i, if(i % 1000 = 7, NULL, x) AS x, if(i % 1000 = 8, NULL, y) AS y, tile, kind, name
		FROM (SELECT i, (hash(i) % 4300)::BIGINT - 2050 AS x, (hash(i, 1) % 64)::BIGINT AS y, (hash(i, 2) % 9)::BIGINT AS tile, (hash(i, 3) % 8)::BIGINT AS kind, 'kind ' || hash(i, 3) % 8 AS name FROM range(40000) t(i)) ORDER BY hash(i, 4)`)
	exec(t, db, "CREATE TABLE counted AS SELECT tile, kind, x, y, count(*) AS n FROM p GROUP BY ALL")
	return db
}

// asked are queries for the counts n of places, by the sketches and by the table.
var asked = []struct{ ours, exact string }{
	{"SELECT i, ccbf_get(s, x, y) AS n FROM q, one", "SELECT i, if(x IS NULL OR y IS NULL, NULL, coalesce(n, 0)) AS n FROM q LEFT JOIN (SELECT x, y, sum(n) AS n FROM counted GROUP BY ALL) c USING (x, y)"},
	{"SELECT i, ccbf_get(s, x, y) AS n FROM q JOIN tiles USING (tile)", "SELECT i, if(x IS NULL OR y IS NULL, NULL, coalesce(n, 0)) AS n FROM q LEFT JOIN (SELECT tile, x, y, sum(n) AS n FROM counted GROUP BY ALL) c USING (tile, x, y) WHERE tile IN (SELECT tile FROM tiles)"},
	{"SELECT i, ccbf_get(kinds, x, y, kind) AS n FROM q, one", "SELECT i, if(x IS NULL OR y IS NULL, NULL, coalesce(n, 0)) AS n FROM q LEFT JOIN (SELECT kind, x, y, sum(n) AS n FROM counted GROUP BY ALL) c USING (kind, x, y)"},
	{"SELECT i, ccbf_get(names, x, y, name) AS n FROM q JOIN tiles USING (tile)", "SELECT i, if(x IS NULL OR y IS NULL, NULL, coalesce(n, 0)) AS n FROM q LEFT JOIN counted USING (tile, kind, x, y) WHERE tile IN (SELECT tile FROM tiles)"},
	{"SELECT i, ccbf_get(names, x, y) AS n FROM q JOIN tiles USING (tile)", "SELECT i, if(x IS NULL OR y IS NULL, NULL, coalesce(n, 0)) AS n FROM q LEFT JOIN (SELECT tile, x, y, sum(n) AS n FROM counted GROUP BY ALL) c USING (tile, x, y) WHERE tile IN (SELECT tile FROM tiles)"},
}

func differing(ours, exact string) string {
	return fmt.Sprintf("SELECT count(*), count(*) FILTER (a.n IS DISTINCT FROM b.n), sum(b.n) > 0, (SELECT count(*) FROM (%[1]s)) = count(*) FROM (%[1]s) a JOIN (%[2]s) b USING (i)", ours, exact)
}

// TestPlacesAgreeWithTheTable: counts of places in any order equal those of the table, for one
// sketch and for nine in each chunk, with and without categories. They also do so if the budget
// leaves no room for decoded sketches, except for one of a quarter of it. When no query runs,
// decoded sketches have at most a thirty-second of the budget, and none when the database is
// closed.
func TestPlacesAgreeWithTheTable(t *testing.T) {
	db := placesDB(t)
	limit := mustAsk(t, db, "SELECT (ccbf_memory()).limit")
	defer exec(t, db, "SELECT ccbf_memory_limit("+limit+"::UBIGINT)")
	for _, budget := range []string{limit, "40000"} {
		exec(t, db, "SELECT ccbf_memory_limit("+budget+"::UBIGINT)")
		for _, threads := range []string{"1", "4"} {
			if budget != limit && threads != "1" {
				continue
			}
			exec(t, db, "SET threads = "+threads)
			for _, a := range asked {
				n := "40000"
				if strings.Contains(a.ours, "tiles") {
					n = mustAsk(t, db, "SELECT count(*) FROM q WHERE tile IN (SELECT tile FROM tiles)")
				}
				if got := mustAsk(t, db, differing(a.ours, a.exact)); got != n+"|0|true|true" {
					t.Errorf("%s threads, a budget of %s: %s: %s", threads, budget, a.ours, got)
				}
				most := mustAsk(t, db, "SELECT max((ccbf_memory()).kept + 0 * n) FROM ("+a.ours+")")
				if bytes, err := strconv.Atoi(most); err != nil || budget == limit && bytes == 0 || budget != limit && bytes > 10000 {
					t.Errorf("%s threads, a budget of %s: %s: %s bytes are kept, %v", threads, budget, a.ours, most, err)
				}
				if used, kept := ccbfsql.MemoryUsed(), ccbfsql.MemoryKept(); used != 0 || kept > ccbfsql.MemoryLimit()/32 {
					t.Fatalf("%s: %d bytes are used, %d kept, and no query runs", a.ours, used, kept)
				}
			}
		}
	}
}

// TestKeptFromQueryToQuery: decoded sketches stay for the next query, whose counts equal the table,
// and are freed with the database.
func TestKeptFromQueryToQuery(t *testing.T) {
	db := placesDB(t)
	for range 3 {
		if got := mustAsk(t, db, differing(asked[0].ours, asked[0].exact)); got != "40000|0|true|true" {
			t.Error(got)
		}
		if ccbfsql.MemoryKept() == 0 {
			t.Error("nothing is kept")
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if kept := ccbfsql.MemoryKept(); kept != 0 {
		t.Errorf("%d bytes are kept, and the database is closed", kept)
	}
}

// TestSketchesAskedOnceAreNotKept: of many sketches with one lookup each, none stays decoded.
func TestSketchesAskedOnceAreNotKept(t *testing.T) {
	db := open(t)
	exec(t, db, "CREATE TABLE s AS SELECT k, ccbf_agg(k + i, i, 1) AS s FROM range(30000) t(k), range(3) u(i) GROUP BY k")
	want(t, db, "30000|30000|0", "SELECT count(*), sum(ccbf_get(s, k + 1, 1))::BIGINT, max((ccbf_memory()).kept) FROM s")
}

// TestChangedSketchesAreNotTakenForOthers: a sketch is identified by its bytes. One with changed
// bytes and the same header and checksum is not confused with it, wherever both are in memory.
func TestChangedSketchesAreNotTakenForOthers(t *testing.T) {
	db := placesDB(t)
	exec(t, db, "SET threads = 1")
	var blob []byte
	if err := db.QueryRow("SELECT s FROM one").Scan(&blob); err != nil {
		t.Fatal(err)
	}
	changed := append([]byte(nil), blob...)
	for i := len(changed) / 2; i < len(changed); i++ { // the counts of half of the cells, or their positions
		changed[i] ^= 0x10
	}
	exec(t, db, "CREATE TABLE pair AS SELECT 0 AS k, ?::BLOB AS s UNION ALL SELECT 1, ?::BLOB", changed, blob)
	exact := "SELECT q.i, coalesce(n, 0) AS n FROM q LEFT JOIN (SELECT x, y, sum(n) AS n FROM counted GROUP BY ALL) c USING (x, y) WHERE x IS NOT NULL AND y IS NOT NULL"
	for _, query := range []string{
		// Both in each chunk, and one after the other in memory that is reused.
		"SELECT i, any_value(ccbf_get(s, x, y)) FILTER (k = 1) AS n FROM q, pair GROUP BY i",
		"SELECT i, ccbf_get(if(k = 0, ?, s), x, y) AS n FROM pair JOIN q ON i % 2 = k WHERE k = 1",
		"SELECT i, n FROM (SELECT i, k, ccbf_get((s::VARCHAR)::BLOB, x, y) AS n FROM q, pair) WHERE k = 1",
	} {
		args := []any{}
		if strings.Contains(query, "?") {
			args = append(args, changed)
		}
		got, err := ask(db, "SELECT count(*) > 15000, count(*) FILTER (a.n <> b.n) FROM ("+query+") a JOIN ("+exact+") b USING (i)", args...)
		if err != nil || got != "true|0" {
			t.Errorf("%s: %s %v", query, got, err)
		}
	}
	if got, err := ask(db, "SELECT count(*) FILTER (a.n <> b.n) > 0 FROM (SELECT i, ccbf_get(s, x, y) AS n FROM q, pair WHERE k = 0) a JOIN ("+exact+") b USING (i)"); err != nil || got != "true" {
		t.Errorf("the changed sketch answers as the other: %s %v", got, err)
	}
}
