package needs

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestLink links a program for old systems. It has constructors, threads, exceptions across the
// border of a library, and every function of the list. It needs nothing newer, and runs here.
func TestLink(t *testing.T) {
	gpp, err := exec.LookPath("g++")
	if err != nil || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("skipped: needs g++ and Linux on amd64 or arm64")
	}
	folder := t.TempDir()
	link := func(out string, args ...string) string {
		path := filepath.Join(folder, out)
		cmd := exec.Command("../../glibc/link", append([]string{"-O1", "-pthread", "-o", path}, args...)...)
		cmd.Env = append(os.Environ(), "CC=gcc", "CXX="+gpp)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("link %v: %v\n%s", args, err, text)
		}
		return path
	}
	library := link("libthrows.so", "-shared", "-fPIC", "testdata/throws.cpp")
	program := link("program", "testdata/program.cpp", "-ldl", "-lm", "-lstdc++")
	threads := link("threads", "testdata/threads.cpp")
	for _, path := range []string{library, program, threads} {
		needs, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		if needs.Glibc.Compare(Oldest) > 0 || needs.Glibc.Compare(Version{2, 2}) < 0 || len(needs.Newest) == 0 {
			t.Errorf("%s needs glibc %v, for %v", filepath.Base(path), needs.Glibc, needs.Newest)
		}
		for _, l := range needs.Libraries {
			if strings.HasPrefix(l, "libstdc++") {
				t.Errorf("%s needs %s", filepath.Base(path), l)
			}
		}
	}
	got, err := exec.Command(program, library).CombinedOutput()
	if want := "constructed once; 8 threads; pow 1024; caught 7; caught 42 of a library\n"; err != nil || string(got) != want {
		t.Errorf("the program says %q, %v; want %q", got, err, want)
	}

	// Thread-local objects, with this glibc and as with one that lacks the function for them.
	old := filepath.Join(folder, "old")
	if text, err := exec.Command("gcc", "-O2", "-fPIC", "-DCCBF_THREAD", `-DCCBF_OF_LIBC="nothing"`, "-c", "-o", old+".o", "../../glibc/compat.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if text, err := exec.Command(gpp, "-O1", "-pthread", "-static-libstdc++", "-o", old, "testdata/threads.cpp", old+".o", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, program := range []string{threads, old} {
		got, err := exec.Command(program).CombinedOutput()
		if want := "thread: -3 -2 -4 -1\nthread again: -3 -2 -4 -1\nmain: -6 -5\n"; err != nil || string(got) != want {
			t.Errorf("%s says %q, %v; want %q", filepath.Base(program), got, err, want)
		}
	}
}

// The extension needs no newer glibc than DuckDB, and nothing of the C++ library. It uses the
// host's libgcc_s, because exceptions pass through code of both.
func TestExtension(t *testing.T) {
	path := os.Getenv("CCBF_EXTENSION")
	if path == "" {
		path = "../../../build/ccbf.duckdb_extension"
	}
	if _, err := os.ReadFile(path); err != nil {
		t.Skipf("skipped: no %s (make extension)", path)
	}
	needs, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("glibc %v, %v, %v", needs.Glibc, needs.Libraries, needs.Others)
	if needs.Glibc.Compare(Oldest) > 0 {
		t.Errorf("needs glibc %v, for %v", needs.Glibc, needs.Newest)
	}
	for _, l := range needs.Libraries {
		switch l {
		case "libc.so.6", "libdl.so.2", "libpthread.so.0", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1":
		default:
			t.Errorf("needs %s", l)
		}
	}
	// The symbols of libgcc in GCC 4.3 of 2008.
	for _, v := range needs.Others {
		switch v {
		case "GCC_3.0", "GCC_3.3", "GCC_4.2.0":
		default:
			t.Errorf("needs version %s", v)
		}
	}
}
