// Package test runs the SQL test files on the bundled driver, and what takes Go
// to test over SQL: hostile BLOBs, real data, concurrency, memory.
package test

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

// The connector gives memory back by itself.
func TestSQL(t *testing.T) { sqltest.Run(t, sqltest.DB(open(t), func() {}), ".") }
