package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/connector"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, ""); err != nil {
		t.Fatal(err)
	}
	const want = "200000 points are 19 sketches of 15118 bytes together\n42484 of them in the polygon\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestRunOnFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "it's mine.parquet")
	db, err := connector.Open("")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := writePoints(t.Context(), db, file); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run(t.Context(), &out, file); err != nil || !strings.HasPrefix(out.String(), "200000 points") {
		t.Errorf("got %q, %v", out.String(), err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), &out, file); err == nil {
		t.Error("no error for a file that is not there")
	}
}
