package clients

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// cProgram compiles c/host.c into the folder of make clients, once, and returns the path of the program.
var cProgram = sync.OnceValues(func() (string, error) {
	program := filepath.Join("..", "..", "build", "clients", "host")
	out, err := exec.Command(compiler(), "-O1", "-Wall", "-Wextra", "-o", program, filepath.Join("c", "host.c"), "-ldl", "-lpthread").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("c/host.c: %w\n%s", err, out)
	}
	return program, err
})

// process runs c/host.c: a program without Go or a runtime of its own, which shows how the
// extension affects a process. Its databases have numbers, and each has a connection of that name.
type process struct {
	*client
	t testing.TB
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
	program, err := cProgram()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, lib)
	cmd.Env = append(os.Environ(), env...)
	return &process{running(t, cmd), t}
}

// must sends a request that must not fail, and returns the first row of the answer, with "|"
// between values. It returns "" if there is none.
func (p *process) must(fields ...string) string {
	p.t.Helper()
	rows, err := p.Do(fields...)
	if err != nil {
		p.t.Fatalf("%.300q: %v", fields, err)
	}
	if len(rows) == 0 {
		return ""
	}
	return strings.Join(rows[0], "|")
}

// sql returns the first row of a statement that must not fail.
func (p *process) sql(db int, statement string) string {
	p.t.Helper()
	return p.must("query", strconv.Itoa(db), statement)
}

// storm lets the host raise faults, and recover from each.
func (p *process) storm() {
	p.t.Helper()
	if _, err := p.Do("storm", faults); err != nil {
		p.t.Error(err)
	}
}

// works checks that the extension answers in a database.
func (p *process) works(db int) {
	p.t.Helper()
	if got := p.sql(db, ten); got != "10" {
		p.t.Errorf("database %d: %s, want 10", db, got)
	}
}

// fails returns the error of a statement that must fail.
func (p *process) fails(db int, statement string) string {
	p.t.Helper()
	_, err := p.Do("query", strconv.Itoa(db), statement)
	if err == nil {
		p.t.Errorf("%s: no error", statement)
		return ""
	}
	return err.Error()
}

// open opens a database, and connects to it.
func (p *process) open(db int) {
	p.t.Helper()
	name := strconv.Itoa(db)
	p.must("open", ":memory:", name)
	p.must("connect", name, name)
}

// close closes a database.
func (p *process) close(db int) {
	p.t.Helper()
	p.must("close", strconv.Itoa(db))
}

// load opens a database and loads the extension into it.
func (p *process) load(db int, path string) {
	p.t.Helper()
	p.open(db)
	p.sql(db, "LOAD '"+path+"'")
}

// signals returns a set of signals from the status file of a process or thread in /proc, for example SigCgt.
// Signal n is bit n-1.
func (p *process) signals(thread, set string) uint64 {
	p.t.Helper()
	return status(p.t, fmt.Sprintf("/proc/%d/task/%s/status", p.Cmd.Process.Pid, thread), set, 16)
}

// threads returns the ids of the process's threads.
func (p *process) threads() map[string]bool {
	p.t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", p.Cmd.Process.Pid))
	if err != nil {
		p.t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, e := range entries {
		ids[e.Name()] = true
	}
	return ids
}

const ten = "SELECT ccbf_total(ccbf_agg(i, i, 1)) FROM range(10) t(i)"

// One statement loads the extension. Loading it again, or in further databases, is harmless.
// Settings of one database do not depend on others. (The time of LOAD is only logged; make bench
// checks it.)
func TestLoad(t *testing.T) {
	path := extension(t)
	for _, v := range libraries(t) {
		t.Run(v, func(t *testing.T) {
			p := cHost(t, v)
			p.open(1)
			began := time.Now()
			p.sql(1, "LOAD '"+path+"'")
			t.Logf("LOAD took %v", time.Since(began))
			p.sql(1, "LOAD '"+path+"'")
			p.load(2, path)
			for _, db := range []int{1, 2, 2} {
				p.works(db)
				p.sql(db, "LOAD '"+path+"'")
			}
			p.close(1)
			p.works(2)
			p.load(1, path)
			if got := p.sql(1, "SELECT version(), length(ccbf_version()) > 0, ("+ten+")"); got != "v"+v+"|true|10" {
				t.Error(got)
			}
		})
	}
}

// The file is smaller than docs/EXTENSION.md promises. A file with a symbol table was not built by
// make extension, which removes it.
func TestSize(t *testing.T) {
	const most = 12_000_000
	path := extension(t)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	library, err := elf.NewFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if library.Section(".symtab") != nil {
		t.Skipf("skipped: %s has a symbol table (make extension)", path)
	}
	info, err := file.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > most {
		t.Errorf("%s is %d bytes, %d are promised", path, info.Size(), most)
	}
}

// A file for another machine, or for a future DuckDB, is refused with an error that names it.
func TestOtherPlatform(t *testing.T) {
	whole, err := os.ReadFile(extension(t))
	if err != nil {
		t.Fatal(err)
	}
	p := cHost(t, newest(t))
	p.open(1)
	platform := p.sql(1, "PRAGMA platform")
	for from, to := range map[string]string{platform: "plan9_mips", "v1.2.0": "v9.2.0"} {
		file := bytes.Clone(whole)
		footer := file[len(file)-512:]
		at := bytes.Index(footer, []byte(from+"\x00"))
		if at < 0 {
			t.Fatalf("no %s in the footer", from)
		}
		copy(footer[at:at+32], to+strings.Repeat("\x00", 32-len(to)))
		got := p.fails(1, "LOAD '"+write(t, "ccbf.duckdb_extension", string(file))+"'")
		t.Log(got)
		if !strings.Contains(got, to) {
			t.Errorf("made for %s: error %q", to, got)
		}
	}
	p.sql(1, "LOAD '"+extension(t)+"'")
	p.works(1)
}

// Databases load the extension, open and close while queries run in another database.
func TestLoadWhileQueriesRun(t *testing.T) {
	for _, v := range []string{libraries(t)[0], newest(t)} {
		p := cHost(t, v)
		p.load(1, extension(t))
		const query = "SELECT count(s) FROM (SELECT ccbf_agg(i, i, 1, {category: i % 3}) s FROM range(20000) t(i) GROUP BY i % 1000)"
		load := "LOAD '" + extension(t) + "'"
		var queries, loaders sync.WaitGroup
		var over atomic.Bool
		var loads atomic.Int64
		for i := range 4 {
			queries.Go(func() {
				name := fmt.Sprint("query ", i)
				p.beside([]string{"connect", name, "1"})
				p.beside(slices.Repeat([][]string{{"exec", name, query}}, 20)...)
				p.beside([]string{"disconnect", name})
			})
		}
		for i := range 2 {
			loaders.Go(func() {
				name := fmt.Sprint("load ", i)
				for done := false; !done; done = over.Load() {
					p.beside([]string{"connect", name, "1"}, []string{"exec", name, load}, []string{"disconnect", name},
						[]string{"open", ":memory:", name}, []string{"connect", name, name}, []string{"exec", name, load},
						[]string{"exec", name, query}, []string{"close", name})
					loads.Add(1)
				}
			})
		}
		queries.Wait()
		over.Store(true)
		loaders.Wait()
		if n := loads.Load(); n < 2 {
			t.Errorf("DuckDB %s: %d loads while queries ran", v, n)
		}
	}
}

// beside sends requests one after another, each of which must not fail. The host runs them in
// threads of their own.
func (p *process) beside(requests ...[]string) {
	for _, r := range requests {
		if _, err := p.Do(append([]string{"start"}, r...)...); err != nil {
			p.t.Errorf("%.300q: %v", r, err)
		}
	}
}

// TestFootprint measures the memory of the extension, and checks that it changes no more of the
// host's signals than Go itself.
func TestFootprint(t *testing.T) {
	if _, err := os.Stat("/proc/self/task"); err != nil {
		t.Skip("skipped: no /proc")
	}
	for _, v := range libraries(t) {
		t.Run(v, func(t *testing.T) {
			p := cHost(t, v)
			p.open(1)
			const duckdb = "SELECT count(*) FROM range(1000000) t(i) GROUP BY i % 1000"
			p.sql(1, duckdb)
			pid := strconv.Itoa(p.Cmd.Process.Pid)
			before := footprint(t, p.Cmd)
			old, caught0, ignored0 := p.threads(), p.signals(pid, "SigCgt"), p.signals(pid, "SigIgn")
			p.sql(1, "LOAD '"+extension(t)+"'")
			loaded := footprint(t, p.Cmd)
			blocked0 := p.signals(pid, "SigBlk")
			p.sql(1, "SELECT count(s) FROM (SELECT ccbf_agg(i, i % 97, 1) s FROM range(1000000) t(i) GROUP BY i % 1000)")
			queried := footprint(t, p.Cmd)
			p.close(1)
			t.Logf("MiB and threads: %v with DuckDB alone, %v after LOAD, %v after a query, %v after closing", before, loaded, queried, footprint(t, p.Cmd))
			if took := loaded.mb - before.mb; took > 30 { // 14 to 22 MB, depending on the version and the allocator
				t.Errorf("LOAD took %.1f MiB", took)
			}
			if queried.threads > before.threads+12 {
				t.Errorf("%d threads became %d", before.threads, queried.threads)
			}

			bit := func(s syscall.Signal) uint64 { return 1 << (s - 1) }
			gos := bit(syscall.SIGSEGV) | bit(syscall.SIGBUS) | bit(syscall.SIGFPE) | bit(syscall.SIGURG)
			if more := p.signals(pid, "SigCgt") &^ caught0 &^ gos; more != 0 {
				t.Errorf("signals %#x are caught since LOAD", more)
			}
			if now := p.signals(pid, "SigIgn"); now != ignored0 {
				t.Errorf("signals %#x are ignored, %#x before", now, ignored0)
			}
			if now := p.signals(pid, "SigBlk"); now != blocked0 || now != 0 {
				t.Errorf("signals %#x are blocked in the host's thread, %#x after LOAD", now, blocked0)
			}
			// No thread of Go handles a signal of the host.
			for id := range p.threads() {
				if old[id] {
					continue
				}
				// (Go unblocks SIGCHLD. The kernel delivers it to the host's first thread if
				// possible.)
				if free := ^p.signals(id, "SigBlk") & (bit(syscall.SIGINT) | bit(syscall.SIGTERM) | bit(syscall.SIGALRM) | bit(syscall.SIGUSR1)); free != 0 {
					t.Errorf("thread %s, new since LOAD, takes signals %#x", id, free)
				}
			}
		})
	}
}

// A host's own signal handlers: for SIGSEGV, from which it recovers, and for a timer, which must
// not run on a goroutine's stack.
func TestHandlers(t *testing.T) {
	for _, v := range []string{libraries(t)[0], newest(t)} {
		t.Run(v, func(t *testing.T) {
			p := cHost(t, v)
			p.storm()
			p.load(1, extension(t))
			p.storm()
			p.sql(1, "SET threads = 1") // the host's thread itself runs the query
			p.must("bell")
			for range 3 {
				p.sql(1, "SELECT count(s) FROM (SELECT ccbf_agg(i, i % 97, 1) s FROM range(1000000) t(i) GROUP BY i % 1000)")
			}
			var rung, astray int
			if _, err := fmt.Sscanf(p.must("bell"), "%d|%d", &rung, &astray); err != nil {
				t.Fatal(err)
			}
			t.Logf("the host's timer rang %d times", rung)
			if rung < 10 {
				t.Errorf("the host's timer rang %d times", rung)
			}
			if astray > 0 {
				t.Errorf("the host's handler ran on a stack of Go's %d times of %d", astray, rung)
			}
			p.storm()
		})
	}
}

// A second copy of the file has a second Go runtime. It is refused, and the first goes on.
func TestCopies(t *testing.T) {
	first := extension(t)
	whole, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	second := write(t, "ccbf.duckdb_extension", string(whole))
	p := cHost(t, newest(t))
	p.load(1, first)
	pid := strconv.Itoa(p.Cmd.Process.Pid)
	caught := p.signals(pid, "SigCgt")
	p.open(2)
	if got := p.fails(2, "LOAD '"+second+"'"); !strings.Contains(got, "another copy of this extension is in this process already: "+first) {
		t.Errorf("error %q, want one that names %s", got, first)
	}
	p.sql(2, "LOAD '"+first+"'")
	p.load(3, first)
	for db := 1; db <= 3; db++ {
		p.works(db)
	}
	if now := p.signals(pid, "SigCgt"); now != caught {
		t.Errorf("the host catches %#x, %#x before the second copy", now, caught)
	}
	p.storm()
}

// A forked child has no Go threads. It gets an error instead of waiting forever.
func TestFork(t *testing.T) {
	p := cHost(t, newest(t))
	p.load(1, extension(t))
	p.sql(1, "SET threads = 1")
	for _, q := range []string{ten, "SELECT ccbf_version()"} {
		answers, err := p.Do("fork", "1", q, "LOAD '"+extension(t)+"'")
		if err != nil || len(answers) != 3 {
			t.Fatalf("answers %q, %v", answers, err)
		}
		for _, a := range answers[:2] {
			if !strings.HasPrefix(a[0], "error: ") || !strings.Contains(a[0], "made by fork") {
				t.Errorf("%s in the child: %s", q, a)
			}
		}
		if answers[2][0] != "1" {
			t.Errorf("DuckDB itself in the child: %s", answers[2])
		}
		p.works(1)
	}
}
