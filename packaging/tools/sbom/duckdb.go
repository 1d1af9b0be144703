package main

import (
	"debug/buildinfo"
	"embed"
	"fmt"
	"path/filepath"
	"strings"
)

// duckdbVersion is the version of DuckDB whose components are listed below. The version of the
// driver's module contains it: v0.10506.0 has DuckDB 1.5.6.
const (
	duckdbVersion  = "1.5.6"
	bindingsPrefix = "v0.10506."
)

// component is a library that DuckDB includes in its source, in third_party or an extension.
type component struct {
	name, version, spdx string // version is "" if the source does not state it
}

//go:embed duckdb gcc.txt
var bundled embed.FS

// libraries lists the static libraries of the driver's module with their components. All of them
// contain DuckDB's own code.
var libraries = map[string][]component{
	"duckdb_static": {
		{"alp", "", "MIT"}, {"concurrentqueue", "", "BSD-2-Clause OR BSL-1.0"}, {"fast_float", "", "MIT"},
		{"httplib", "0.27.0", "MIT"}, {"pcg", "", "MIT"}, {"pdqsort", "", "Zlib"}, {"ska_sort", "", "BSL-1.0"},
		{"tdigest", "", "Apache-2.0"}, {"vergesort", "", "MIT"},
	},
	"duckdb_generated_extension_loader": nil,
	"autocomplete_extension":            nil,
	"core_functions_extension":          {{"jaro_winkler", "", "MIT"}},
	"icu_extension":                     {{"icu", "66.1", ""}},
	"json_extension":                    nil,
	"parquet_extension": {
		{"brotli", "1.1.0", "MIT"}, {"lz4", "1.9.4", "BSD-2-Clause"}, {"parquet", "", "Apache-2.0"},
		{"snappy", "1.1.7", "BSD-3-Clause"}, {"thrift", "", "Apache-2.0"},
	},
	"tpcds_extension":    {{"tpcds", "", ""}},
	"tpch_extension":     {{"tpch", "", ""}},
	"duckdb_fastpforlib": {{"fastpforlib", "", "Apache-2.0"}},
	"duckdb_fmt":         {{"fmt", "6.1.2", "MIT"}},
	"duckdb_fsst":        {{"fsst", "", "MIT"}},
	"duckdb_hyperloglog": {{"hyperloglog", "", "BSD-3-Clause"}},
	"duckdb_jemalloc":    {{"jemalloc", "5.3.0", "BSD-2-Clause"}},
	"duckdb_mbedtls":     {{"mbedtls", "3.6.4", "Apache-2.0"}},
	"duckdb_miniz":       {{"miniz", "", "MIT"}},
	"duckdb_pg_query":    {{"libpg_query", "", "BSD-3-Clause AND PostgreSQL"}},
	"duckdb_re2":         {{"re2", "", "BSD-3-Clause"}},
	"duckdb_skiplistlib": {{"skiplist", "", "MIT"}},
	"duckdb_utf8proc":    {{"utf8proc", "2.9.0", ""}},
	"duckdb_yyjson":      {{"yyjson", "0.9.0", "MIT"}},
	"duckdb_zstd":        {{"zstd", "1.5.6", "BSD-3-Clause"}},
}

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
			return nil, fmt.Errorf("%s is %s, but the components listed in packaging/tools/sbom/duckdb.go are those of DuckDB %s: compare them with third_party of the new version", m.Path, m.Version, duckdbVersion)
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
	list := []component{{"duckdb", duckdbVersion, "MIT"}}
	for _, a := range archives {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(a), "lib"), ".a")
		inside, known := libraries[name]
		if !known {
			return nil, fmt.Errorf("%s is not in the list of packaging/tools/sbom/duckdb.go: add its components with version and licence", a)
		}
		list = append(list, inside...)
	}
	var parts []part
	for _, c := range list {
		text, err := bundled.ReadFile("duckdb/" + c.name + ".txt")
		if err != nil {
			return nil, fmt.Errorf("%s has no licence text: %w", c.name, err)
		}
		version := c.version
		if version == "" {
			version = "of DuckDB " + duckdbVersion
		}
		purl := "pkg:github/duckdb/duckdb@v" + duckdbVersion
		if c.name != "duckdb" {
			purl += "#third_party/" + c.name
		}
		parts = append(parts, part{name: c.name, version: version, purl: purl, spdx: c.spdx, text: strings.TrimSpace(string(text))})
	}
	return parts, nil
}

// ofGCC returns GCC's C++ libraries, which are linked into programs for Linux.
func ofGCC(version string) (part, error) {
	text, err := bundled.ReadFile("gcc.txt")
	return part{
		name: "libstdc++ and libgcc", version: version, purl: "pkg:generic/gcc@" + version,
		spdx: "GPL-3.0-or-later WITH GCC-exception-3.1", text: strings.TrimSpace(string(text)),
	}, err
}
