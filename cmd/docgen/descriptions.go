package main

import (
	"bytes"
	"encoding/csv"

	"github.com/ccbfsql/ccbfsql"
)

// descriptions is the table of functions that the pages of DuckDB's community extensions take
// what a function does from: DuckDB's C API has no place for it.
func descriptions() ([]byte, error) {
	rows := [][]string{{"function", "description", "comment", "example"}}
	for _, f := range ccbfsql.Functions() {
		rows = append(rows, []string{f.Name, f.Summary, "", f.Example + ";"})
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}
