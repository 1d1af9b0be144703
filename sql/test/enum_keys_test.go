package test

import (
	"fmt"
	"testing"
)

// TestEnumKeys: an ENUM key is its text, whatever the width in which DuckDB stores it: 1, 2 or 4
// bytes.
func TestEnumKeys(t *testing.T) {
	db := open(t)
	for _, n := range []int{255, 256, 65535, 65536} {
		exec(t, db, fmt.Sprintf("CREATE TYPE e%d AS ENUM (SELECT 'v' || i FROM range(%[1]d) t(i) ORDER BY i)", n))
		want(t, db, "0", fmt.Sprintf(`SELECT count(*) FILTER (NOT bloom_contains(s, v) OR bloom_contains(s, v || 'x')) FROM (SELECT ['v0', 'v1', 'v%d'] AS vs, bloom_agg(('v' || i)::e%d, {fpp: 1e-9}) AS s
			FROM (VALUES (0), (1), (%[1]d)) t(i)), unnest(vs) u(v)`, n-1, n))
	}
}
