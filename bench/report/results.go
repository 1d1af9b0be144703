package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
)

// What the lines of a file of results have first: it holds a section, line by line
// as it stands in the page, so that pages can be written again without measuring. A
// line of a table has the table's number next.
const (
	scaleLine   = "scale"
	findingLine = "finding"
	claimLine   = "claim"
	textLine    = "text"
	headLine    = "head"
	rowLine     = "row"
	figureLine  = "figure"
)

// save writes the results of a section into dir, and its figures.
func (s *Section) save(dir string) error {
	file := filepath.Join(dir, s.name+".csv")
	if old, err := Load(file); err == nil {
		for _, f := range old.figures() { // some may be gone
			if err := os.Remove(filepath.Join(dir, f.file)); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
	}
	lines := [][]string{{scaleLine, s.scale.String()}, {findingLine, s.finding}}
	for _, r := range s.claims.rows {
		lines = append(lines, append([]string{claimLine}, r...))
	}
	tables := 0
	for _, b := range s.blocks {
		switch b := b.(type) {
		case paragraph:
			lines = append(lines, []string{textLine, string(b)})
		case *figure:
			lines = append(lines, []string{figureLine, b.file, b.caption})
			if err := os.WriteFile(filepath.Join(dir, b.file), b.svg, 0o644); err != nil {
				return err
			}
		case *Table:
			tables++
			lines = append(lines, append([]string{headLine, strconv.Itoa(tables)}, b.head...))
			for _, r := range b.rows {
				lines = append(lines, append([]string{rowLine, strconv.Itoa(tables)}, r...))
			}
		}
	}
	return writeCSV(file, lines)
}

// load reads the results of a section.
func Load(file string) (*Section, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	s := &Section{}
	var last *Table
	for i, l := range lines {
		kind, cells := l[0], l[1:]
		switch {
		case kind == scaleLine && len(cells) == 1:
			s.scale = Scale(max(0, slices.Index(scales[:], cells[0])))
		case kind == findingLine && len(cells) == 1:
			s.finding = cells[0]
		case kind == claimLine:
			s.claims.rows = append(s.claims.rows, cells)
		case kind == textLine && len(cells) == 1:
			s.blocks = append(s.blocks, paragraph(cells[0]))
		case kind == figureLine && len(cells) == 2:
			s.blocks = append(s.blocks, &figure{file: cells[0], caption: cells[1]})
		case kind == headLine && len(cells) > 1:
			last = NewTable(cells[1:]...)
			s.Add(last)
		case kind == rowLine && len(cells) > 1 && last != nil:
			last.rows = append(last.rows, cells[1:])
		default:
			return nil, fmt.Errorf("%s: line %d: no result is %q with %d cells", file, i+1, kind, len(cells))
		}
	}
	return s, nil
}

func (s *Section) figures() (all []*figure) {
	for _, b := range s.blocks {
		if f, ok := b.(*figure); ok {
			all = append(all, f)
		}
	}
	return all
}

func writeCSV(file string, lines [][]string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(csv.NewWriter(f).WriteAll(lines), f.Close())
}
