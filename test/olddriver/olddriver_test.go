package olddriver

import (
	"database/sql"
	"testing"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/internal/queries"
	"github.com/ccbfsql/ccbfsql/internal/sqltest"
	"github.com/marcboeker/go-duckdb/v2"
)

// library is the version of DuckDB in v2.4.3, the last driver of that name.
const library = "v1.4.1"

// TestSQL runs the SQL tests. No query runs between two statements, so memory that DuckDB forgot is
// freed there.
func TestSQL(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: half a minute, and the same in sql/test with the driver of today (make test-all)")
	}
	db, registration := open(t)
	sqltest.Run(t, sqltest.DB(db, registration.Release), "../../sql/test")
}

// Random windows and ORDER BY, compared with exact SQL. CCBF_LONG=1: 10,000 queries.
func TestRandomWindows(t *testing.T) {
	db, registration := open(t)
	conn, err := sqltest.DB(db, registration.Release)()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	sqltest.Random(t, conn, queries.Windows, 14, 20000, sqltest.WindowCount(60))
}

func open(t *testing.T) (*sql.DB, *ccbfsql.Registration) {
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { _ = db.Close() })
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	var version string
	if err := conn.QueryRowContext(t.Context(), "SELECT version()").Scan(&version); err != nil || version != library {
		t.Fatalf("DuckDB %s, %v; this module is here for %s", version, err, library)
	}
	var registration *ccbfsql.Registration
	if err := conn.Raw(func(driverConn any) (err error) {
		registration, err = ccbfsql.RegisterConn(driverConn)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	// A second registration, through database/sql.
	if err := ccbfsql.Register(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	return db, registration
}
