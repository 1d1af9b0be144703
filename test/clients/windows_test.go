package clients

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

// Random windows and ORDER BY, compared with exact SQL, and windows with STRUCTs, compared with GROUP BY, with other
// queries for each version. CCBF_LONG=1: 10,000 queries of each kind.
func TestRandomWindows(t *testing.T) {
	each(t, func(t *testing.T, i int, client *client) {
		c := connect(t, loaded(t, client, ":memory:"))
		sqltest.Windows(t, c, 14, 30000+10000*i, sqltest.WindowCount(30))
		sqltest.StructWindows(t, c, 44, 10000*(i+1), sqltest.WindowCount(60))
		t.Log(sqltest.OrderedStructs(t, c), "queries refused")
	})
}

// oneRow is a connection of c/host.c for queries with one row and one column.
type oneRow struct{ p *process }

func (c oneRow) Exec(statements string) error {
	_, err := c.Query(statements)
	return err
}

func (c oneRow) Query(statement string) ([][]string, error) {
	answer := c.p.do("sql 1 %s", strings.ReplaceAll(statement, "\n", " "))
	if row, ok := strings.CutPrefix(answer, "="); ok {
		return [][]string{{strings.TrimPrefix(row, " ")}}, nil
	}
	return nil, fmt.Errorf("%s", answer)
}

func (oneRow) Close() error { return nil }
