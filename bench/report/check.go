package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
)

// notNumbers finds what a number must not be, as a word.
var notNumbers = regexp.MustCompile(`\b(NaN|Inf)\b|%!`)

// Check runs an experiment and returns how many rows its tables have. The error
// is what is not well formed: a finding, a table or a figure is missing, a cell
// is empty or no number, a figure is no small and whole SVG with its labels.
func (p *Page) Check(e Experiment, c Config) (rows []int, err error) {
	s, err := p.section(e, c, false)
	if err != nil {
		return nil, err
	}
	var wrong []error
	fail := func(format string, args ...any) { wrong = append(wrong, fmt.Errorf(format, args...)) }
	if s.finding == "" {
		fail("no finding")
	}
	if text := s.markdown("."); notNumbers.MatchString(text) {
		fail("no numbers in:\n%s", text)
	}
	figures := 0
	for _, b := range s.blocks {
		switch b := b.(type) {
		case *Table:
			rows = append(rows, len(b.rows))
			wrong = append(wrong, b.check())
		case *figure:
			figures++
			wrong = append(wrong, b.check())
		}
	}
	if len(rows) == 0 {
		fail("no table")
	}
	if figures == 0 {
		fail("no figure")
	}
	if len(s.claims.rows) > 0 {
		wrong = append(wrong, s.claims.check())
	}
	return rows, errors.Join(wrong...)
}

func (t *Table) check() error {
	var wrong []error
	for _, r := range t.rows {
		if len(r) != len(t.head) {
			wrong = append(wrong, fmt.Errorf("a row of %d cells under %d: %v", len(r), len(t.head), r))
			continue
		}
		for i, cell := range r {
			if cell == "" {
				wrong = append(wrong, fmt.Errorf("nothing under %q in %v", t.head[i], r))
			}
		}
	}
	return errors.Join(wrong...)
}

// mostFigure is how many bytes a figure may take.
const mostFigure = 200 << 10

func (f *figure) check() error {
	if len(f.svg) > mostFigure {
		return fmt.Errorf("%s takes %d bytes, more than %d", f.file, len(f.svg), mostFigure)
	}
	d := xml.NewDecoder(bytes.NewReader(f.svg))
	texts := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.file, err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "text" {
			texts++
		}
	}
	if texts < 6 { // both axes have a label and two ticks
		return fmt.Errorf("%s has %d texts", f.file, texts)
	}
	return nil
}
