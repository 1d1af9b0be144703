package main

import (
	"cmp"
	"debug/buildinfo"
	"embed"
	"encoding/csv"
	"fmt"
	"path/filepath"
	"strings"
)

// duckdbVersion is the version of DuckDB whose components are listed in duckdb/components.csv. The version of the
// driver's module contains it: v0.10506.0 has DuckDB 1.5.6.
const (
	duckdbVersion  = "1.5.6"
	bindingsPrefix = "v0.10506."
)

// bundled has the licences of DuckDB, its components and GCC. In the folder standard it has those that some
// packages name but do not include. Their copyright line follows from the package.
//
//go:embed duckdb gcc.txt standard
var bundled embed.FS

// listed has a line for each component of a static library of the driver's module. It has the library, and the
// component with its version and its licence. The version is "" if the source does not state it. All libraries
// contain DuckDB's own code, and those without a component nothing else.
//
//go:embed duckdb/components.csv
var listed string

// bindings is the path of the modules with DuckDB's static libraries, one per system.
const bindings = "github.com/duckdb/duckdb-go-bindings/lib/"

// ofDuckDB returns DuckDB and its components for a program that links it. A library that is not
// listed is an error, because its licence would be missing.
func ofDuckDB(info *buildinfo.BuildInfo, cache string) ([]part, error) {
	for _, m := range info.Deps {
		if !strings.HasPrefix(m.Path, bindings) {
			continue
		}
		if !strings.HasPrefix(m.Version, bindingsPrefix) {
			return nil, fmt.Errorf("%s is %s, but the components listed in packaging/tools/sbom/duckdb/components.csv are those of DuckDB %s: compare them with third_party of the new version", m.Path, m.Version, duckdbVersion)
		}
		archives, err := filepath.Glob(filepath.Join(cache, m.Path+"@"+m.Version, "lib*.a"))
		if err != nil {
			return nil, err
		}
		return components(archives)
	}
	return nil, nil
}

// components returns the components of static libraries, DuckDB first.
func components(archives []string) ([]part, error) {
	if len(archives) == 0 {
		return nil, fmt.Errorf("the driver's module has no static library")
	}
	all, err := csv.NewReader(strings.NewReader(listed)).ReadAll()
	if err != nil {
		return nil, err
	}
	list := [][]string{{"", "duckdb", duckdbVersion, "MIT"}}
	for _, a := range archives {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(a), "lib"), ".a")
		before := len(list)
		for _, line := range all {
			if line[0] == name {
				list = append(list, line)
			}
		}
		if len(list) == before {
			return nil, fmt.Errorf("%s is not in the list of packaging/tools/sbom/duckdb/components.csv: add its components with version and licence", a)
		}
	}
	var parts []part
	for _, line := range list {
		name, version, spdx := line[1], line[2], line[3]
		if name == "" {
			continue
		}
		text, err := bundled.ReadFile("duckdb/" + name + ".txt")
		if err != nil {
			return nil, fmt.Errorf("%s has no licence text: %w", name, err)
		}
		purl := "pkg:github/duckdb/duckdb@v" + duckdbVersion
		if name != "duckdb" {
			purl += "#third_party/" + name
		}
		parts = append(parts, part{name: name, version: cmp.Or(version, "of DuckDB "+duckdbVersion), purl: purl, spdx: spdx, text: strings.TrimSpace(string(text))})
	}
	return parts, nil
}

// ofGCC returns GCC's C++ libraries, which are linked into programs for Linux.
func ofGCC(version string) ([]part, error) {
	text, err := bundled.ReadFile("gcc.txt")
	return []part{{
		name: "libstdc++ and libgcc", version: version, purl: "pkg:generic/gcc@" + version,
		spdx: "GPL-3.0-or-later WITH GCC-exception-3.1", text: strings.TrimSpace(string(text)),
	}}, err
}
