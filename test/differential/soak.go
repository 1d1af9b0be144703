package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/test/internal/load"
)

// soak runs queries in this process for a time. After each batch, when no query runs, it prints the memory of
// the process.
func soak() error {
	begin := time.Now()
	fmt.Printf("%s: seed %d, %d connections, %s\n\n", begin.UTC().Format("2006-01-02 15:04"), *seed, *connections, *length)
	fmt.Println("| minutes | queries | failures | `ccbf_memory()` used | resident, MiB | Go heap, MiB | threads | files |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	var total load.Counts
	var resident []int
	report := func(e load.Event) {
		if e.Failure != "" {
			fmt.Fprintf(os.Stderr, "--- query %d: %s\n%s", e.Number, e.Failure, e.Script)
		}
		if e.Counts == nil {
			return
		}
		total.Add(*e.Counts)
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		files, _ := os.ReadDir("/proc/self/fd") // missing without /proc, as below
		resident = append(resident, status("VmRSS:")>>10)
		fmt.Printf("| %.0f | %d | %d | %d | %d | %d | %d | %d |\n", time.Since(begin).Minutes(), total.Queries, total.Failures,
			ccbfsql.MemoryUsed(), resident[len(resident)-1], m.HeapAlloc>>20, status("Threads:"), len(files))
	}
	for a := *from; time.Since(begin) < *length; a += load.PerDatabase {
		if err := options(a, a+load.PerDatabase).Run(report); err != nil {
			return err
		}
	}
	if total.Failures > 0 {
		return fmt.Errorf("%d failures", total.Failures)
	}
	// With a leak in every query, each third would be larger than the one before.
	if n := len(resident) / 3; n > 0 {
		fmt.Printf("\n%d queries; resident memory in MiB, at most, in each third: %d, %d, %d\n", total.Queries, slices.Max(resident[:n]), slices.Max(resident[n:2*n]), slices.Max(resident[2*n:]))
	}
	return nil
}

// status returns the number in a field of /proc/self/status. On systems without /proc it returns 0.
func status(field string) int {
	text, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(text), field)
	words := strings.Fields(rest)
	if len(words) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(words[0])
	return n
}
