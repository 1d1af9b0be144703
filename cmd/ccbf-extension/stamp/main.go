// Command stamp makes a DuckDB extension of a shared library, by the footer that
// DuckDB looks for at the end of the file.
//
//	stamp -o ccbf.duckdb_extension libccbf.so
package main

import (
	"bytes"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	f := footer{}
	var out string
	flag.StringVar(&out, "o", "ccbf.duckdb_extension", "file to write; LOAD goes by its name, which must begin with ccbf")
	flag.StringVar(&f.platform, "platform", "", "DuckDB's name for the platform (PRAGMA platform; default: what the library was built for)")
	flag.StringVar(&f.extension, "version", "development", "the extension's version")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: stamp [flags] library")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), out, f); err != nil {
		fmt.Fprintln(os.Stderr, "stamp:", err)
		os.Exit(1)
	}
}

func run(library, out string, f footer) error {
	if f.platform == "" {
		info, err := buildinfo.ReadFile(library)
		if err != nil {
			return fmt.Errorf("%w; name its -platform", err)
		}
		f.platform = platform(setting(info, "GOOS"), setting(info, "GOARCH"))
	}
	size, err := stamp(library, out, f)
	if err == nil {
		fmt.Printf("%s: %.2f MB (%d bytes), version %s, %s, C API %s\n", out, float64(size)/1e6, size, f.extension, f.platform, capi)
	}
	return err
}

// stamp copies the library in to the file out, appends a footer, and returns the size of the file. A
// library that has a footer is an error.
func stamp(in, out string, f footer) (size int, err error) {
	library, err := os.ReadFile(in)
	if err != nil {
		return 0, err
	}
	if isStamped(library) {
		return 0, fmt.Errorf("%s is stamped already; stamp the library as the linker left it", in)
	}
	end, err := f.bytes()
	if err != nil {
		return 0, err
	}
	whole := append(library, end...)
	if old, err := os.ReadFile(out); err == nil && bytes.Equal(old, whole) {
		return len(whole), nil // its time stays, so make does not run again
	}
	// A new file replaces the old one. A process that has loaded the old one has it mapped, and must
	// not see it change.
	tmp, err := os.CreateTemp(filepath.Dir(out), "."+filepath.Base(out)+".")
	if err != nil {
		return 0, err
	}
	_, err = tmp.Write(whole)
	err = errors.Join(err, tmp.Chmod(0o755), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), out)
	}
	if err != nil {
		_ = os.Remove(tmp.Name()) // the first error is the one to tell
	}
	return len(whole), err
}

func setting(info *buildinfo.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}

// platform is DuckDB's name for a platform of Go's.
func platform(goos, goarch string) string {
	// The name has no suffix for the compiler, on Windows either. Go's compiler is MinGW there and DuckDB's
	// is not, but only tables of C functions pass between them.
	if goos == "darwin" {
		goos = "osx"
	}
	return goos + "_" + goarch
}
