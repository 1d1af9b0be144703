//go:build cgo

// Command ccbfsql is a SQL shell: DuckDB with every function of this project
// registered.
package main

import (
	"os"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:]))
}
