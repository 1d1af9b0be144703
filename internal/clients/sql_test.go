package clients

import (
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

const sqlTests = "../../sql/test"

// The SQL tests pass in every version of DuckDB: their answers are the embedded
// host's.
func TestSQLNode(t *testing.T) {
	for _, v := range versions(t, true) {
		t.Run(v, func(t *testing.T) {
			h := loaded(t, node(t, v), ":memory:")
			c := connect(t, h)
			if got, err := ask(c, "SELECT version()"); err != nil || got != "v"+v {
				t.Fatalf("this is DuckDB %s, %v", got, err)
			}
			sqltest.Run(t, h, sqlTests)
		})
	}
}

// A DuckDB that is too old, or whose platform is another, refuses the extension
// with an error that says so, and goes on.
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
