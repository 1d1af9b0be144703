package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	pageFile   = "ACCURACY.md"
	plotFolder = "accuracy" // beside the page
)

const preamble = `# Accuracy: what was published and what is measured here

This page is written by ` + "`make paper`" + ` (about ten minutes on two idle cores; ` + "`make paper ARGS='-only rational'`" + `
replaces one section). Every number comes from a run of the program in ` + "`bench/paper`" + `; nothing is copied in by hand except
the columns and words marked as published. Keys, hashes and streams are seeded: a run on another machine gives the
same numbers, but for times, which stand here only as ratios within one run.

How to read the tables:

- **Spread.** "a ± b" is the mean and the standard deviation over seeds. "[a, b]" is a 95% interval; for rates it is
  Wilson's score interval.
- **z** is the distance of a measurement from a formula in standard errors. Below 4 in either direction, chance
  explains it.
- **Rate** is the false positive rate: the share of absent keys that a filter says it may hold.
- **Additive error** is the root of the mean of (estimate - truth)² over the distinct keys. **Wrong** is the share of the
  distinct keys whose estimate is not the truth.
- **gamma** is n k / m: keys times hash functions over counters.
`

// A section stands between two comments, so that it can be replaced alone.
var sections = regexp.MustCompile(`(?s)<!-- begin (\S+) -->\n(.*?)<!-- end \S+ -->\n`)

// findingMark is before a section's finding.
const findingMark = "**In short:** "

// findingOf is the finding of a section's text.
func findingOf(text string) string {
	_, rest, there := strings.Cut(text, findingMark)
	if !there {
		return ""
	}
	finding, _, _ := strings.Cut(rest, "\n")
	return ": " + finding
}

// write puts the section into the page in dir, in its place, and its figures
// beside it.
func (s *section) write(dir string) error {
	path := filepath.Join(dir, pageFile)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, plotFolder), 0o755); err != nil {
		return err
	}
	stale, err := filepath.Glob(filepath.Join(dir, plotFolder, s.name+"-*.svg"))
	if err != nil {
		return err
	}
	for _, f := range stale {
		if err := os.Remove(f); err != nil {
			return err
		}
	}
	for _, b := range s.blocks {
		if f, ok := b.(*figure); ok {
			if err := os.WriteFile(filepath.Join(dir, plotFolder, f.file()), f.svg, 0o644); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(path, replace(old, s.name, s.markdown()), 0o644)
}

// replace is the page with one section new: the sections in the order of the
// experiments, those without an experiment left out.
func replace(page []byte, name, text string) []byte {
	texts := map[string]string{}
	for _, m := range sections.FindAllSubmatch(page, -1) {
		texts[string(m[1])] = string(m[2])
	}
	texts[name] = text
	var b bytes.Buffer
	b.WriteString(preamble)
	b.WriteString("\nWhat came out:\n\n")
	for _, e := range experiments {
		if texts[e.name] != "" {
			fmt.Fprintf(&b, "- [%s](#%s)%s\n", e.title, anchor(e.title), findingOf(texts[e.name]))
		}
	}
	for _, e := range experiments {
		if t := texts[e.name]; t != "" {
			fmt.Fprintf(&b, "\n<!-- begin %s -->\n%s<!-- end %s -->\n", e.name, t, e.name)
		}
	}
	return b.Bytes()
}

// anchor is how GitHub names a heading.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		case r == ' ':
			return '-'
		}
		return -1
	}, title)
}
