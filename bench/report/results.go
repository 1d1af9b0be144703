package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
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
			if err := os.Remove(filepath.Join(dir, f)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	lines := [][]string{{scaleLine, s.scale.String()}, {findingLine, s.finding}}
	for _, r := range s.claims {
		lines = append(lines, append([]string{claimLine}, r...))
	}
	tables := 0
	for _, b := range s.blocks {
		first := []string{b.kind}
		if b.kind == headLine {
			tables++
			first = []string{headLine, strconv.Itoa(tables)}
		}
		for _, r := range b.cells {
			lines = append(lines, slices.Concat(first, r))
			first = []string{rowLine, strconv.Itoa(tables)}
		}
	}
	for _, f := range s.figures() {
		if err := os.WriteFile(filepath.Join(dir, f), s.plots[f], 0o644); err != nil {
			return err
		}
	}
	return writeCSV(file, lines)
}

// figures are the names of its files.
func (s *Section) figures() (files []string) {
	for _, b := range s.blocks {
		if b.kind == figureLine {
			files = append(files, b.cells[0][0])
		}
	}
	return files
}

// Load reads the results of a section.
func Load(file string) (*Section, error) {
	lines, err := readCSV(file)
	if err != nil {
		return nil, err
	}
	s := &Section{}
	for i, l := range lines {
		kind, cells := l[0], l[1:]
		last := len(s.blocks) - 1
		switch {
		case kind == scaleLine && len(cells) == 1:
			s.scale = Scale(max(0, slices.Index(scales[:], cells[0])))
		case kind == findingLine && len(cells) == 1:
			s.finding = cells[0]
		case kind == claimLine:
			s.claims = append(s.claims, cells)
		case kind == textLine && len(cells) == 1, kind == figureLine && len(cells) == 2:
			s.blocks = append(s.blocks, block{kind, [][]string{cells}})
		case kind == headLine && len(cells) > 1:
			s.blocks = append(s.blocks, block{kind, [][]string{cells[1:]}})
		case kind == rowLine && len(cells) > 1 && last >= 0 && s.blocks[last].kind == headLine:
			s.blocks[last].cells = append(s.blocks[last].cells, cells[1:])
		default:
			return nil, fmt.Errorf("%s: line %d: no result is %q with %d cells", file, i+1, kind, len(cells))
		}
	}
	return s, nil
}

func readCSV(file string) ([][]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return lines, nil
}

func writeCSV(file string, lines [][]string) error {
	var text bytes.Buffer
	if err := csv.NewWriter(&text).WriteAll(lines); err != nil {
		return err
	}
	return os.WriteFile(file, text.Bytes(), 0o644)
}
