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
type Scale int

// Scales of the experiments.
const (
	Tiny  Scale = iota // for tests: tables have all their rows, but the figures mean nothing
	Quick              // all experiments take minutes
	Full               // the scale of the figures in the pages
)

var scales = [...]string{Tiny: "tiny", Quick: "quick", Full: "full"}

func (s Scale) String() string { return scales[s] }

// Pick returns the value for the scale.
func Pick[T any](c Scale, tiny, quick, full T) T { return [...]T{tiny, quick, full}[c] }

// Main runs the experiments that the command line names, or all. It exits with 1 if one fails.
func (p *Program) Main() {
	if err := Try(func() { p.command(os.Args[1:]) }); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (p *Program) command(args []string) {
	flags := flag.NewFlagSet(os.Args[0], flag.ExitOnError)
	small := flags.Bool("quick", false, "smaller sizes and fewer rounds: two or three minutes for all")
	out := flags.String("out", "", "folder of the pages to write; without it the text goes to the standard output, without figures")
	render := flags.Bool("render", false, "write the pages after a change of their texts, with the sections that they have, and measure nothing")
	keep := flags.Bool("keep", false, "replace the stored sections also where figures became slower")
	flags.Usage = func() {
		fmt.Fprintf(flags.Output(), "usage: %s [flags] [experiment ...]\n", os.Args[0])
		for _, page := range p.Pages {
			fmt.Fprintln(flags.Output(), page.File)
			for _, e := range page.Experiments {
				fmt.Fprintf(flags.Output(), "  %-18s %s\n", e.Name, e.Title)
			}
		}
		flags.PrintDefaults()
	}
	Check(flags.Parse(args))
	if *render {
		p.Render(*out)
		return
	}
	chosen := p.choose(flags.Args())
	c := Full
	if *small {
		c = Quick
	}
	var failed error
	for i, e := range chosen {
		fmt.Fprintf(os.Stderr, "%d of %d, %s\n", i+1, len(chosen), e.Title)
		start := time.Now()
		s, err := p.Section(e, c, true)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", e.Name, err))
			continue
		}
		fmt.Fprintf(os.Stderr, "%-18s %5.1f s\n", e.Name, time.Since(start).Seconds())
		// Each section is saved when its experiment ends, so that a later failure does not lose it.
		if *out == "" {
			fmt.Println(s.text)
		} else if slower := e.page.slower(p.stored(*out)[e.Name], s.text); len(slower) > 0 && c == Full && !*keep {
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
