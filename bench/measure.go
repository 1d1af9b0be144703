package main

import (
	"database/sql"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ccbfsql/ccbfsql/connector"
)

// open opens a database in memory on one connection, with so many threads.
func open(threads int) (*sql.DB, error) {
	db, err := connector.Open(fmt.Sprintf("?threads=%d", threads))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

func exec(db *sql.DB, statements ...string) error {
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return fmt.Errorf("%w\nin %s", err, s)
		}
	}
	return nil
}

// sample is the times of several rounds.
type sample []time.Duration

func (s sample) sorted() sample {
	c := slices.Clone(s)
	slices.Sort(c)
	return c
}

func (s sample) median() time.Duration { return s.sorted()[len(s)/2] }

func (s sample) String() string {
	c := s.sorted()
	return fmt.Sprintf("%7.1f ms (%.1f to %.1f)", ms(c[len(c)/2]), ms(c[0]), ms(c[len(c)-1]))
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// rounds times several statements in turn, so that all of them meet the same
// moods of the machine; a first round is not counted.
func rounds(db *sql.DB, n int, statements ...string) ([]sample, error) {
	out := make([]sample, len(statements))
	for round := range n + 1 {
		for i, s := range statements {
			start := time.Now()
			if err := exec(db, s); err != nil {
				return nil, err
			}
			if round > 0 {
				out[i] = append(out[i], time.Since(start))
			}
		}
	}
	return out, nil
}

// against prints how ours compares with the exact query, round by round.
func against(db *sql.DB, n int, what, ours, exact string, most float64) error {
	s, err := rounds(db, n, ours, exact)
	if err != nil {
		return err
	}
	var ratios []float64
	for i := range s[0] {
		ratios = append(ratios, float64(s[0][i])/float64(s[1][i]))
	}
	slices.Sort(ratios)
	fmt.Printf("%-44s ours %v, exact %v\n", what, s[0], s[1])
	fmt.Printf("%-44s ratio %.2f (%.2f to %.2f), promised at most %.2f\n", "", ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1], most)
	return nil
}

// peak runs f and returns by how much resident memory rose at most, in bytes.
func peak(f func() error) (uint64, error) {
	debug.FreeOSMemory()
	// 5 resets the peak to what is resident now (proc(5)).
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return 0, err
	}
	before, err := status("VmRSS")
	if err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	after, err := status("VmHWM")
	return after - min(before, after), err
}

// status is a field of /proc/self/status in bytes.
func status(field string) (uint64, error) {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			kb, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kb << 10, err
		}
	}
	return 0, fmt.Errorf("no %s in /proc/self/status", field)
}
