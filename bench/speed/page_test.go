package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// TestMain runs measureIsolated in the processes that runAlone starts.
func TestMain(m *testing.M) {
	if !isIsolated() {
		os.Exit(m.Run())
	}
}

// TestPage: the pages are up to date with their texts, and the front page is short.
func TestPage(t *testing.T) {
	docs := filepath.Join("..", "..", "docs")
	stale, err := program.Stale(docs)
	require.NoError(t, err)
	info, err := os.Stat(filepath.Join(docs, "PERFORMANCE.md"))
	require.NoError(t, err)
	require.LessOrEqual(t, info.Size(), int64(12<<10))
	require.Empty(t, stale, "make bench ARGS=-render writes them anew")
}

// TestExperiments runs every experiment at the smallest scale. Sections must be well formed.
func TestExperiments(t *testing.T) {
	t.Chdir("..") // the folder in which make runs the program
	for _, page := range program.Pages {
		for _, e := range page.Experiments {
			t.Run(e.Name, func(t *testing.T) {
				switch e.Name {
				case "extension":
					t.Skip("needs what make extension and make clients leave")
				case "serve":
					if testing.Short() {
						t.Skip("links the shell")
					}
				}
				_, err := program.Section(e, report.Tiny)
				require.NoError(t, err)
			})
		}
	}
}

// TestInTurn: every round runs all contenders, every other round backwards. fresh runs before each,
// and the first round is not counted.
func TestInTurn(t *testing.T) {
	var order []string
	mark := func(name string) func() {
		return func() { order = append(order, name) }
	}
	b := &bench{Section: new(report.Section), rounds: 2}
	got := b.inTurn("", contender{name: "a", fresh: mark("-"), run: mark("a")}, contender{name: "b", run: mark("b")})
	require.Equal(t, []string{"-", "a", "b", "b", "-", "a", "-", "a", "b"}, order)
	require.Equal(t, []int{2, 2, 2}, []int{len(got), len(got[0]), len(got[1])}, "two samples of two rounds")
	failed := errors.New("failed")
	require.ErrorIs(t, report.Try(func() { b.inTurn("", contender{name: "a", run: func() { report.Check(failed) }}) }), failed)
}

// TestCompare: every contender but the first is recorded, with its further factors.
func TestCompare(t *testing.T) {
	b := &bench{Section: new(report.Section), rounds: 3}
	nothing := func() {}
	comparison{what: "work", at: report.At{"cells": 7}, contenders: []contender{{name: "table", run: nothing}, {name: "a", run: nothing}, {name: "b", run: nothing}}}.run(b)
	for _, way := range []string{"a", "b"} {
		require.Len(t, b.All("ratio", "what", "work", "way", way, "cells", 7), 3)
		require.Len(t, b.All("took", "what", "work", "way", way, "cells", 7), 3)
	}
	require.Len(t, b.By("way"), 2)
}
