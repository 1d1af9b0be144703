package session

import (
	"database/sql/driver"

	"github.com/duckdb/duckdb-go/v2"
)

// What the shell takes from the rest of the project is in this file: how a
// database is opened, the functions it knows, and what to do between
// statements.

// Function describes one of the project's SQL functions.
type Function struct {
	Name       string
	Signatures []string // ccbf_get(s BLOB, x DOUBLE, y DOUBLE) -> UBIGINT
	Group      string
	Summary    string
	Example    string
}

// connector opens the database. Connections it makes must be the driver's
// own, *duckdb.Conn.
func connector(dsn string) (driver.Connector, error) {
	return duckdb.NewConnector(dsn, nil)
}

// Functions lists the project's functions, sorted by group and name.
func Functions() []Function {
	return nil
}

// Idle is called whenever no statement is running, so that memory which
// finished queries left behind can be given back.
func Idle() {}
