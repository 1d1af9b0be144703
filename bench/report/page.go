package report

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Page is a page of measurements, one section for each experiment.
type Page struct {
	Program  string   // that writes it, as in "go run ./paper"
	File     string   // its name, as in "ACCURACY.md"
	Plots    string   // the folder of its figures, beside it
	Preamble string   // its title and what one needs to know to read it
	Claims   []string // heads of the table of what all sections claim
	// Experiments in the order of the page.
	Experiments []Experiment
}

// Experiment is one section of a page.
type Experiment struct {
	Name, Title string
	Run         func(Config, *Section)
}

// A section stands between two comments, so that it can be replaced alone; and
// so do its claims, so that they can be collected.
var sections = regexp.MustCompile(`(?s)<!-- begin (\S+) -->\n(.*?)<!-- end \S+ -->\n`)

const (
	claimsBegin = "<!-- claims -->\n\n"
	claimsEnd   = "\n<!-- end of claims -->\n"

	// findingMark is before a section's finding.
	findingMark = "**In short:** "
)

// findingOf is the finding of a section's text.
func findingOf(text string) string {
	_, rest, there := strings.Cut(text, findingMark)
	if !there {
		return ""
	}
	finding, _, _ := strings.Cut(rest, "\n")
	return ": " + finding
}

// claimsOf are the lines of the table of claims of a section's text.
func claimsOf(text string) []string {
	_, rest, there := strings.Cut(text, claimsBegin)
	if !there {
		return nil
	}
	table, _, _ := strings.Cut(rest, claimsEnd)
	return slices.Collect(strings.Lines(table))[2:] // without the head
}

// write puts the section into the page in dir, in its place, and its figures
// beside it.
func (s *Section) write(dir string) error {
	path, plots := filepath.Join(dir, s.page.File), filepath.Join(dir, s.page.Plots)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(plots, 0o755); err != nil {
		return err
	}
	stale, err := filepath.Glob(filepath.Join(plots, s.name+"-*.svg"))
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
			if err := os.WriteFile(filepath.Join(plots, f.file), f.svg, 0o644); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(path, s.page.replace(old, s.name, s.markdown()), 0o644)
}

// replace is the page with one section new: the sections in the order of the
// experiments, those without an experiment left out.
func (p *Page) replace(page []byte, name, text string) []byte {
	texts := map[string]string{}
	for _, m := range sections.FindAllSubmatch(page, -1) {
		texts[string(m[1])] = string(m[2])
	}
	texts[name] = text
	var b bytes.Buffer
	b.WriteString(p.Preamble)
	b.WriteString("\nWhat came out:\n\n")
	claims := Table{head: append([]string{"section"}, p.Claims...)}
	for _, e := range p.Experiments {
		t := texts[e.Name]
		if t == "" {
			continue
		}
		fmt.Fprintf(&b, "- [%s](#%s)%s\n", e.Title, Anchor(e.Title), findingOf(t))
		for _, c := range claimsOf(t) {
			cells := strings.TrimSuffix(strings.TrimPrefix(c, "| "), " |\n")
			claims.Row(fmt.Sprintf("[%s](#%s)", e.Name, Anchor(e.Title)), cells)
		}
	}
	if len(claims.rows) > 0 {
		b.WriteString("\n" + claims.markdown(nil))
	}
	for _, e := range p.Experiments {
		if t := texts[e.Name]; t != "" {
			fmt.Fprintf(&b, "\n<!-- begin %s -->\n%s<!-- end %s -->\n", e.Name, t, e.Name)
		}
	}
	return b.Bytes()
}

// Anchor is how GitHub names a heading.
func Anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r == ' ':
			return '-'
		}
		return -1
	}, title)
}
