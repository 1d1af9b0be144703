package clients

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

// STRUCTs in windows, at random, beside GROUP BY, each version with queries of its own.
// CCBF_LONG=1: 10,000 queries.
func TestStructsInWindows(t *testing.T) {
	for i, v := range versions(t, true) {
		t.Run(v, func(t *testing.T) {
			c := connect(t, loaded(t, node(t, v), ":memory:"))
			sqltest.StructWindows(t, c, 44, 10000*(i+1), sqltest.WindowCount(60))
			t.Log(sqltest.OrderedStructs(t, c), "queries refused")
		})
	}
}
