package footer

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var sample = Footer{ABI: "C_STRUCT", Extension: "v0.1.0", API: "v1.2.0", Platform: "linux_amd64"}

// field is a text with the zeros that fill its 32 bytes.
func field(text string) string { return text + strings.Repeat("\x00", 32-len(text)) }

// Byte by byte, written out here from DuckDB's description and not from the
// code under test.
func TestStamp(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "lib.so"), filepath.Join(dir, "ccbf.duckdb_extension")
	library := "\x7fELF and so on"
	if err := os.WriteFile(in, []byte(library), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Stamp(in, out, sample); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	want := library +
		"\x00" + "\x93\x04" + "\x10" + "duckdb_signature" + "\x80\x04" +
		field("") + field("") + field("") +
		field("C_STRUCT") + field("v0.1.0") + field("v1.2.0") + field("linux_amd64") + field("4") +
		strings.Repeat("\x00", 256)
	if string(got) != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	// DuckDB reads the last 512 bytes; the 22 before are the section's head.
	if n := len(got) - len(library); n != 534 || n != Size {
		t.Errorf("the footer is %d bytes, Size is %d; want 534", n, Size)
	}
	if f, ok := Read(got); !ok || f != sample {
		t.Errorf("read back %+v, %v", f, ok)
	}
	if after, err := os.ReadFile(in); err != nil || string(after) != library {
		t.Errorf("the library was changed: %q, %v", after, err)
	}

	// Twice is refused, in place and into a third file, and changes nothing.
	for _, second := range []string{out, filepath.Join(dir, "twice")} {
		if err := Stamp(out, second, sample); !errors.Is(err, ErrStamped) || !strings.Contains(err.Error(), "linux_amd64") {
			t.Errorf("stamped twice: error %v", err)
		}
	}
	if again, err := os.ReadFile(out); err != nil || !bytes.Equal(again, got) {
		t.Errorf("a refused stamp changed the file (%v)", err)
	}
	// A build over the old file is no second stamp, and the same build leaves it.
	before, err := os.Stat(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := Stamp(in, out, sample); err != nil {
		t.Error(err)
	}
	if after, err := os.Stat(out); err != nil || !os.SameFile(before, after) {
		t.Errorf("the same bytes were written again (%v)", err)
	}
	other := sample
	other.Extension = "v0.2.0"
	if err := Stamp(in, out, other); err != nil {
		t.Error(err)
	}
	if b, err := os.ReadFile(out); err != nil {
		t.Error(err)
	} else if f, ok := Read(b); !ok || f != other {
		t.Errorf("stamped anew: %+v, %v", f, ok)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 2 {
		t.Errorf("files left: %v, %v", left, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*.*")); err != nil || len(left) != 0 {
		t.Errorf("temporary files left: %v, %v", left, err)
	}
}

func TestRefuses(t *testing.T) {
	long := strings.Repeat("v", 32)
	for name, f := range map[string]Footer{
		"no platform":                        {ABI: "C_STRUCT", Extension: "v1", API: "v1.2.0"},
		"no extension version":               {ABI: "C_STRUCT", API: "v1.2.0", Platform: "linux_amd64"},
		`"` + long + `" is 32 bytes long`:    {ABI: "C_STRUCT", Extension: long, API: "v1.2.0", Platform: "linux_amd64"},
		`platform "linux amd64": only print`: {ABI: "C_STRUCT", Extension: "v1", API: "v1.2.0", Platform: "linux amd64"},
	} {
		if _, err := f.Bytes(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one with %q", err, name)
		}
	}
	if err := Stamp(filepath.Join(t.TempDir(), "missing.so"), "out", sample); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a library that is not there: error %v", err)
	}
}

func TestReadOfNoFooter(t *testing.T) {
	whole, err := sample.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if f, ok := Read(whole[n+1:]); ok {
			t.Fatalf("a footer without its first %d bytes was read: %+v", n+1, f)
		}
	}
	if _, ok := Read(append(bytes.Clone(whole), 0)); ok {
		t.Error("a footer that is not at the end was read")
	}
}
