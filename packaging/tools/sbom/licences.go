package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

var isLicence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|unlicense)([-._].*)?$`)

// find reads the licence files of a part's folder and identifies them. An npm package without a
// licence file gets the standard text of the licence that it names.
func (p *part) find() error {
	entries, err := os.ReadDir(p.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var texts []string
	for _, e := range entries {
		if !e.IsDir() && isLicence.MatchString(e.Name()) {
			text, err := os.ReadFile(filepath.Join(p.folder, e.Name()))
			if err != nil {
				return err
			}
			texts = append(texts, strings.TrimSpace(string(text)))
		}
	}
	p.text = strings.Join(texts, "\n\n")
	if err := p.named(); err != nil {
		return err
	}
	if p.spdx == "" {
		p.spdx = classify(p.text)
	}
	return nil
}

// named uses the licence that package.json names, if there is one.
func (p *part) named() error {
	var npm struct {
		License string
		Author  any // a string or an object
	}
	text, err := os.ReadFile(filepath.Join(p.folder, "package.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(text, &npm)
	}
	if err != nil || npm.License == "" {
		return err
	}
	p.spdx = npm.License
	if p.text != "" {
		return nil
	}
	body, err := bundled.ReadFile("standard/" + npm.License + ".txt")
	if err != nil {
		return fmt.Errorf("%s %s has no licence file, and packaging/tools/sbom/standard has no text of %s", p.name, p.version, npm.License)
	}
	author := "The authors of " + p.name
	switch a := npm.Author.(type) {
	case string:
		author = a
	case map[string]any:
		if name, ok := a["name"].(string); ok {
			author = name
		}
	}
	p.text = fmt.Sprintf("%s, without a file of its own. Copyright (c) %s\n\n%s", npm.License, author, strings.TrimSpace(string(body)))
	return nil
}

// classify returns the SPDX expression of the licences in a text, or "" if none is recognised.
func classify(text string) string {
	var ids []string
	for _, m := range licensecheck.Scan([]byte(text)).Match {
		if !m.IsURL && !slices.Contains(ids, m.ID) {
			ids = append(ids, m.ID)
		}
	}
	return strings.Join(ids, " AND ")
}

func writeLicences(path string, parts []part) error {
	var out strings.Builder
	out.WriteString("The programs contain the following.\n")
	var without []string
	for _, p := range parts {
		if p.text == "" {
			without = append(without, p.name+" "+p.version)
			continue
		}
		fmt.Fprintf(&out, "\n%s\n%s %s\n\n%s\n", strings.Repeat("=", 80), p.name, p.version, p.text)
	}
	// An archive that lacks the licence of a part must not be published.
	if len(without) > 0 {
		return fmt.Errorf("no licence found of %s; are the modules and web/node_modules there?", strings.Join(without, ", "))
	}
	return os.WriteFile(path, []byte(out.String()), 0o644)
}
