package report

import (
	"cmp"
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

// Load reads the results of a section.
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
			last = s.Table(cells[1:]...)
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

// Kept is a figure of an earlier run, of which less is better: its median, the
// least and the largest of its rounds.
type Kept struct {
	Section, What          string
	Median, Least, Largest float64
}

var keptHead = []string{"section", "what", "median", "least", "largest"}

// Keep notes a figure of this run, to be held against that of an earlier one. The
// name is unlike those of all others of the section.
func (s *Section) Keep(what string, rounds []float64) {
	s.kept = append(s.kept, Kept{s.name, what, Median(rounds), slices.Min(rounds), slices.Max(rounds)})
}

// between is what figures differ from run to run by, although the rounds of one run
// may be much closer together: up to 27% on a machine with eight times as many tasks
// as processors. What does all of its work twice is far above.
const between = 0.3

// slower reports whether k is above an earlier figure by more than the spread of
// both: the median of either lies outside the range of the other, and the medians
// are not as close as those of two runs are anyway.
func (k Kept) slower(earlier Kept) bool {
	return k.Median > max(earlier.Largest, (1+between)*earlier.Median) && k.Least > earlier.Median
}

// compareKept says which figures are above what was kept of them, and of which
// nothing was.
func compareKept(now, kept []Kept) (slower []string, unknown int) {
	for _, k := range now {
		i := slices.IndexFunc(kept, func(e Kept) bool { return e.Section == k.Section && e.What == k.What })
		switch {
		case i < 0:
			unknown++
		case k.slower(kept[i]):
			slower = append(slower, fmt.Sprintf("%s: %s: %s (%s to %s), kept %s (%s to %s)", k.Section, k.What,
				Num(k.Median), Num(k.Least), Num(k.Largest), Num(kept[i].Median), Num(kept[i].Least), Num(kept[i].Largest)))
		}
	}
	return slower, unknown
}

// mergeKept is what was kept with the sections that have run anew, in the order of
// the page; sections that the page no longer has are dropped.
func (p *Program) mergeKept(kept, now []Kept) []Kept {
	order := func(k Kept) int {
		return slices.IndexFunc(p.experiments(), func(e placed) bool { return e.Name == k.Section })
	}
	merged := slices.DeleteFunc(slices.Clone(kept), func(k Kept) bool {
		return order(k) < 0 || slices.ContainsFunc(now, func(n Kept) bool { return n.Section == k.Section })
	})
	merged = append(merged, now...)
	slices.SortStableFunc(merged, func(a, b Kept) int { return cmp.Compare(order(a), order(b)) })
	return merged
}

// readKept reads the file of a page; nothing is kept where there is none.
func readKept(path string) ([]Kept, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	r := csv.NewReader(f)
	r.FieldsPerRecord = len(keptHead)
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var all []Kept
	for i, row := range rows {
		if i == 0 {
			continue // the head
		}
		k := Kept{Section: row[0], What: row[1]}
		for j, to := range []*float64{&k.Median, &k.Least, &k.Largest} {
			if *to, err = strconv.ParseFloat(row[2+j], 64); err != nil {
				return nil, fmt.Errorf("%s: line %d: %w", path, i+1, err)
			}
		}
		all = append(all, k)
	}
	return all, nil
}

// writeKept writes the file of a page.
func writeKept(path string, all []Kept) error {
	rows := [][]string{keptHead}
	for _, k := range all {
		rows = append(rows, []string{k.Section, k.What, Num(k.Median), Num(k.Least), Num(k.Largest)})
	}
	return writeCSV(path, rows)
}

// holdKept holds the figures of a run against the file of the page, or with keep
// makes them those that later runs are held against. It is an error if some are
// slower.
func (p *Program) holdKept(path string, now []Kept, keep bool) error {
	if len(now) == 0 {
		return nil
	}
	kept, err := readKept(path)
	if err != nil {
		return err
	}
	if keep {
		return writeKept(path, p.mergeKept(kept, now))
	}
	slower, unknown := compareKept(now, kept)
	fmt.Fprintf(os.Stderr, "%d figures held against %s, %d of them new\n", len(now), path, unknown)
	if len(slower) == 0 {
		return nil
	}
	err = fmt.Errorf("%d figures are slower than what was kept, by more than the spread; run with -keep to accept that", len(slower))
	for _, s := range slower {
		err = fmt.Errorf("%w\n  %s", err, s)
	}
	return err
}
