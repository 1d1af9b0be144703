// Command docgen writes docs/functions.md from the list that registers the
// functions. Every example is run, and its answer is what the page shows.
//
//	go run ./cmd/docgen docs/functions.md
package main

import (
	"context"
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: docgen FILE")
		os.Exit(2)
	}
	page, err := page(context.Background())
	if err == nil {
		err = os.WriteFile(os.Args[1], page, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}
