// Package ccbfsql adds sketches to DuckDB: one call registers every function on a connection of a
// program that embeds DuckDB.
//
//	c, err := duckdb.NewConnector("cities.duckdb", ccbfsql.Init)
//	db := sql.OpenDB(c)
//
// Functions that are registered once exist on every connection of that database. The package imports
// no driver: it works with the program's driver.
// Package connector does this for the bundled driver. docs/ARCHITECTURE.md in the
// repository shows how the packages fit together.
package ccbfsql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"

	"github.com/ccbfsql/ccbfsql/agg"
	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/memory"
	"github.com/ccbfsql/ccbfsql/udf"
)

// functions is the list of all functions, for registration, documentation, completion and tests.
var functions = func() []duck.Function {
	fs := append(agg.CCBF(), udf.CCBF()...)
	for _, f := range filters.Keyed() {
		fs = append(append(fs, agg.Keyed(f)...), udf.Keyed(f)...)
	}
	for _, more := range [][]duck.Function{udf.Sketch(filters.Families()), udf.Polygons(), udf.Tiles(), udf.Grid(), udf.Process()} {
		fs = append(fs, more...)
	}
	return append(fs, udf.Help(fs)...)
}()

// Version is the version of this build, as ccbf_version() returns it.
func Version() string { return udf.Version }

// Register registers every function with the database of a connection. Its driver may be
// github.com/duckdb/duckdb-go/v2 or github.com/marcboeker/go-duckdb/v2. Registering again is
// harmless.
//
// A program whose work is mostly DuckDB's may set GOMAXPROCS to one more than DuckDB has threads,
// as the shell does. Go's scheduler then disturbs DuckDB's threads less, which saves up to a
// sixteenth of the processor time.
func Register(ctx context.Context, conn *sql.Conn) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return conn.Raw(func(driverConn any) error {
		_, err := RegisterConn(driverConn)
		return err
	})
}

// Init registers every function, as an argument of a driver's connector:
// duckdb.NewConnector(dsn, ccbfsql.Init).
func Init(conn driver.ExecerContext) error {
	_, err := RegisterConn(conn)
	return err
}

// Registration is the registration of this process with one database.
type Registration struct{ instance *duck.Instance }

// RegisterConn registers every function with the database of a driver's own connection.
func RegisterConn(driverConn any) (*Registration, error) {
	p, err := duck.ConnOf(driverConn)
	if err != nil {
		return nil, fmt.Errorf("ccbfsql: %w", err)
	}
	if err := duck.Embedded(); err != nil {
		return nil, fmt.Errorf("ccbfsql: %w", err)
	}
	in, err := duck.Register(p, functions)
	if err != nil {
		return nil, fmt.Errorf("ccbfsql: %w", err)
	}
	return &Registration{in}, nil
}

// Release frees the memory of groups that DuckDB did not destroy, such as those that a LIMIT left
// unread. Call it only while no query runs on the database: a running query ends with an error.
// Without Release, that memory is freed when the budget of ccbf_memory_limit is used up.
func (r *Registration) Release() { r.instance.Release() }

// MemoryUsed returns the bytes that aggregates of this process use besides DuckDB's memory: the field
// used of ccbf_memory().
func MemoryUsed() int64 { return memory.Used() }

// MemoryKept returns the bytes of decoded sketches that are cached, in addition to MemoryUsed. They are
// freed when the memory is needed.
func MemoryKept() int64 { return memory.Cached() }

// MemoryLimit returns the largest number of bytes that aggregates of this process may use. The default
// is 15% of the memory of the machine or of its cgroup; DuckDB's is 80%.
func MemoryLimit() int64 { return memory.Limit() }

// SetMemoryLimit sets the largest number of bytes that aggregates of this process may use besides
// DuckDB's memory.
// The default is 15% of the memory of the machine or of its cgroup. The environment variable
// CCBF_MEMORY_LIMIT changes the default.
func SetMemoryLimit(bytes int64) error { return memory.SetLimit(bytes) }
