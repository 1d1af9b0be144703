package clients

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var (
	buildC   sync.Once
	cProgram string
	errC     error
)

func TestMain(m *testing.M) {
	code := m.Run()
	if cProgram != "" {
		_ = os.RemoveAll(filepath.Dir(cProgram)) // a file left in /tmp does no harm
	}
	os.Exit(code)
}

// process runs c/host.c: a program without Go or a runtime of its own, which shows how the
// extension affects a process.
type process struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// compiler returns the C compiler.
func compiler() string {
	if cc := os.Getenv("CC"); cc != "" {
		return cc
	}
	return "cc"
}

// cHost starts the program with a version of DuckDB. It must end without an error.
func cHost(t testing.TB, version string) *process { return cHostIn(t, version, nil) }

// cHostIn starts the program with additional variables of the environment.
func cHostIn(t testing.TB, version string, env []string) *process {
	t.Helper()
	lib := library(t, version)
	buildC.Do(func() {
		folder, err := os.MkdirTemp("", "ccbf-host") //nolint:usetesting // shared by all tests of the package
		if err != nil {
			errC = err
			return
		}
		cProgram = filepath.Join(folder, "host")
		if out, err := exec.Command(compiler(), "-O1", "-Wall", "-Wextra", "-o", cProgram, filepath.Join("c", "host.c"), "-ldl", "-lpthread").CombinedOutput(); err != nil {
			errC = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if errC != nil {
		t.Fatalf("c/host.c: %v", errC)
	}
	p := &process{t: t, cmd: exec.Command(cProgram, lib)}
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.in.Close() // the program ends at the end of its input
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("the process with DuckDB %s: %v", version, err)
		}
	})
	return p
}

// do sends a line and returns the reply.
func (p *process) do(format string, args ...any) string {
	p.t.Helper()
	line := fmt.Sprintf(format, args...)
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatalf("%s: %v", line, err)
	}
	answer, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("%s: the process has ended (%v)", line, err)
	}
	return strings.TrimSuffix(answer, "\n")
}

// sql returns the first row of a statement that must not fail.
func (p *process) sql(db int, statement string) string {
	p.t.Helper()
	answer := p.do("sql %d %s", db, statement)
	row, ok := strings.CutPrefix(answer, "=")
	if !ok {
		p.t.Fatalf("%s: %s", statement, answer)
	}
	return strings.TrimPrefix(row, " ")
}

// fails returns the error of a statement that must fail.
func (p *process) fails(db int, statement string) string {
	p.t.Helper()
	text, ok := strings.CutPrefix(p.do("sql %d %s", db, statement), "! ")
	if !ok {
		p.t.Errorf("%s: no error", statement)
	}
	return text
}

// open opens a database and loads the extension into it.
func (p *process) load(db int, path string) {
	p.t.Helper()
	p.do("open %d", db)
	p.sql(db, "LOAD '"+path+"'")
}

// resident returns the process's resident memory in kB, and its number of threads.
func (p *process) resident() (kb, threads int) {
	p.t.Helper()
	if _, err := fmt.Sscan(p.do("status"), &kb, &threads); err != nil || kb == 0 {
		p.t.Fatalf("%d kB, %d threads, %v", kb, threads, err)
	}
	return kb, threads
}

// signals returns a set of signals from the status file of a process or thread in /proc, for example SigCgt.
// Signal n is bit n-1.
func (p *process) signals(thread, set string) uint64 {
	p.t.Helper()
	path := fmt.Sprintf("/proc/%d/task/%s/status", p.cmd.Process.Pid, thread)
	text, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if digits, ok := strings.CutPrefix(line, set+":"); ok {
			bits, err := strconv.ParseUint(strings.TrimSpace(digits), 16, 64)
			if err != nil {
				p.t.Fatal(err)
			}
			return bits
		}
	}
	p.t.Fatalf("no %s in %s", set, path)
	return 0
}

// threads returns the ids of the process's threads.
func (p *process) threads() map[string]bool {
	p.t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.cmd.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, e := range entries {
		ids[e.Name()] = true
	}
	return ids
}
