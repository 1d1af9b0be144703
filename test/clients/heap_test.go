package clients

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/internal/queries"
	"github.com/ccbfsql/ccbfsql/internal/sqltest"
)

// shared returns the path of a library that scripts/packages installs.
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

// TestHeaps: the allocator decides which memory is around a one-entry array. Results are the same
// with all allocators, and with a heap that is filled with garbage. It runs the queries of
// sql/test.
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
				maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", p.Cmd.Process.Pid))
				if err != nil || !strings.Contains(string(maps), strings.TrimSuffix(h.library, "*")) {
					t.Fatalf("%s is not in the process (%v)", h.library, err)
				}
			}
			sqltest.Random(t, &conn{p.client, "1"}, queries.Windows, 14, 0, sqltest.WindowCount(30))
		})
	}
}

// TestAddresses runs the extension's C code with the address sanitizer, but its host without. So
// each report is about our code and ends the process. Valgrind takes minutes for LOAD alone, and
// reports Go's stacks as errors.
func TestAddresses(t *testing.T) {
	if os.Getenv("CCBF_LONG") == "" {
		t.Skip("skipped: it builds an extension, half a minute of processor time (CCBF_LONG=1)")
	}
	packages(t)
	folder := t.TempDir()
	built := filepath.Join(folder, "libccbf.so")
	build := exec.Command("go", "build", "-buildmode=c-shared", "-o", built, "./cmd/ccbf-extension")
	build.Dir = filepath.Join("..", "..")
	const flags = "-O1 -g -fsanitize=address"
	build.Env = append(os.Environ(), "CGO_CFLAGS="+flags, "CGO_CXXFLAGS="+flags, "CGO_LDFLAGS=-fsanitize=address")
	if out, err := build.CombinedOutput(); err != nil {
		missing(t, "no address sanitizer: %v\n%s", err, out)
	}
	text, err := os.ReadFile(built)
	if err != nil || !strings.Contains(string(text), "__asan_report_load8") {
		t.Fatalf("the extension's C code does not ask the address sanitizer (%v)", err)
	}
	path := filepath.Join(folder, "ccbf.duckdb_extension")
	stamp := exec.Command("go", "run", "./cmd/ccbf-extension/stamp", "-o", path, built)
	stamp.Dir = build.Dir
	if out, err := stamp.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// The C++ library must be loaded with it, or it does not find the functions for exceptions.
	var preload []string
	for _, name := range []string{"libasan.so", "libstdc++.so.6"} {
		out, err := exec.Command(compiler(), "-print-file-name="+name).Output()
		lib := strings.TrimSpace(string(out))
		if err != nil || !filepath.IsAbs(lib) {
			missing(t, "%s knows no %s: %v", compiler(), name, err)
		}
		preload = append(preload, lib)
	}
	// Go and DuckDB handle signals and do not free all memory at the end.
	p := cHostIn(t, newest(t), []string{"LD_PRELOAD=" + strings.Join(preload, " "), "ASAN_OPTIONS=detect_leaks=0:handle_segv=0:use_sigaltstack=0"})
	p.load(1, path)
	sqltest.Random(t, &conn{p.client, "1"}, queries.Windows, 14, 0, 60)
}
