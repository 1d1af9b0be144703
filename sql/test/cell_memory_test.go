package test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestMemoryOfCells: the budgets in docs/BUDGET.md for the cells of one group are enough, for any
// number of threads. The sketch is the same as with any budget.
func TestMemoryOfCells(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: sketches of ten million cells (make test-all)")
	}
	text, err := os.ReadFile("../../docs/BUDGET.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(?m)^\| ([0-9,]+) \| ([0-9]+) \|$`).FindAllStringSubmatch(string(text), -1)
	if len(rows) < 3 {
		t.Fatalf("%d rows of cells and budgets", len(rows))
	}
	db := open(t)
	before, err := ask(db, "SELECT (ccbf_memory()).limit")
	if err != nil {
		t.Fatal(err)
	}
	defer exec(t, db, "SELECT ccbf_memory_limit("+before+")")
	for i, row := range rows {
		cells, _ := strconv.Atoi(strings.ReplaceAll(row[1], ",", ""))
		budget, _ := strconv.Atoi(row[2])
		for _, x := range []string{"i", "hash(i)"} {
			query := fmt.Sprintf("SELECT md5(ccbf_agg(%s %% 3000, i // 3000, 1, {bytes: 20000000})) FROM range(%d) t(i)", x, cells)
			exec(t, db, "SELECT ccbf_memory_limit("+before+")")
			want, err := ask(db, query)
			if err != nil {
				t.Fatal(err)
			}
			for _, threads := range []int{1, 2, 4} {
				if threads != 2 && i == len(rows)-1 {
					continue // the largest takes seconds
				}
				exec(t, db, fmt.Sprintf("SET threads = %d", threads))
				exec(t, db, fmt.Sprintf("SELECT ccbf_memory_limit(%d)", budget*1000*1000))
				if got, err := ask(db, query); err != nil || got != want {
					t.Errorf("%s cells of %s in %d MB, %d threads: %s, %v; want %s", row[1], x, budget, threads, got, err, want)
				}
			}
		}
	}
}

// TestSameBytesFromAnyThreads: a sketch whose cells all fit has the same bytes for any number of
// threads, and a tree reports its error.
func TestSameBytesFromAnyThreads(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: a quarter of a minute of sketches by 1 to 8 threads (make test-all)")
	}
	db := open(t)
	r := rand.New(rand.NewPCG(44, 11))
	exec(t, db, "CREATE TABLE p AS SELECT i::BIGINT i FROM range(600000) t(i)") // five row groups, which threads divide
	trees, exact := 0, 0
	for i := range 200 {
		bytes := 400 << r.IntN(8)
		// Up to the number of cells that are kept according to BUDGET.md: 16 times bytes.
		cells := 1 + r.IntN(min(16*bytes, 60_000)/3) // in three categories
		side := 1 + r.IntN(2000)
		option := []string{"", ", mode: 'standard'", ", overflow: 'counters'", ", levels: 2", ", overflow: 'tree', category: i % 3"}[r.IntN(5)]
		every := 1 + r.IntN(20)
		query := fmt.Sprintf(`SELECT md5(s), (ccbf_info(s)).encoding, (ccbf_error(s)).occupied_excess IS NULL AND (ccbf_error(s)).exact = false FROM
			(SELECT ccbf_agg(c %% %d, c // %d, 1, {bytes: %d%s}) s FROM (SELECT hash(i, %d) %% %d c, i FROM p WHERE i %% %d = 0))`,
			side, side, bytes, option, i, cells, every)
		var first string
		for _, threads := range []int{1, 2, 3, 8} {
			exec(t, db, fmt.Sprintf("SET threads = %d", threads))
			got, err := ask(db, query)
			if err != nil {
				t.Fatalf("%s: %v", query, err)
			}
			if first == "" {
				first = got
			}
			if got != first {
				t.Errorf("%s with %d threads: %s, with one %s", query, threads, got, first)
			}
		}
		switch {
		case strings.Contains(first, "tree"):
			trees++
			if strings.HasSuffix(first, "true") {
				t.Errorf("%s: a tree without an error", query)
			}
		case strings.Contains(first, "exact"):
			exact++
		}
	}
	if trees < 20 || exact < 20 {
		t.Errorf("%d trees and %d exact sketches", trees, exact)
	}
}
