package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Every static library of the driver's module has its components with licence texts. A library that
// is not listed is an error.
func TestStaticLibraries(t *testing.T) {
	out, err := exec.Command("go", "list", "-C", "../../..", "-m", "-f", "{{.Dir}}", "github.com/duckdb/duckdb-go-bindings/lib/linux-amd64").Output()
	if err != nil {
		t.Fatal(err)
	}
	archives, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "lib*.a"))
	if err != nil {
		t.Fatal(err)
	}
	parts, err := components(archives)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, p := range parts {
		texts[p.name] = p.text
	}
	for name, holder := range map[string]string{
		"duckdb": "DuckDB Foundation", "icu": "Unicode, Inc.", "mbedtls": "Apache License", "zstd": "Facebook",
		"libpg_query": "PostgreSQL Global Development Group", "hyperloglog": "Salvatore Sanfilippo", "jemalloc": "Jason Evans",
		"httplib": "yhirose", "yyjson": "YaoYuan", "re2": "The RE2 Authors", "utf8proc": "Public Software Group",
	} {
		if !strings.Contains(texts[name], holder) {
			t.Errorf("the licence of %s does not name %s", name, holder)
		}
	}
	if _, err := components(append(archives, "libduckdb_new.a")); err == nil || !strings.Contains(err.Error(), "libduckdb_new.a") {
		t.Errorf("an unknown library: %v", err)
	}
}

// An npm package that only names its licence in package.json gets the standard text. A licence
// without a standard text is an error.
func TestNamedLicence(t *testing.T) {
	folder := t.TempDir()
	write := func(licence string) {
		text := `{"license": "` + licence + `", "author": {"name": "A. Nonymous"}}`
		if err := os.WriteFile(filepath.Join(folder, "package.json"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("BSD-3-Clause")
	p := part{name: "n", version: "1", folder: folder}
	if err := p.find(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.text, "A. Nonymous") || classify(p.text) != "BSD-3-Clause" || p.spdx != "BSD-3-Clause" {
		t.Errorf("%s: %s", p.spdx, p.text)
	}
	write("Beerware")
	if err := (&part{name: "n", version: "1", folder: folder}).find(); err == nil || !strings.Contains(err.Error(), "Beerware") {
		t.Errorf("no text, no error: %v", err)
	}
}
