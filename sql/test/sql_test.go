// Package test runs the SQL test files on the bundled driver. It also has tests over SQL that need
// Go: hostile BLOBs, real data, concurrency, memory.
package test

import (
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

// The connector frees memory itself.
func TestSQL(t *testing.T) { sqltest.Run(t, sqltest.DB(open(t), func() {}), ".") }

// The files of real data take longer. Other hosts leave them out.
func TestData(t *testing.T) { sqltest.Run(t, sqltest.DB(open(t), func() {}), "data") }
