// Package report is what the programs that measure share: experiments that
// write sections of a page, its tables and plots, and the statistics in them.
package report

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ccbfsql/ccbfsql/test/data"
)

// Scale is how large the experiments are.
type Scale int

// Scales of the experiments.
const (
	Tiny  Scale = iota // for the tests: every row, no meaning
	Quick              // minutes for all
	Full               // what stands in the page
)

func (s Scale) String() string { return [...]string{"tiny", "quick", "full"}[s] }

// Config is what all experiments share.
type Config struct {
	Scale Scale
	Data  string // folder with the real data
}

// Pick is the value for the scale.
func Pick[T any](c Config, tiny, quick, full T) T { return [...]T{tiny, quick, full}[c.Scale] }

// Main runs the experiments that the command line names, or all, and exits
// with 1 where one fails.
func (p *Page) Main() {
	if err := p.command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, p.Program+":", err)
		os.Exit(1)
	}
}

func (p *Page) command(args []string) error {
	flags := flag.NewFlagSet(p.Program, flag.ExitOnError)
	small := flags.Bool("quick", false, "smaller sizes and fewer rounds: two or three minutes for all")
	out := flags.String("out", "", fmt.Sprintf("folder to write %s and %s/*.svg to; without it the text goes to the standard output, without plots", p.File, p.Plots))
	keep := flags.Bool("keep", false, "keep the figures of this run as those that later runs are held against")
	folder := flags.String("data", "", "folder with the real data; without it the repository's")
	flags.Usage = func() {
		fmt.Fprintf(flags.Output(), "usage: %s [flags] [experiment ...]\n", p.Program)
		for _, e := range p.Experiments {
			fmt.Fprintf(flags.Output(), "  %-18s %s\n", e.Name, e.Title)
		}
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	c := Config{Scale: Full, Data: *folder}
	if c.Data == "" {
		var err error
		if c.Data, err = data.Folder(); err != nil {
			return err
		}
	}
	if *small {
		c.Scale = Quick
	}
	chosen, err := p.choose(flags.Args())
	if err != nil {
		return err
	}
	var figures []Kept
	for i, e := range chosen {
		start := time.Now()
		s, err := p.section(e, c, fmt.Sprintf("%d of %d, %s", i+1, len(chosen), e.Name))
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		fmt.Fprintf(os.Stderr, "%-18s %5.1f s\n", e.Name, time.Since(start).Seconds())
		// Each as soon as it is there: what is done is not lost.
		if *out == "" {
			fmt.Println(s.markdown())
		} else if err := s.write(*out); err != nil {
			return err
		}
		figures = append(figures, s.kept...)
	}
	if c.Scale != Full || *out == "" {
		return nil // other sizes have other figures
	}
	return p.holdKept(filepath.Join(*out, p.Plots, "kept.csv"), figures, *keep)
}

// choose are the experiments of those names, in the order of the page; without
// names all.
func (p *Page) choose(names []string) ([]Experiment, error) {
	for _, name := range names {
		if !slices.ContainsFunc(p.Experiments, func(e Experiment) bool { return e.Name == name }) {
			return nil, fmt.Errorf("no experiment %q", name)
		}
	}
	var chosen []Experiment
	for _, e := range p.Experiments {
		if len(names) == 0 || slices.Contains(names, e.Name) {
			chosen = append(chosen, e)
		}
	}
	return chosen, nil
}

// section runs an experiment, with a bar of that title; none without.
func (p *Page) section(e Experiment, c Config, bar string) (*Section, error) {
	s := &Section{name: e.Name, title: e.Title, page: p, scale: c.Scale, progress: progress{title: bar}}
	defer s.progress.end()
	return s, Try(func() { e.Run(c, s) })
}
