package clients

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

// shared is the path of a library that scripts/packages installs.
func shared(t *testing.T, name, debian string) string {
	t.Helper()
	for _, pattern := range []string{"/usr/lib/*/", "/lib/*/", "/usr/lib64/", "/usr/lib/"} {
		if found, err := filepath.Glob(pattern + name); err == nil && len(found) > 0 {
			return found[0]
		}
	}
	missing(t, "no %s (Debian package %s; scripts/packages installs it)", name, debian)
	return ""
}

// What lies around a one-entry array is the allocator's choice: answers are the
// same with all of them, and with a heap that is filled with rubbish.
func TestHeaps(t *testing.T) {
	for _, h := range []struct{ name, library, debian, env string }{
		{"jemalloc", "libjemalloc.so.2", "libjemalloc2", ""},
		{"tcmalloc", "libtcmalloc_minimal.so.4", "libtcmalloc-minimal4", ""},
		{"mimalloc", "libmimalloc.so.2*", "libmimalloc2.0", ""},
		{"perturb", "", "", "MALLOC_PERTURB_=165"},
		{"check", "libc_malloc_debug.so.0", "libc6", "GLIBC_TUNABLES=glibc.malloc.check=3"},
		{"no cache", "", "", "GLIBC_TUNABLES=glibc.malloc.tcache_count=0"},
	} {
		t.Run(h.name, func(t *testing.T) {
			env := []string{h.env}
			if h.library != "" {
				env = append(env, "LD_PRELOAD="+shared(t, h.library, h.debian))
			}
			p := cHostIn(t, newest(t), env)
			p.load(1, extension(t))
			if h.library != "" {
				maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", p.cmd.Process.Pid))
				if err != nil || !strings.Contains(string(maps), strings.TrimSuffix(h.library, "*")) {
					t.Fatalf("%s is not in the process (%v)", h.library, err)
				}
			}
			sqltest.Windows(t, oneRow{p}, 14, 80000, sqltest.WindowCount(12))
		})
	}
}

// Valgrind sees every read beside what was allocated. What it says of DuckDB and
// of Go's runtime, which switches stacks below it, is theirs.
func TestValgrind(t *testing.T) {
	if os.Getenv("CCBF_LONG") == "" {
		t.Skip("skipped: minutes (CCBF_LONG=1)")
	}
	program, err := exec.LookPath("valgrind")
	if err != nil {
		missing(t, "no valgrind (Debian package valgrind; scripts/packages installs it)")
	}
	log := filepath.Join(t.TempDir(), "log")
	p := cHostIn(t, newest(t), nil, program, "--log-file="+log, "--num-callers=3")
	p.load(1, extension(t))
	sqltest.Windows(t, oneRow{p}, 14, 90000, 10)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	// The innermost frame of a complaint says who did it.
	for line := range strings.Lines(string(text)) {
		if strings.Contains(line, " at 0x") && strings.Contains(line, "ccbf.duckdb_extension") {
			t.Errorf("valgrind: %s", line)
		}
	}
}
