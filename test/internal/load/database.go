package load

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/internal/queries"
)

// PerDatabase is the number of queries per database.
const PerDatabase = 100

// Database has the settings and tables of a batch of queries. The settings lead DuckDB to different
// plans.
type Database struct {
	Settings, Tables []string
	Connections      int
	// With several threads or little memory, some queries are left out: see risky.
	threads int
	limited bool // DuckDB has little memory
	rows    []int
}

// NewDatabase returns the database for the PerDatabase queries of a batch, which begin with number
// batch*PerDatabase. connections is the largest number of connections.
func NewDatabase(seed uint64, batch int, connections int) Database {
	d := queries.NewDraw(seed, uint64(batch)<<32|1<<31)
	db := Database{Connections: d.Between(1, connections), threads: []int{1, 1, 2, 4, 8}[d.IntN(5)]}
	set := func(name, value string) {
		db.Settings = append(db.Settings, "SET "+name+" = "+value)
	}
	set("threads", strconv.Itoa(db.threads))
	if db.limited = d.Chance(4); db.limited {
		set("memory_limit", "'60MB'")
	}
	if d.Chance(4) {
		set("debug_force_external", "true")
	}
	if d.Chance(3) { // in DuckDB 1.5.5, count(*) OVER () is 0 with combine
		set("debug_window_mode", "'"+d.One("combine", "separate")+"'")
	}
	if d.Chance(3) {
		set("debug_verify_vector", "'"+d.One("dictionary_expression", "dictionary_operator", "constant_operator", "sequence_operator", "nested_shuffle")+"'")
	}
	if d.Chance(3) {
		set("preserve_insertion_order", "false")
	}
	if d.Chance(3) {
		set("perfect_ht_threshold", "0")
	}
	if d.Chance(3) {
		set("ordered_aggregate_threshold", d.One("1", "16", "100"))
	}
	if d.Chance(3) {
		set("disabled_optimizers", "'"+d.One("window_self_join", "common_subexpressions,common_aggregate", "statistics_propagation,compressed_materialization",
			"filter_pushdown,filter_pullup", "column_lifetime,unused_columns", "materialized_cte,cte_inlining", "deliminator,unnest_rewriter", "top_n_window_elimination,top_n,late_materialization")+"'")
	}
	db.Tables = append(db.Tables, helpers)
	db.rows = []int{d.Between(20, 60), d.Between(100, 300), d.Between(2000, 5000), d.Between(0, 3)}
	for n, rows := range db.rows {
		db.Tables = append(db.Tables, table(d, n, rows))
	}
	return db
}

// table returns SQL that creates table tn with columns of many types, and NULLs. Hashes take the
// place of random numbers, so that SQL alone can create it again.
func table(d draw, n, rows int) string {
	order := d.One("", "", " ORDER BY g", " ORDER BY s, i", " ORDER BY hash(i)")
	salt := d.Text(0, 1e6)
	return fmt.Sprintf("CREATE OR REPLACE TABLE t%d AS SELECT * FROM (SELECT i, ", n) + fill(strings.Join([]string{
		"if(hash(i, 1, $salt) % 13 = 0, NULL, hash(i, 1, $salt) % $g)::INT AS g",
		"(hash(i, 2, $salt) % 5)::INT AS h",
		"if(hash(i, 3, $salt) % 17 = 0, NULL, ((hash(i, 3, $salt) % 20) * (hash(i, 4, $salt) % 5))::DOUBLE / 4 - 5) AS x",
		"if(hash(i, 5, $salt) % 19 = 0, NULL, (hash(i, 5, $salt) % 30)::DOUBLE / 2 - 4) AS y",
		"if(hash(i, 6, $salt) % 11 = 0, NULL, ((hash(i, 6, $salt) % 7) * (hash(i, 7, $salt) % 7)))::BIGINT AS k",
		"k / 4 + 0.25 AS d", "k > 5 AS b", "DATE '2024-01-01' + k::INT AS day", "(k / 4)::DECIMAL(9, 2) AS m",
		"if(hash(i, 8, $salt) % 9 = 0, NULL, 'a key, sometimes a long one'[:3 + 2 * (hash(i, 8, $salt) % 12)::INT]) AS s",
		"if(hash(i, 9, $salt) % 10 = 0, NULL, hash(i, 9, $salt) % 4)::INT AS w",
		"['a', 'b', 'c', NULL][1 + (hash(i, 10, $salt) % 4)::INT] AS c",
	}, ", "), "salt", salt, "g", d.Text(2, 12)) + fmt.Sprintf(" FROM range(%d) t(i))%s", rows, order)
}

// risky reports whether a query over windows must not fail. DuckDB (1.5.5) waits forever in
// WindowSegmentTreeLocalState::Finalize if one of several threads fails, with any aggregate.
func (d *Database) risky() bool { return d.threads > 1 }
