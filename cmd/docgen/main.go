// Command docgen writes functions.md and function_descriptions.csv into a folder, from the list
// that registers the functions. Every example is run, and the page shows its output.
//
//	go run ./cmd/docgen docs
package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"

	"github.com/ccbfsql/ccbfsql"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: docgen FOLDER")
		os.Exit(2)
	}
	files, err := files(context.Background())
	for name, text := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(os.Args[1], name), text, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}

// files returns the contents of the files by their names.
func files(ctx context.Context) (map[string][]byte, error) {
	page, err := page(ctx)
	if err != nil {
		return nil, err
	}
	table, err := descriptions()
	return map[string][]byte{"functions.md": page, "function_descriptions.csv": table}, err
}

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
