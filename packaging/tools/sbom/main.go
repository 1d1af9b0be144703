// Command sbom says what programs are made of, from what Go's linker wrote into them:
// an SPDX document, and the licences of all parts in one text.
//
//	sbom -version v0.1.0 -created 2026-11-22T12:00:00Z -name ccbfsql-linux-amd64 -spdx out.json -licences out.txt ccbfsql ccbf-pipeline
package main

import (
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"
	"golang.org/x/mod/module"
)

// part is a module or package that is inside.
type part struct {
	name, version, purl string
	folder              string // of its licence
}

type options struct {
	version, created, name, page, spdx, licences string
	programs                                     []string
}

func main() {
	var o options
	flag.StringVar(&o.version, "version", "", "version of what is described")
	flag.StringVar(&o.created, "created", "", "its time, RFC 3339")
	flag.StringVar(&o.name, "name", "ccbfsql", "name of the document")
	flag.StringVar(&o.page, "page", "", "package-lock.json of the map's page, beside the folder node_modules")
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
	for _, p := range o.programs {
		found, err := ofProgram(p)
		if err != nil {
			return err
		}
		parts = append(parts, found...)
	}
	if o.page != "" {
		found, err := ofPage(o.page)
		if err != nil {
			return err
		}
		parts = append(parts, found...)
	}
	slices.SortFunc(parts, func(a, b part) int { return strings.Compare(a.purl, b.purl) })
	parts = slices.Compact(parts)
	if err := writeLicences(o.licences, parts); err != nil {
		return err
	}
	return writeSPDX(o, created.UTC(), parts)
}

// ofProgram is Go itself and the modules of a program, but for this repository's own.
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
	parts := []part{{"go", version, "pkg:generic/go@" + version, root}}
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
		parts = append(parts, part{m.Path, m.Version, "pkg:golang/" + m.Path + "@" + m.Version, filepath.Join(cache, escaped+"@"+v)})
	}
	return parts, nil
}

func goFolders() (root, cache string, err error) {
	out, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return "", "", fmt.Errorf("go env: %w", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 2 {
		return "", "", fmt.Errorf("go env answers %q", out)
	}
	return lines[0], lines[1], nil
}

// ofPage is what the map's page may have inside: all packages but those of development,
// and the names of places.
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
	parts := []part{{"geonames", "", "pkg:generic/geonames", filepath.Join(filepath.Dir(lock), "places")}}
	for path, p := range l.Packages {
		_, name, ok := cutLast(path, "node_modules/")
		if !ok || p.Dev {
			continue
		}
		parts = append(parts, part{name, p.Version, "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version, filepath.Join(filepath.Dir(lock), path)})
	}
	return parts, nil
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

var isLicence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicense)([-._].*)?$`)

// licence is the text of a part's licence files. A part whose folder is missing or
// has none (some of npm name it in package.json alone) has a line that says so.
func (p part) licence() (string, error) {
	entries, err := os.ReadDir(p.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	var texts []string
	for _, e := range entries {
		if !e.IsDir() && isLicence.MatchString(e.Name()) {
			text, err := os.ReadFile(filepath.Join(p.folder, e.Name()))
			if err != nil {
				return "", err
			}
			texts = append(texts, strings.TrimSpace(string(text)))
		}
	}
	if len(texts) > 0 {
		return strings.Join(texts, "\n\n"), nil
	}
	var npm struct{ License string }
	if text, err := os.ReadFile(filepath.Join(p.folder, "package.json")); err == nil && json.Unmarshal(text, &npm) == nil && npm.License != "" {
		return "Licence: " + npm.License, nil
	}
	return "", nil
}

func writeLicences(path string, parts []part) error {
	var out strings.Builder
	out.WriteString("The programs contain the following, besides the C and C++ libraries of GCC (GPL\nversion 3 with the GCC Runtime Library Exception).\n")
	var without []string
	for _, p := range parts {
		text, err := p.licence()
		if err != nil {
			return err
		}
		if text == "" {
			without = append(without, p.name+" "+p.version)
			continue
		}
		fmt.Fprintf(&out, "\n%s\n%s %s\n\n%s\n", strings.Repeat("=", 80), p.name, p.version, text)
	}
	// An archive without a part's licence must not be handed out unnoticed.
	if len(without) > 0 {
		return fmt.Errorf("no licence found of %s; are the modules and web/node_modules there?", strings.Join(without, ", "))
	}
	return os.WriteFile(path, []byte(out.String()), 0o644)
}

var notInID = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

func writeSPDX(o options, created time.Time, parts []part) error {
	own := pack(part{"ccbfsql", o.version, "pkg:github/ccbfsql/ccbfsql@" + o.version, ""})
	own.PackageLicenseDeclared = "MIT"
	own.PrimaryPackagePurpose = "APPLICATION"
	doc := spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT",
		DocumentName:      o.name,
		DocumentNamespace: "https://github.com/ccbfsql/ccbfsql/releases/download/" + o.version + "/" + o.name + ".spdx.json",
		CreationInfo: &spdx.CreationInfo{
			Creators: []common.Creator{{CreatorType: "Tool", Creator: "ccbfsql-sbom"}, {CreatorType: "Organization", Creator: "The ccbfsql authors"}},
			Created:  created.Format(time.RFC3339),
		},
		Packages: []*spdx.Package{own},
		Relationships: []*spdx.Relationship{{
			RefA: common.MakeDocElementID("", "DOCUMENT"), RefB: common.MakeDocElementID("", string(own.PackageSPDXIdentifier)), Relationship: common.TypeRelationshipDescribe,
		}},
	}
	for _, p := range parts {
		pkg := pack(p)
		doc.Packages = append(doc.Packages, pkg)
		doc.Relationships = append(doc.Relationships, &spdx.Relationship{
			RefA:         common.MakeDocElementID("", string(own.PackageSPDXIdentifier)),
			RefB:         common.MakeDocElementID("", string(pkg.PackageSPDXIdentifier)),
			Relationship: common.TypeRelationshipContains,
		})
	}
	out, err := os.Create(o.spdx)
	if err != nil {
		return err
	}
	if err := spdxjson.Write(doc, out, spdxjson.Indent(" ")); err != nil {
		return errors.Join(err, out.Close())
	}
	return out.Close()
}

// pack describes a part. Licences are beside it as text; nobody has judged them here.
func pack(p part) *spdx.Package {
	return &spdx.Package{
		PackageName: p.name, PackageVersion: p.version,
		PackageSPDXIdentifier:     common.ElementID("Package-" + notInID.ReplaceAllString(strings.TrimPrefix(p.purl, "pkg:"), "-")),
		PackageDownloadLocation:   "NOASSERTION",
		PackageLicenseConcluded:   "NOASSERTION",
		PackageLicenseDeclared:    "NOASSERTION",
		PackageCopyrightText:      "NOASSERTION",
		IsFilesAnalyzedTagPresent: true,
		PackageExternalReferences: []*spdx.PackageExternalReference{{Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL, Locator: p.purl}},
	}
}
