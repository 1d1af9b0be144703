// Command docgen writes functions.md and function_descriptions.csv into a folder, from the list
// that registers the functions. Every example is run, and the page shows its output.
//
//	go run ./cmd/docgen docs
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: docgen FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}

// write writes the files into a folder.
func write(folder string) error {
	files, err := files(context.Background())
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
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
