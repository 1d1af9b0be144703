package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
)

// peak runs setup and then a query in a process of their own and returns by how
// much the query raised resident memory at most, in bytes: in one process the
// memory of what ran before would be used again.
func peak(query string, setup ...string) (float64, error) {
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
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}

// peakVariable carries the statements to the process of peak.
const peakVariable = "BENCH_PEAK"

// isPeak is that process: it reports whether it was one, and exits with 1
// where it failed.
func isPeak() bool {
	statements := os.Getenv(peakVariable)
	if statements == "" {
		return false
	}
	if err := measurePeak(strings.Split(statements, ";\n")); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
	return true
}

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
