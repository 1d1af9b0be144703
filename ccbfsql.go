// Package ccbfsql puts sketches into DuckDB: one call registers every function
// on a connection of a program that embeds DuckDB.
//
//	c, err := duckdb.NewConnector("cities.duckdb", ccbfsql.Init)
//	db := sql.OpenDB(c)
//
// Functions registered once are there on every connection of that database.
// The package imports no driver: it works with the one that the program uses.
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
	"github.com/ccbfsql/ccbfsql/udf"
)

// functions is the one list that registration, documentation, completion and
// tests go by.
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

// Version returns the version of this build, as ccbf_version() does in SQL.
func Version() string { return udf.Version }

// Register registers every function in the database of a connection. Its driver may be
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

// Init registers every function for a driver's connector: duckdb.NewConnector(dsn, ccbfsql.Init).
func Init(conn driver.ExecerContext) error {
	_, err := RegisterConn(conn)
	return err
}

// Registration is this process's registration with one database.
type Registration struct{ instance *duck.Instance }

// RegisterConn registers every function for a driver's own connection, as a connector has it.
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

// Release frees the memory of groups that DuckDB forgot, for example those
// that a LIMIT left unread. Call it only while no query runs on the database:
// a running query ends with an error. Without it, that memory is freed when the
// budget of ccbf_memory_limit needs it.
func (r *Registration) Release() { r.instance.Release() }

// MemoryUsed returns the number of bytes that aggregates of this process use in addition to DuckDB's own
// memory: the field used of ccbf_memory().
func MemoryUsed() int64 { return duck.MemoryUsed() }

// MemoryKept returns the number of bytes of decoded sketches that are kept until the memory is needed: the field
// kept of ccbf_memory().
func MemoryKept() int64 { return duck.MemoryCached() }

// MemoryLimit returns the most bytes that aggregates of this process may hold. The default is 15%
// of the memory that the machine or its cgroup allows; DuckDB takes 80%.
func MemoryLimit() int64 { return duck.MemoryLimit() }

// SetMemoryLimit sets the most bytes that aggregates of this process may hold besides DuckDB's own.
// The default is 15% of the memory of the machine or of its cgroup. The environment variable
// CCBF_MEMORY_LIMIT changes the default.
func SetMemoryLimit(bytes int64) error { return duck.SetMemoryLimit(bytes) }
