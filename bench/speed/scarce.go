package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
)

// scarcePoints is a variable of the environment with the number of points of scarce. The file has 8
// bytes per point.
const scarcePoints = "BENCH_POINTS"

// scarce builds sketches of more cells than fit in the memory budget.
func scarce(b *bench) {
	n := report.Pick(b.c, 300_000, 5_000_000, 50_000_000)
	if text := os.Getenv(scarcePoints); text != "" {
		n = report.Must(strconv.Atoi(text))
	}
	runs := min(b.rounds, report.Pick(b.c, 1, 2, 3))
	if n > 100_000_000 {
		runs = 1
	}
	b.Set("points", n, "runs", runs, "variable", scarcePoints)
	duck.Folder(func(dir string) { b.scarce(dir, n, runs) })
}

func (b *bench) scarce(dir string, n, runs int) {
	// The memory limit is 128 MiB for fifty million points, and twice that for four times as many.
	limit := int(math.Sqrt(float64(n)/50e6) * (128 << 20))
	file := filepath.Join(dir, "points.parquet")
	b.run(text("scarce", report.At{"n": n, "file": file}))
	report.Check(b.db.Close())
	ours, exact := text("scarce, sketched", report.At{"file": file}), text("scarce, exact", report.At{"file": file})
	memory := func(bytes int) string { return fmt.Sprintf("SELECT ccbf_memory_limit(%d)", bytes) }
	var plenty, little, table []queryCost
	for run := range runs {
		plenty = append(plenty, runAlone(ours, memory(1<<36)))
		little = append(little, runAlone(ours, memory(limit)))
		table = append(table, runAlone(exact, fmt.Sprintf("SET temp_directory = '%s'", dir)))
		for _, a := range []queryCost{plenty[run], little[run], table[run]} {
			fmt.Fprintf(os.Stderr, "scarce: %.3fs of the processors, %.3fs by the clock, %.0f MiB resident, %.0f MiB counted: %s\n", a.cpu, a.clock, a.resident/(1<<20), a.counted/(1<<20), a.answer)
		}
		report.Require(plenty[run].answer == little[run].answer, "with little memory the sketches are others: %s, %s", plenty[run].answer, little[run].answer)
	}
	answer := strings.Split(plenty[0].answer, "/")
	bytes := report.Must(strconv.ParseFloat(answer[3], 64))
	b.Set("groups", answer[0], "cells", answer[2], "megabytes", bytes/1e6, "little", float64(limit)/(1<<20))
	cpu, clock := func(a queryCost) float64 { return a.cpu }, func(a queryCost) float64 { return a.clock }
	resident, counted := func(a queryCost) float64 { return a.resident }, func(a queryCost) float64 { return a.counted }
	for _, x := range []struct {
		name  string
		limit int
		took  []queryCost
	}{{"little memory", limit, little}, {"enough", 1 << 36, plenty}} {
		at := report.At{"limit": float64(x.limit) / (1 << 20)}
		b.note("counted", report.Parts(report.Column(x.took, counted), float64(x.limit)), at)
		b.record("processor time", x.name, over(report.Column(x.took, cpu), report.Column(table, cpu)), at)
		b.note("clock", over(report.Column(x.took, clock), report.Column(table, clock)), at)
		b.record("peak of memory", x.name, over(report.Column(x.took, resident), report.Column(table, resident)), at)
		b.note("peak", report.Parts(report.Column(x.took, resident), bytes), at)
	}
	b.note("with little memory", over(report.Column(little, cpu), report.Column(plenty, cpu)), nil)
}

// queryCost has the cost of a query in its own process. In one process, a query would reuse the memory
// of earlier ones.
type queryCost struct {
	resident   float64 // Increase of the peak of resident memory by the query, in bytes.
	counted    float64 // Most bytes that aggregates reserved, sampled every few milliseconds.
	cpu, clock float64 // Processor time and elapsed time, in seconds.
	answer     string
}

// isolatedVariable is a variable of the environment that passes the statements to the process.
const isolatedVariable = "BENCH_PEAK"

// runAlone runs setup and then a query in a process of its own.
func runAlone(query string, setup ...string) (a queryCost) {
	cmd := exec.Command(report.Must(os.Executable()))
	cmd.Env = append(os.Environ(), isolatedVariable+"="+strings.Join(append(setup, query), ";\n"))
	cmd.Stderr = os.Stderr
	report.Must(fmt.Sscan(string(report.Must(cmd.Output())), &a.resident, &a.counted, &a.cpu, &a.clock, &a.answer))
	return a
}

// isIsolated runs the statements if this is such a process, and reports whether it is. It exits with 1
// if they fail.
func isIsolated() bool {
	statements := os.Getenv(isolatedVariable)
	if statements == "" {
		return false
	}
	if err := report.Try(func() { measureIsolated(strings.Split(statements, ";\n")) }); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
	return true
}

func measureIsolated(statements []string) {
	db := duck.Open(2)
	last := len(statements) - 1
	duck.Run(db, statements[:last]...)
	debug.FreeOSMemory()
	// Writing 5 resets the peak to the present value (proc(5)).
	report.Check(os.WriteFile("/proc/self/clear_refs", []byte("5"), 0))
	resident, cpu := status("VmRSS"), ownCPU()
	counted, ended := 0.0, make(chan struct{})
	var sampled sync.WaitGroup
	sampled.Go(func() {
		for tick := time.Tick(5 * time.Millisecond); ; {
			counted = max(counted, float64(ccbfsql.MemoryUsed()))
			select {
			case <-ended:
				return
			case <-tick:
			}
		}
	})
	var answer []string
	clock := report.Timed(func() { answer = duck.Column[string](db, "SELECT COLUMNS(*)::VARCHAR FROM ("+statements[last]+")") })
	cpu = ownCPU() - cpu
	close(ended)
	sampled.Wait()
	fmt.Println(max(0, status("VmHWM")-resident), counted, cpu, clock, strings.Join(answer, ","))
}

// status returns a field of /proc/self/status in bytes.
func status(field string) float64 {
	_, rest, ok := strings.Cut(string(report.Must(os.ReadFile("/proc/self/status"))), field+":")
	report.Require(ok, "no %s in /proc/self/status", field)
	return report.Must(strconv.ParseFloat(strings.Fields(rest)[0], 64)) * 1024
}

// ownCPU returns the processor time of this program so far, in seconds.
func ownCPU() float64 {
	var u syscall.Rusage
	report.Check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
