package main

import (
	"bytes"
	"encoding/csv"

	"github.com/ccbfsql/ccbfsql"
)

// descriptions returns the table of functions for the pages of DuckDB's community extensions. It is
// needed because DuckDB's C API has no place for the description of a function.
func descriptions() ([]byte, error) {
	rows := [][]string{{"function", "description", "comment", "example"}}
	for _, f := range ccbfsql.Functions() {
		rows = append(rows, []string{f.Name, f.Summary, "", f.Example + ";"})
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(rows)
	return b.Bytes(), err
}
