package main

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
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

func run(db *sql.DB, statements ...string) error {
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
			if err := run(db, s); err != nil {
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

// peak runs setup and then a query in a process of their own and returns by how
// much the query raised resident memory at most, in bytes: in one process the
// memory of what ran before would be used again.
func peak(query string, setup ...string) (uint64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), peakVariable+"="+strings.Join(append(setup, query), ";\n"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(strings.TrimSpace(string(out)), 10, 64)
}

// peakVariable carries the statements to the process of peak.
const peakVariable = "BENCH_PEAK"

// measurePeak is that process.
func measurePeak(statements []string) error {
	db, err := open(2)
	if err != nil {
		return err
	}
	last := len(statements) - 1
	if err := run(db, statements[:last]...); err != nil {
		return err
	}
	debug.FreeOSMemory()
	// 5 resets the peak to what is resident now (proc(5)).
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return err
	}
	before, err := status("VmRSS")
	if err != nil {
		return err
	}
	if err := run(db, statements[last]); err != nil {
		return err
	}
	after, err := status("VmHWM")
	fmt.Println(after - min(before, after))
	return err
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
