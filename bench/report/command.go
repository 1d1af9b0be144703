// Package report is shared by the programs that measure: experiments that
// write sections of a page, with tables, plots and statistics.
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

var scales = [...]string{Tiny: "tiny", Quick: "quick", Full: "full"}

func (s Scale) String() string { return scales[s] }

// Config is what all experiments share.
type Config struct {
	Scale Scale
	Data  string // folder with the real data
}

// Pick is the value for the scale.
func Pick[T any](c Config, tiny, quick, full T) T { return [...]T{tiny, quick, full}[c.Scale] }

// Main runs the experiments that the command line names, or all, and exits
// with 1 where one fails.
func (p *Program) Main() {
	if err := p.command(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, p.Name+":", err)
		os.Exit(1)
	}
}

func (p *Program) command(args []string) error {
	flags := flag.NewFlagSet(p.Name, flag.ExitOnError)
	small := flags.Bool("quick", false, "smaller sizes and fewer rounds: two or three minutes for all")
	out := flags.String("out", "", fmt.Sprintf("folder to write the pages and %s/ with results and plots to; without it the text goes to the standard output, without plots", p.Results))
	render := flags.Bool("render", false, "write the pages of the results that are kept, and measure nothing")
	keep := flags.Bool("keep", false, "keep the figures of this run as those that later runs are held against")
	folder := flags.String("data", "", "folder with the real data; without it the repository's")
	flags.Usage = func() {
		fmt.Fprintf(flags.Output(), "usage: %s [flags] [experiment ...]\n", p.Name)
		for _, page := range p.Pages {
			fmt.Fprintln(flags.Output(), page.File)
			for _, e := range page.Experiments {
				fmt.Fprintf(flags.Output(), "  %-18s %s\n", e.Name, e.Title)
			}
		}
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *render {
		return p.Render(*out)
	}
	chosen, err := p.choose(flags.Args())
	if err != nil {
		return err
	}
	c := Config{Scale: Full, Data: *folder}
	if c.Data == "" {
		c.Data, err = data.Folder()
	}
	if *small {
		c.Scale = Quick
	}
	if err != nil {
		return err
	}
	var figures []Kept
	for i, e := range chosen {
		fmt.Fprintf(os.Stderr, "%d of %d, %s\n", i+1, len(chosen), e.Title)
		start := time.Now()
		s, err := e.page.section(e, c, true)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		fmt.Fprintf(os.Stderr, "%-18s %5.1f s\n", e.Name, time.Since(start).Seconds())
		// Each as soon as it is there: what is done is not lost.
		if *out == "" {
			fmt.Println(s.markdown("."))
		} else if err := p.keep(s, *out); err != nil {
			return err
		}
		figures = append(figures, s.kept...)
	}
	if c.Scale != Full || *out == "" {
		return nil // other sizes have other figures
	}
	return p.holdKept(filepath.Join(*out, p.Results, "kept.csv"), figures, *keep)
}

// keep keeps the results of a section in dir and writes the pages anew.
func (p *Program) keep(s *Section, dir string) error {
	results := filepath.Join(dir, p.Results)
	err := os.MkdirAll(results, 0o755)
	if err == nil {
		err = s.save(results)
	}
	if err == nil && p.Setting != "" {
		err = os.WriteFile(filepath.Join(results, settingFile), []byte(p.Setting), 0o644)
	}
	if err != nil {
		return err
	}
	return p.Render(dir)
}

// choose are the experiments of those names, in the order of the pages; without
// names all.
func (p *Program) choose(names []string) (chosen []Experiment, err error) {
	all := p.experiments()
	for _, name := range names {
		if !slices.ContainsFunc(all, func(e Experiment) bool { return e.Name == name }) {
			return nil, fmt.Errorf("no experiment %q", name)
		}
	}
	return slices.DeleteFunc(all, func(e Experiment) bool { return len(names) > 0 && !slices.Contains(names, e.Name) }), nil
}

// section runs an experiment; what it says goes to the terminal where it is shown.
func (p *Page) section(e Experiment, c Config, shown bool) (*Section, error) {
	s := &Section{name: e.Name, title: e.Title, page: p, scale: c.Scale, shown: shown, plots: map[string][]byte{}}
	return s, Try(func() {
		e.Run(c, s)
		s.compose(e.Text)
	})
}
