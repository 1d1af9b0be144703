// Command sbom lists the parts of programs, from the data that Go's linker wrote into them. It
// writes an SPDX document, and the licences of all parts in one text.
//
//	sbom -version v0.1.0 -created 2026-11-22T12:00:00Z -name ccbfsql-linux-amd64 -spdx out.json -licences out.txt ccbfsql ccbf-pipeline
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
)

// part is a module or package that is part of a program.
type part struct {
	name, version, purl string // The package URL (purl) identifies the part in SPDX.
	folder              string // Folder with the file of the licence; "": the field text is already set.
	spdx, text          string // The licence: spdx is its SPDX expression, text its text.
}

// options are the flags and arguments of this program.
type options struct {
	version, created, name, page, gcc, spdx, licences string
	programs                                          []string
}

func main() {
	var o options
	flag.StringVar(&o.version, "version", "", "`version` of the described program")
	flag.StringVar(&o.created, "created", "", "`time` of the document, as RFC 3339")
	flag.StringVar(&o.name, "name", "ccbfsql", "name of the document")
	flag.StringVar(&o.page, "page", "", "package-lock.json of the map's page, beside the folder node_modules")
	flag.StringVar(&o.gcc, "gcc", "", "version of GCC whose libraries are linked in")
	flag.StringVar(&o.spdx, "spdx", "", "SPDX document to write")
	flag.StringVar(&o.licences, "licences", "", "text of all licences to write")
	flag.Parse()
	o.programs = flag.Args()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(o options) error {
	if o.version == "" || o.spdx == "" || o.licences == "" || len(o.programs) == 0 {
		return errors.New("needs -version, -spdx, -licences and programs")
	}
	created, err := time.Parse(time.RFC3339, o.created)
	if err != nil {
		return fmt.Errorf("-created: %w", err)
	}
	var parts []part
	var failed error
	add := func(found []part, err error) {
		parts = append(parts, found...)
		failed = errors.Join(failed, err)
	}
	for _, p := range o.programs {
		add(ofProgram(p))
	}
	if o.page != "" {
		add(ofPage(o.page))
	}
	if o.gcc != "" {
		add(ofGCC(o.gcc))
	}
	for i := range parts {
		if parts[i].folder != "" {
			failed = errors.Join(failed, parts[i].find())
		}
	}
	if failed != nil {
		return failed
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.purl, b.purl) })
	parts = slices.Compact(parts)
	if err := writeLicences(o.licences, parts); err != nil {
		return err
	}
	return writeSPDX(o, created.UTC(), parts)
}

// ofProgram returns Go itself and the modules of a program, except for this repository's own.
func ofProgram(path string) ([]part, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	root, cache, err := goFolders()
	if err != nil {
		return nil, err
	}
	version := strings.TrimPrefix(info.GoVersion, "go")
	parts := []part{{name: "go", version: version, purl: "pkg:generic/go@" + version, folder: root}}
	for _, m := range info.Deps {
		if strings.HasPrefix(m.Path+"/", "github.com/ccbfsql/ccbfsql/") {
			continue
		}
		if m.Replace != nil {
			m = m.Replace
		}
		escaped, err := module.EscapePath(m.Path)
		if err != nil {
			return nil, err
		}
		v, err := module.EscapeVersion(m.Version)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{name: m.Path, version: m.Version, purl: "pkg:golang/" + m.Path + "@" + m.Version, folder: filepath.Join(cache, escaped+"@"+v)})
	}
	duckdb, err := ofDuckDB(info, cache)
	return append(parts, duckdb...), err
}

func goFolders() (root, cache string, err error) {
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return "", "", fmt.Errorf("go env: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 2 {
		return "", "", fmt.Errorf("go env GOROOT GOMODCACHE printed %q, not two lines", out)
	}
	return lines[0], lines[1], nil
}

// ofPage returns what the map's page can contain: all npm packages except those for development,
// and the place names.
func ofPage(lock string) ([]part, error) {
	text, err := os.ReadFile(lock)
	if err != nil {
		return nil, err
	}
	var l struct {
		Packages map[string]struct {
			Version string
			Dev     bool
		}
	}
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, fmt.Errorf("%s: %w", lock, err)
	}
	parts := []part{{name: "geonames", purl: "pkg:generic/geonames", folder: filepath.Join(filepath.Dir(lock), "places")}}
	const modules = "node_modules/"
	for path, p := range l.Packages {
		at := strings.LastIndex(path, modules)
		if at < 0 || p.Dev {
			continue
		}
		name := path[at+len(modules):]
		parts = append(parts, part{name: name, version: p.Version, purl: "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version, folder: filepath.Join(filepath.Dir(lock), path)})
	}
	return parts, nil
}
