package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/bench/duck"
	"github.com/ccbfsql/ccbfsql/bench/report"
)

// apart is what a query took in a process of its own: in one process the memory of what ran
// before would be used again.
type apart struct {
	resident   float64 // by how many bytes the query raised resident memory at most
	counted    float64 // the most bytes that aggregates were charged for, looked at every few milliseconds
	cpu, clock float64 // seconds of the processors, and by the clock
	answer     string
}

// apartVariable carries the statements to the process of alone.
const apartVariable = "BENCH_PEAK"

// alone runs setup and then a query in a process of its own.
func alone(query string, setup ...string) (a apart) {
	cmd := exec.Command(report.Must(os.Executable()))
	cmd.Env = append(os.Environ(), apartVariable+"="+strings.Join(append(setup, query), ";\n"))
	cmd.Stderr = os.Stderr
	report.Must(fmt.Sscan(string(report.Must(cmd.Output())), &a.resident, &a.counted, &a.cpu, &a.clock, &a.answer))
	return a
}

// isApart is that process: it reports whether it was one, and exits with 1 where it failed.
func isApart() bool {
	statements := os.Getenv(apartVariable)
	if statements == "" {
		return false
	}
	if err := report.Try(func() { measureApart(strings.Split(statements, ";\n")) }); err != nil {
		fmt.Fprintln(os.Stderr, "speed:", err)
		os.Exit(1)
	}
	return true
}

func measureApart(statements []string) {
	db := duck.Open(2)
	last := len(statements) - 1
	duck.Run(db, statements[:last]...)
	debug.FreeOSMemory()
	// 5 resets the peak to what is resident now (proc(5)).
	report.Check(os.WriteFile("/proc/self/clear_refs", []byte("5"), 0))
	resident, cpu := status("VmRSS"), ownCPU()
	stop := make(chan struct{})
	counted := watch(stop)
	var answer []string
	clock := timed(func() { answer = duck.Column[string](db, "SELECT COLUMNS(*)::VARCHAR FROM ("+statements[last]+")") })
	cpu = ownCPU() - cpu
	close(stop)
	fmt.Println(max(0, status("VmHWM")-resident), <-counted, cpu, clock, strings.Join(answer, ","))
}

// watch is the most memory that aggregates are charged for until it is told to stop.
func watch(stop <-chan struct{}) <-chan float64 {
	most := make(chan float64)
	go func() {
		n := 0.0
		for tick := time.Tick(5 * time.Millisecond); ; {
			n = max(n, float64(ccbfsql.MemoryUsed()))
			select {
			case <-stop:
				most <- n
				return
			case <-tick:
			}
		}
	}()
	return most
}

// status is a field of /proc/self/status in bytes.
func status(field string) float64 {
	_, rest, ok := strings.Cut(string(report.Must(os.ReadFile("/proc/self/status"))), field+":")
	report.Require(ok, "no %s in /proc/self/status", field)
	return report.Must(strconv.ParseFloat(strings.Fields(rest)[0], 64)) * 1024
}

// ownCPU is the processor time of this program so far, in seconds.
func ownCPU() float64 {
	var u syscall.Rusage
	report.Check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
