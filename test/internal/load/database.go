package load

import (
	"strings"

	"github.com/ccbfsql/ccbfsql/internal/queries"
)

// PerDatabase is the number of queries per database.
const PerDatabase = 100

// database has the settings and tables of a batch of queries. The settings lead DuckDB to different
// plans.
type database struct {
	Settings, Tables []string
	Connections      int
	// With several threads or little memory, some queries are left out: see risky.
	threads int
	limited bool // DuckDB has little memory
}

// newDatabase returns the database for the PerDatabase queries of a batch, which begin with number
// batch*PerDatabase. connections is the largest number of connections.
func newDatabase(seed uint64, batch, connections int) database {
	d := queries.NewDraw(seed, uint64(batch)<<32|1<<31)
	db := database{Connections: d.Between(1, connections), threads: []int{1, 1, 2, 4, 8}[d.IntN(5)]}
	db.limited = d.Chance(4)
	for line := range strings.Lines(values{draw: d, Threads: db.threads, Limited: db.limited}.statement("settings")) {
		if line = strings.TrimSpace(line); line != "" {
			db.Settings = append(db.Settings, line)
		}
	}
	db.Tables = append(db.Tables, helpers)
	for n, rows := range []int{d.Between(20, 60), d.Between(100, 300), d.Between(2000, 5000), d.Between(0, 3)} {
		db.Tables = append(db.Tables, values{draw: d, Number: n, Rows: rows}.statement("table"))
	}
	return db
}

// risky reports whether a query over windows must not fail. DuckDB (1.5.5) waits forever in
// WindowSegmentTreeLocalState::Finalize if one of several threads fails, with any aggregate.
func (d *database) risky() bool { return d.threads > 1 }
