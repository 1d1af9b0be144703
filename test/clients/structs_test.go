package clients

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

// Random windows with STRUCTs, compared with GROUP BY, with other queries for each version.
// CCBF_LONG=1: 10,000 queries.
func TestStructsInWindows(t *testing.T) {
	each(t, func(t *testing.T, i int, client *client) {
		c := connect(t, loaded(t, client, ":memory:"))
		sqltest.StructWindows(t, c, 44, 10000*(i+1), sqltest.WindowCount(60))
		t.Log(sqltest.OrderedStructs(t, c), "queries refused")
	})
}
