package load

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql"
)

// Sample is what a process holds while no query runs.
type Sample struct {
	After             time.Duration
	Queries, Failures int64
	Used              int64 // by aggregates
	Resident, Heap    int64 // the process's memory in RAM, Go's part of it
	DuckDB            int64 // what DuckDB says that it holds
	Threads, Files    int
}

// Header and Row are a table of samples.
const Header = "| minutes | queries | failures | `ccbf_memory()` used | resident, MiB | Go heap, MiB | DuckDB, MiB | threads | files |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"

// Row is a line of that table.
func (s *Sample) Row() string {
	return fmt.Sprintf("| %.0f | %d | %d | %d | %d | %d | %d | %d | %d |",
		s.After.Minutes(), s.Queries, s.Failures, s.Used, s.Resident>>20, s.Heap>>20, s.DuckDB>>20, s.Threads, s.Files)
}

func sample(ctx context.Context, db *sql.DB) (s Sample, err error) {
	s.Used = ccbfsql.MemoryUsed()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.Heap = int64(m.HeapAlloc)
	if err := db.QueryRowContext(ctx, "SELECT coalesce(sum(memory_usage_bytes), 0)::BIGINT FROM duckdb_memory()").Scan(&s.DuckDB); err != nil {
		return s, err
	}
	// Where there is no /proc they stay 0.
	if text, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(line, ":")
			n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			switch name {
			case "VmRSS":
				s.Resident = n << 10
			case "Threads":
				s.Threads = int(n)
			}
		}
	}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		s.Files = len(files)
	}
	return s, nil
}

// Growth is the slope of a straight line through the resident memory of samples,
// in bytes an hour, and its standard error.
func Growth(samples []Sample) (slope, sigma float64) {
	n := float64(len(samples))
	if n < 3 {
		return 0, math.Inf(1)
	}
	var mt, mr float64
	for _, s := range samples {
		mt += s.After.Hours() / n
		mr += float64(s.Resident) / n
	}
	var tt, tr, rr float64
	for _, s := range samples {
		t, r := s.After.Hours()-mt, float64(s.Resident)-mr
		tt, tr, rr = tt+t*t, tr+t*r, rr+r*r
	}
	slope = tr / tt
	return slope, math.Sqrt(max(rr-slope*tr, 0) / (n - 2) / tt)
}
