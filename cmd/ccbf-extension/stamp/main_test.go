package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPlatform(t *testing.T) {
	for want, c := range map[string][2]string{
		"linux_amd64": {"linux", "amd64"}, "linux_arm64": {"linux", "arm64"},
		"osx_arm64": {"darwin", "arm64"}, "windows_amd64": {"windows", "amd64"},
	} {
		if got := platform(c[0], c[1]); got != want {
			t.Errorf("%v: platform %s, want %s", c, got, want)
		}
	}
}

var sample = footer{"v0.1.0", "linux_amd64"}

// The expected bytes are written out here from DuckDB's description, and not from the code under test.
func TestStamp(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "lib.so"), filepath.Join(dir, "ccbf.duckdb_extension")
	const library = "\x7fELF and so on"
	if err := os.WriteFile(in, []byte(library), 0o644); err != nil {
		t.Fatal(err)
	}
	stamped := func(version string) os.FileInfo {
		t.Helper()
		f := sample
		f.extension = version
		field := func(text string) string { return text + strings.Repeat("\x00", 32-len(text)) }
		// DuckDB reads the last 512 bytes; the 22 before are the section's head.
		want := library + "\x00\x93\x04\x10duckdb_signature\x80\x04" + strings.Repeat("\x00", 3*32) +
			field("C_STRUCT") + field(version) + field("v1.2.0") + field("linux_amd64") + field("4") + strings.Repeat("\x00", 256)
		size, err := stamp(in, out, f)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(out); err != nil || string(got) != want || size != len(want) {
			t.Errorf("%d bytes, %v\ngot  %q\nwant %q", size, err, got, want)
		}
		info, err := os.Stat(out)
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	before := stamped("v0.1.0")
	if !os.SameFile(before, stamped("v0.1.0")) {
		t.Error("the same bytes were written again")
	}
	stamped("v0.2.0")
	// A second stamp is an error and changes nothing, in place and into a third file.
	for _, second := range []string{out, filepath.Join(dir, "twice")} {
		if _, err := stamp(out, second, sample); err == nil || !strings.Contains(err.Error(), "is stamped already") {
			t.Errorf("stamped twice: error %v", err)
		}
	}
	stamped("v0.2.0")
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("files left: %v, %v", left, err)
	}
}

func TestRefuses(t *testing.T) {
	long := strings.Repeat("v", 32)
	for want, f := range map[string]footer{
		"no platform":                        {"v1", ""},
		"no extension version":               {"", "linux_amd64"},
		`"` + long + `" is 32 bytes long`:    {long, "linux_amd64"},
		`platform "linux amd64": only print`: {"v1", "linux amd64"},
	} {
		if _, err := f.bytes(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	end, err := sample.bytes()
	if err != nil {
		t.Fatal(err)
	}
	for n := range end {
		if isStamped(end[n+1:]) {
			t.Fatalf("a footer without its first %d bytes is a footer", n+1)
		}
	}
}
