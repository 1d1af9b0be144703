package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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

// save writes the results of a section into dir, and its figures in place of earlier ones.
func (s *Section) save(dir string) {
	file := filepath.Join(dir, s.name+".csv")
	var old *Section
	if Try(func() { old = load(file) }) == nil {
		for _, f := range old.figures() {
			if err := os.Remove(filepath.Join(dir, f)); !errors.Is(err, fs.ErrNotExist) {
				Check(err)
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
		Check(os.WriteFile(filepath.Join(dir, f), s.plots[f], 0o644))
	}
	writeCSV(file, lines)
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

// load reads the results of a section.
func load(file string) *Section {
	s := &Section{}
	for i, l := range readCSV(file) {
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
			fail("%s: line %d: no result is %q with %d cells", file, i+1, kind, len(cells))
		}
	}
	return s
}

func readCSV(file string) [][]string {
	r := csv.NewReader(bytes.NewReader(Must(os.ReadFile(file))))
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	Require(err == nil, "%s: %w", file, err)
	return lines
}

func writeCSV(file string, lines [][]string) {
	var text bytes.Buffer
	Check(csv.NewWriter(&text).WriteAll(lines))
	Check(os.WriteFile(file, text.Bytes(), 0o644))
}

// Kept is a figure of an earlier run, of which less is better: its median, the
// least and the largest of its rounds.
type Kept struct {
	Section, What          string
	Median, Least, Largest float64
}

var keptHead = []string{"section", "what", "median", "least", "largest"}

func (k Kept) String() string { return Rounds([]float64{k.Least, k.Median, k.Largest}) }

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

// readKept reads the file of a program; nothing is kept where there is none.
func readKept(path string) (all []Kept) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for i, row := range readCSV(path) {
		if i == 0 { // the head
			continue
		}
		k := Kept{}
		_, err := fmt.Sscan(strings.Join(row[min(2, len(row)):], " "), &k.Median, &k.Least, &k.Largest)
		if len(row) != len(keptHead) || err != nil {
			fail("%s: line %d: no figure is %q", path, i+1, row)
		}
		k.Section, k.What = row[0], row[1]
		all = append(all, k)
	}
	return all
}

// writeKept writes what was kept with the sections that have run anew, in the order of the
// pages; sections that they no longer have are dropped.
func (p *Program) writeKept(path string, kept, now []Kept) {
	order := func(k Kept) int {
		return slices.IndexFunc(p.experiments(), func(e Experiment) bool { return e.Name == k.Section })
	}
	merged := slices.DeleteFunc(slices.Clone(kept), func(k Kept) bool {
		return order(k) < 0 || slices.ContainsFunc(now, func(n Kept) bool { return n.Section == k.Section })
	})
	merged = append(merged, now...)
	slices.SortStableFunc(merged, func(a, b Kept) int { return cmp.Compare(order(a), order(b)) })
	rows := [][]string{keptHead}
	for _, k := range merged {
		rows = append(rows, []string{k.Section, k.What, Num(k.Median), Num(k.Least), Num(k.Largest)})
	}
	writeCSV(path, rows)
}

// holdKept holds the figures of a run against the file of the program, or with keep
// makes them those that later runs are held against. It is an error if some are
// slower.
func (p *Program) holdKept(path string, now []Kept, keep bool) {
	if len(now) == 0 {
		return
	}
	kept := readKept(path)
	if keep {
		p.writeKept(path, kept, now)
		return
	}
	var slower []string
	unknown := 0
	for _, k := range now {
		i := slices.IndexFunc(kept, func(e Kept) bool { return e.Section == k.Section && e.What == k.What })
		if i < 0 {
			unknown++
		} else if k.slower(kept[i]) {
			slower = append(slower, fmt.Sprintf("\n  %s: %s: %v, kept %v", k.Section, k.What, k, kept[i]))
		}
	}
	fmt.Fprintf(os.Stderr, "%d figures held against %s, %d of them new\n", len(now), path, unknown)
	if len(slower) > 0 {
		fail("%d figures are slower than what was kept, by more than the spread; run with -keep to accept that%s", len(slower), strings.Join(slower, ""))
	}
}
