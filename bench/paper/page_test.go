package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// notNumbers finds what a number must not be, as a word.
var notNumbers = regexp.MustCompile(`\b(NaN|Inf)\b|%!`)

// TestExperiments runs every experiment at the smallest size: whatever is said
// is well formed, every table has a row for each of its parameters, and no
// number is missing.
func TestExperiments(t *testing.T) {
	for _, e := range experiments {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			s, err := e.section(config{scale: tiny, data: filepath.Join("..", "..", "..", "shared", "data")})
			if err != nil {
				t.Fatal(err)
			}
			if s.finding == "" {
				t.Error("no finding")
			}
			if bad := notNumbers.FindString(s.markdown()); bad != "" {
				t.Errorf("%s in:\n%s", bad, s.markdown())
			}
			var rows []int
			figures := 0
			for _, b := range s.blocks {
				switch b := b.(type) {
				case *table:
					rows = append(rows, len(b.rows))
					for _, r := range b.rows {
						if len(r) != len(b.head) {
							t.Errorf("a row of %d cells under %d: %v", len(r), len(b.head), r)
						}
						for i, cell := range r {
							if cell == "" {
								t.Errorf("nothing under %q in %v", b.head[i], r)
							}
						}
					}
				case *figure:
					figures++
					checkFigure(t, b)
				}
			}
			if want, known := tableRows[e.name]; known && !slices.Equal(rows, want) || len(rows) == 0 {
				t.Errorf("tables of %v rows, want %v", rows, want)
			}
			if figures == 0 {
				t.Error("no figure")
			}
		})
	}
}

// tableRows is how many rows the tables of an experiment have: the product of
// the parameters that its protocol names.
var tableRows = map[string][]int{
	"rational":          {2 * 1, 12, 1},    // activations and sizes, k in halves, sizes
	"blocks":            {5 * 2, 5},        // lengths and k, sizes
	"rates":             {20 * 5, 4 * 5},   // forms and loads, seeds and filters
	"variable-length":   {4, 7, 7 * 5 * 4}, // loads, pairs, pairs by grid and load
	"variable-speed":    {2 * (5 + 1)},     // loads, filters and mean
	"spectral-table":    {5 * 4, 5},        // gammas and figures, gammas
	"spectral-methods":  {2, 2, 5, 7},      // skews, gammas, k, comparisons
	"forest":            {2, 2},            // gammas in either order
	"spectral-below":    {4 * 2},           // gammas, skews
	"spectral-changes":  {3 * 2},           // kinds of removal, skews
	"spectral-unbiased": {4 * 4 * 3},       // k, skews, estimators
	"encodings":         {2 * 8, 2 * 2, 1}, // skews and means, fillings and sizes, sizes
	"range":             {2 * 2 * 3},       // skews, methods, sizes
	"estimates":         {2 * 5 * 2},       // sizes, sketches, levels
	"cms":               {4 * 2},           // skews, rules
}

// checkFigure: a picture is well-formed XML, has something to say, and is
// small.
func checkFigure(t *testing.T, f *figure) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(f.svg))
	texts := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
			return
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "text" {
			texts++
		}
	}
	if texts < 6 { // both axes have a label and two ticks
		t.Errorf("%s has %d texts", f.name, texts)
	}
	if len(f.svg) > 200<<10 {
		t.Errorf("%s takes %d bytes", f.name, len(f.svg))
	}
}

// TestWrite: sections stand in the order of the experiments whatever the order
// of writing, one is replaced alone, and figures that are gone are removed.
func TestWrite(t *testing.T) {
	old := experiments
	defer func() { experiments = old }()
	experiments = []experiment{{name: "a", title: "First"}, {name: "b", title: "Second: more"}}
	dir := t.TempDir()
	write := func(name, title, text, plot string) {
		t.Helper()
		s := &section{name: name, title: title, scale: full}
		s.short("found %s", text)
		s.text("%s", text)
		s.table("x", "y").row("1", 0.5)
		if plot != "" {
			if err := s.figure(plot, "A line.", []panel{{x: "x", y: "y", series: []series{{label: "l", x: []float64{1, 2}, y: []float64{3, 4}}}, legend: topLeft}}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.write(dir); err != nil {
			t.Fatal(err)
		}
	}
	page := func() string {
		b, err := os.ReadFile(filepath.Join(dir, pageFile))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	write("b", "Second: more", "two", "p")
	write("a", "First", "one", "p")
	p := page()
	if strings.Count(p, "## First") != 1 || strings.Index(p, "\none\n") > strings.Index(p, "\ntwo\n") || !strings.Contains(p, "- [Second: more](#second-more): found two\n") {
		t.Errorf("page is\n%s", p)
	}
	write("b", "Second: more", "three", "q")
	p = page()
	if strings.Contains(p, "\ntwo\n") || !strings.Contains(p, "\nthree\n") || !strings.Contains(p, "\none\n") || !strings.HasPrefix(p, "# Accuracy") {
		t.Errorf("page is\n%s", p)
	}
	for file, there := range map[string]bool{"a-p.svg": true, "b-p.svg": false, "b-q.svg": true} {
		if _, err := os.Stat(filepath.Join(dir, plotFolder, file)); (err == nil) != there {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestChoose(t *testing.T) {
	if _, err := choose("nothing"); err == nil {
		t.Error("chooses what is not there")
	}
	last := experiments[len(experiments)-1].name
	got, err := choose(last + "," + experiments[0].name)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].name != experiments[0].name {
		t.Errorf("chooses %v", got)
	}
}
