// Package report is shared by the programs that measure: experiments that
// write sections of a page, with tables, plots and statistics.
package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/ccbfsql/ccbfsql/internal/data"
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
	if err := Try(func() { p.command(os.Args[1:]) }); err != nil {
		fmt.Fprintln(os.Stderr, p.Name+":", err)
		os.Exit(1)
	}
}

func (p *Program) command(args []string) {
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
	Check(flags.Parse(args))
	if *render {
		p.Render(*out)
		return
	}
	chosen := p.choose(flags.Args())
	c := Config{Scale: Full, Data: *folder}
	if c.Data == "" {
		c.Data = Must(data.Folder())
	}
	if *small {
		c.Scale = Quick
	}
	var figures []Kept
	for i, e := range chosen {
		fmt.Fprintf(os.Stderr, "%d of %d, %s\n", i+1, len(chosen), e.Title)
		start := time.Now()
		s, err := e.page.section(e, c, true)
		if err != nil {
			fail("%s: %w", e.Name, err)
		}
		fmt.Fprintf(os.Stderr, "%-18s %5.1f s\n", e.Name, time.Since(start).Seconds())
		// Each as soon as it is there: what is done is not lost.
		if *out == "" {
			fmt.Println(s.markdown("."))
		} else {
			p.keep(s, *out)
		}
		figures = append(figures, s.kept...)
	}
	if c.Scale == Full && *out != "" { // other sizes have other figures
		p.holdKept(filepath.Join(*out, p.Results, "kept.csv"), figures, *keep)
	}
}

// keep keeps the results of a section in dir and writes the pages anew.
func (p *Program) keep(s *Section, dir string) {
	results := filepath.Join(dir, p.Results)
	Check(os.MkdirAll(results, 0o755))
	s.save(results)
	if p.Setting != "" {
		Check(os.WriteFile(filepath.Join(results, settingFile), []byte(p.Setting), 0o644))
	}
	p.Render(dir)
}

// choose are the experiments of those names, in the order of the pages; without
// names all.
func (p *Program) choose(names []string) []Experiment {
	all := p.experiments()
	for _, name := range names {
		if !slices.ContainsFunc(all, func(e Experiment) bool { return e.Name == name }) {
			fail("no experiment %q", name)
		}
	}
	return slices.DeleteFunc(all, func(e Experiment) bool { return len(names) > 0 && !slices.Contains(names, e.Name) })
}

// section runs an experiment; what it says goes to the terminal where it is shown.
func (p *Page) section(e Experiment, c Config, shown bool) (*Section, error) {
	s := &Section{name: e.Name, title: e.Title, page: p, scale: c.Scale, shown: shown, plots: map[string][]byte{}}
	return s, Try(func() {
		e.Run(c, s)
		s.compose(e.Text)
	})
}

// notNumbers finds what a number must not be, as a word.
var notNumbers = regexp.MustCompile(`\b(NaN|Inf)\b|%!`)

// Check runs an experiment. The error is what is not well formed: a finding, a table or a
// figure is missing, tables have other numbers of rows than the text says, a cell is empty or
// no number, a figure is no small and whole SVG with its labels.
func (p *Page) Check(e Experiment, c Config) error {
	s, err := p.section(e, c, false)
	if err != nil {
		return err
	}
	var rows []int
	wrong := []error{checkTable(p.Claims, s.claims)}
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if s.finding == "" {
		fail("no finding")
	}
	if text := s.markdown("."); notNumbers.MatchString(text) {
		fail("no numbers in:\n%s", text)
	}
	for _, b := range s.blocks {
		if b.kind == headLine {
			rows = append(rows, len(b.cells)-1)
			wrong = append(wrong, checkTable(b.cells[0], b.cells[1:]))
		}
	}
	for _, file := range s.figures() {
		wrong = append(wrong, checkFigure(file, s.plots[file]))
	}
	if len(rows) == 0 {
		fail("no table")
	}
	if len(s.figures()) == 0 {
		fail("no figure")
	}
	if e.Rows != nil && !slices.Equal(e.Rows, rows) {
		fail("tables of %v rows, the text says %v", rows, e.Rows)
	}
	return errors.Join(wrong...)
}

func checkTable(head []string, rows [][]string) (wrong error) {
	for _, r := range rows {
		if len(r) != len(head) {
			wrong = errors.Join(wrong, fmt.Errorf("a row of %d cells under %d: %v", len(r), len(head), r))
			continue
		}
		for i, cell := range r {
			if cell == "" {
				wrong = errors.Join(wrong, fmt.Errorf("nothing under %q in %v", head[i], r))
			}
		}
	}
	return wrong
}

// mostFigure is how many bytes a figure may take.
const mostFigure = 200 << 10

func checkFigure(file string, svg []byte) error {
	if len(svg) > mostFigure {
		return fmt.Errorf("%s takes %d bytes, more than %d", file, len(svg), mostFigure)
	}
	d := xml.NewDecoder(bytes.NewReader(svg))
	texts := 0
	for token, err := d.Token(); !errors.Is(err, io.EOF); token, err = d.Token() {
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "text" {
			texts++
		}
	}
	if texts < 6 { // both axes have a label and two ticks
		return fmt.Errorf("%s has %d texts", file, texts)
	}
	return nil
}
