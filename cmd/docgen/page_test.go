package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// docs/functions.md is written from the functions, and stays so.
func TestPageIsUpToDate(t *testing.T) {
	want, err := page(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(filepath.Join("..", "..", "docs", "functions.md"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(have, want) {
		return
	}
	old, now := strings.Split(string(have), "\n"), strings.Split(string(want), "\n")
	for i := range now {
		if i >= len(old) || old[i] != now[i] {
			t.Fatalf("docs/functions.md is out of date from line %d on: run make docs\n%s", i+1, now[i])
		}
	}
	t.Fatal("docs/functions.md is too long: run make docs")
}
