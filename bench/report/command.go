// Package report is shared by the measuring programs: it runs experiments and writes sections of a
// page with tables, plots and statistics.
package report

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Scale is the size of experiments.
type Scale string

// Scales of the experiments.
const (
	Tiny  Scale = "tiny"  // for tests: tables have all their rows, but the figures mean nothing
	Quick Scale = "quick" // all experiments take minutes
	Full  Scale = "full"  // the scale of the figures in the pages
)

// Pick returns the value for the scale.
func Pick[T any](c Scale, tiny, quick, full T) T {
	return map[Scale]T{Tiny: tiny, Quick: quick, Full: full}[c]
}

// Main runs the experiments that the command line names, or all. It exits with 1 if one fails.
func (p *Program) Main() {
	if err := Try(p.command); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (p *Program) command() {
	small := flag.Bool("quick", false, "smaller sizes and fewer rounds: two or three minutes for all")
	out := flag.String("out", "", "folder of the pages to write; without it the text goes to the standard output, without figures")
	render := flag.Bool("render", false, "write the pages after a change of their texts, with the sections that they have, and measure nothing")
	keep := flag.Bool("keep", false, "replace the stored sections also where figures became slower")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "usage: %s [flags] [experiment ...]\n", os.Args[0])
		for _, page := range p.Pages {
			fmt.Fprintln(flag.CommandLine.Output(), page.File)
			for _, e := range page.Experiments {
				fmt.Fprintf(flag.CommandLine.Output(), "  %-18s %s\n", e.Name, e.Title)
			}
		}
		flag.PrintDefaults()
	}
	flag.Parse()
	if *render {
		p.Render(*out)
		return
	}
	chosen := p.choose(flag.Args())
	c := Full
	if *small {
		c = Quick
	}
	var failed error
	for i, e := range chosen {
		fmt.Fprintf(os.Stderr, "%d of %d, %s\n", i+1, len(chosen), e.Title)
		start := time.Now()
		s, err := p.Section(e, c)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", e.Name, err))
			continue
		}
		fmt.Fprintf(os.Stderr, "%-18s %5.1f s\n", e.Name, time.Since(start).Seconds())
		// Each section is saved when its experiment ends, so that a later failure does not lose it.
		if *out == "" {
			fmt.Println(s.text)
		} else if slower := p.slower(p.stored(*out)[e.Name], s.text); len(slower) > 0 && c == Full && !*keep {
			failed = errors.Join(failed, fmt.Errorf("%s: slower than the stored figures, by more than the spread; -keep accepts that:\n  %s", e.Name, strings.Join(slower, "\n  ")))
		} else {
			p.save(s, *out)
		}
	}
	Check(failed)
}

// save writes the files of a section into dir, and renders the pages again.
func (p *Program) save(s *Section, dir string) {
	results := filepath.Join(dir, p.Results)
	Check(os.MkdirAll(results, 0o755))
	if p.Setting != "" {
		s.files[settingFile] = []byte(p.Setting)
	}
	for file, content := range s.files {
		Check(os.WriteFile(filepath.Join(results, file), content, 0o644))
	}
	p.Render(dir, s)
}

// choose returns the experiments with these names in the order of the pages, or all without names.
func (p *Program) choose(names []string) []Experiment {
	all := p.experiments()
	for _, name := range names {
		if !slices.ContainsFunc(all, func(e Experiment) bool { return e.Name == name }) {
			fail("no experiment %q", name)
		}
	}
	return slices.DeleteFunc(all, func(e Experiment) bool { return len(names) > 0 && !slices.Contains(names, e.Name) })
}
