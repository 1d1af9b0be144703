package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

// peak runs setup and then a query in a process of their own and returns by how
// much the query raised resident memory at most, in bytes: in one process the
// memory of what ran before would be used again.
func peak(query string, setup ...string) float64 {
	cmd := exec.Command(report.Must(os.Executable()))
	cmd.Env = append(os.Environ(), peakVariable+"="+strings.Join(append(setup, query), ";\n"))
	cmd.Stderr = os.Stderr
	return report.Must(strconv.ParseFloat(strings.TrimSpace(string(report.Must(cmd.Output()))), 64))
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
	if err := report.Try(func() { measurePeak(strings.Split(statements, ";\n")) }); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
	return true
}

func measurePeak(statements []string) {
	db := open(2)
	last := len(statements) - 1
	run(db, statements[:last]...)
	debug.FreeOSMemory()
	// 5 resets the peak to what is resident now (proc(5)).
	report.Check(os.WriteFile("/proc/self/clear_refs", []byte("5"), 0))
	before := status("VmRSS")
	run(db, statements[last])
	after := status("VmHWM")
	fmt.Println(after - min(before, after))
}

// status is a field of /proc/self/status in bytes.
func status(field string) uint64 {
	for line := range strings.Lines(string(report.Must(os.ReadFile("/proc/self/status")))) {
		if rest, ok := strings.CutPrefix(line, field+":"); ok {
			return report.Must(strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)) << 10
		}
	}
	panic("no " + field + " in /proc/self/status")
}
