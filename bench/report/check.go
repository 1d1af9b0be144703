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
	return rows, errors.Join(wrong...)
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
