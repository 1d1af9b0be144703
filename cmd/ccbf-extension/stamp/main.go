// Command stamp makes a DuckDB extension of a shared library, by the footer that
// DuckDB looks for at the end of the file.
//
//	stamp -o ccbf.duckdb_extension libccbf.so
package main

import (
	"debug/buildinfo"
	"flag"
	"fmt"
	"os"

	"github.com/ccbfsql/ccbfsql/cmd/ccbf-extension/internal/footer"
)

func main() {
	f := footer.Footer{}
	var out string
	flag.StringVar(&out, "o", "ccbf.duckdb_extension", "file to write; LOAD goes by its name, which must begin with ccbf")
	flag.StringVar(&f.Platform, "platform", "", "DuckDB's name for the platform (PRAGMA platform; default: what the library was built for)")
	flag.StringVar(&f.Extension, "version", "development", "the extension's version")
	flag.StringVar(&f.API, "api", "v1.2.0", "oldest C API of DuckDB that the library works with")
	flag.StringVar(&f.ABI, "abi", "C_STRUCT", "how DuckDB hands over its API")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: stamp [flags] library")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := stamp(flag.Arg(0), out, f); err != nil {
		fmt.Fprintln(os.Stderr, "stamp:", err)
		os.Exit(1)
	}
}

func stamp(library, out string, f footer.Footer) error {
	if f.Platform == "" {
		info, err := buildinfo.ReadFile(library)
		if err != nil {
			return fmt.Errorf("%w; name its -platform", err)
		}
		f.Platform = platform(setting(info, "GOOS"), setting(info, "GOARCH"))
	}
	if err := footer.Stamp(library, out, f); err != nil {
		return err
	}
	st, err := os.Stat(out)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %.2f MB (%d bytes), version %s, %s, C API %s\n", out, float64(st.Size())/1e6, st.Size(), f.Extension, f.Platform, f.API)
	return nil
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
