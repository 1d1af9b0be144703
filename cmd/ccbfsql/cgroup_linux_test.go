package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestMemoryInACgroup: in a cgroup of one gibibyte, DuckDB's memory limit and the budget of
// sketches leave room for the process. A query that exceeds both ends with an error, and the
// process goes on.
func TestMemoryInACgroup(t *testing.T) {
	const limit = 1 << 30
	group := newGroup(t, limit)
	run := func(script string) string {
		t.Helper()
		// The system's shell enters the cgroup, and then becomes ccbfsql.
		c := exec.Command("sh", "-c", `echo $$ > "$0/cgroup.procs" && exec "$1" -csv -c "$2"`, group, command, script)
		out, err := c.CombinedOutput()
		if c.ProcessState != nil && c.ProcessState.ExitCode() < 0 {
			t.Fatalf("the process was ended: %v\n%s", err, out)
		}
		return string(out)
	}
	out := run(`SELECT (ccbf_memory()).limit AS n, current_setting('memory_limit') AS duckdb`)
	fields := strings.Split(strings.TrimSpace(out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:]), ",")
	ours, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	// DuckDB rounds: "819.1 MiB".
	number, unit, _ := strings.Cut(fields[1], " ")
	theirs, err := strconv.ParseFloat(number, 64)
	if err != nil || unit != "MiB" {
		t.Fatalf("%s: %v", out, err)
	}
	if all := float64(ours) + theirs*(1<<20); all > 0.96*limit || ours < limit/10 {
		t.Errorf("limits of %d and %s in a cgroup of %d", ours, fields[1], limit)
	}
	// Many groups of sketches, whose counters exceed the budget.
	out = run(`SET threads = 2; SELECT count(s) FROM (SELECT ccbf_agg(hash(i) % 1000000, hash(i, 1) % 1000000, 1, {exact: false, bytes: 1000000}) s FROM range(2000000) t(i) GROUP BY i % 2000)`)
	if !strings.Contains(out, "memory budget") {
		t.Errorf("a query that needs 2 GB: %s", out)
	}
}

// newGroup creates a cgroup with a memory limit. It skips the test if that is not allowed.
func newGroup(t *testing.T, limit int) string {
	t.Helper()
	for _, of := range []struct{ root, file string }{
		{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"}, // version 1
		{"/sys/fs/cgroup", "memory.max"},
	} {
		dir := filepath.Join(of.root, "ccbfsql-test-"+strconv.Itoa(os.Getpid()))
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(dir) })
		if os.WriteFile(filepath.Join(dir, of.file), []byte(strconv.Itoa(limit)), 0o644) == nil {
			return dir
		}
	}
	t.Skip("cgroups cannot be made here: this needs root, or a delegated group")
	return ""
}
