package clients

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

const sqlTests = "../../sql/test"

// TestSQLVersions: the SQL tests pass with every version of DuckDB, with the results of the
// embedded host. The oldest and the newest version run all of them, and the others divide them.
// With CCBF_LONG=1 each version runs all.
func TestSQLVersions(t *testing.T) {
	between := len(versions(t, true)) - 1
	each(t, func(t *testing.T, i int, client *client) {
		h := loaded(t, client, ":memory:")
		got, err := ask(connect(t, h), "SELECT version()")
		if err != nil || "v"+filepath.Base(t.Name()) != got {
			t.Fatalf("this is DuckDB %s, %v", got, err)
		}
		if i == 0 || i > between {
			sqltest.Run(t, h, sqlTests)
		} else {
			sqltest.RunPart(t, h, sqlTests, i-1, between)
		}
	})
}

// The SQL tests in Python's package. TestSQLVersions runs its newest version; the others divide the
// tests.
func TestSQLPython(t *testing.T) {
	vs := listed(t, "python", "versions")
	for i, v := range vs[:len(vs)-1] {
		t.Run(v, func(t *testing.T) {
			sqltest.RunPart(t, loaded(t, python(t, v), ":memory:"), sqlTests, i, len(vs)-1)
		})
	}
}

// A DuckDB that is too old, or has another platform, refuses the extension with an error that says
// so, and goes on.
func TestTooOld(t *testing.T) {
	for _, v := range versions(t, false) {
		t.Run(v, func(t *testing.T) {
			c := node(t, v)
			_, err := c.open(":memory:", extension(t))
			if err == nil || !strings.Contains(err.Error(), "The file was built for") {
				t.Errorf("loading the extension: error %v, want one that says what it was built for", err)
			}
			if rows, err := c.do("query", "connection 1", "SELECT 42"); err != nil || rows[0][0] != "42" {
				t.Errorf("afterwards: %v, %v", rows, err)
			}
		})
	}
}
