package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/bench/report"
)

var (
	code     = regexp.MustCompile("(?s)```.*?```|`[^`]*`")
	measured = regexp.MustCompile(`\[([^\]]*)\]\(ACCURACY\.md#([^)]*)\)`)
	links    = regexp.MustCompile(`\[[^\]]*\]\([^)]*\)`)
	numerals = regexp.MustCompile(`[0-9]+(?:[.,][0-9]+)*%?`)
)

// TestChoosingPage: docs/CHOOSING.md, which is written by hand, has numbers only in
// links to the sections of docs/ACCURACY.md that measured them, and in their results
// they are.
func TestChoosingPage(t *testing.T) {
	read := func(name string) string {
		b, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	text := code.ReplaceAllString(read("CHOOSING.md"), "")
	found := measured.FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		t.Error("no link to a measurement")
	}
	sections := program.Pages[0].Experiments
	for _, m := range found {
		i := slices.IndexFunc(sections, func(e report.Experiment) bool { return report.Anchor(e.Title) == m[2] })
		if i < 0 {
			t.Errorf("no section of ACCURACY.md is #%s", m[2])
			continue
		}
		r := csv.NewReader(strings.NewReader(read("accuracy/" + sections[i].Name + ".csv")))
		r.FieldsPerRecord = -1
		lines, err := r.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		in := numerals.FindAllString(fmt.Sprint(lines), -1)
		for _, n := range numerals.FindAllString(m[1], -1) {
			if !slices.Contains(in, n) {
				t.Errorf("%q is not in the section %s", n, sections[i].Name)
			}
		}
	}
	if stray := numerals.FindAllString(links.ReplaceAllString(text, ""), -1); stray != nil {
		t.Errorf("numbers that no measurement holds: %q", stray)
	}
}
