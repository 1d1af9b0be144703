package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilesAreUpToDate checks that the files in docs are those that docgen writes.
func TestFilesAreUpToDate(t *testing.T) {
	files, err := files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(have, want) {
			continue
		}
		old, now := strings.Split(string(have), "\n"), strings.Split(string(want), "\n")
		at := 0
		for at < min(len(old), len(now)) && old[at] == now[at] {
			at++
		}
		t.Errorf("docs/%s is out of date from line %d on: run make docs", name, at+1)
	}
}
