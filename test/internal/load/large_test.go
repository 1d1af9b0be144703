package load

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/queries"
)

// The large queries make DuckDB write temporary files, and their results are right.
func TestLargeSpill(t *testing.T) {
	d := Database{Connections: 1, Settings: []string{"SET threads = 1", "SET memory_limit = '60MB'"}}
	_, conns, err := d.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	forms := 1
	if os.Getenv("CCBF_LONG") != "" {
		forms = 3
	}
	seen := map[string]bool{}
	for seed := uint64(0); len(seen) < forms; seed++ {
		query := large(queries.NewDraw(seed, 0), forms > 1)
		form, _, _ := strings.Cut(query, "FROM range")
		if seen[form] {
			continue
		}
		seen[form] = true
		var name, plan string
		if err := conns[0].QueryRowContext(t.Context(), "EXPLAIN (ANALYZE, FORMAT json) "+query).Scan(&name, &plan); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		var profile struct {
			Files int64 `json:"system_peak_temp_dir_size"`
		}
		if err := json.Unmarshal([]byte(plan), &profile); err != nil {
			t.Fatal(err)
		}
		if profile.Files == 0 {
			t.Errorf("nothing was written to files: %s", query)
		}
		if n, err := judge(t.Context(), conns[0], query); err != nil || n == 0 {
			t.Errorf("%s: %d rows, %v", query, n, err)
		}
	}
}
