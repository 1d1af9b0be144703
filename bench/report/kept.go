package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Kept is a figure that is kept for comparison with later runs: the median, the least and the largest
// value of its rounds. Smaller values are better.
type Kept struct {
	Section, What          string
	Median, Least, Largest float64
}

var keptHead = []string{"section", "what", "median", "least", "largest"}

func (k Kept) String() string { return Rounds([]float64{k.Least, k.Median, k.Largest}) }

// Keep stores a figure of this run for comparison with earlier runs. Its name must be unique in the
// section.
func (s *Section) Keep(what string, rounds []float64) {
	s.kept = append(s.kept, Kept{s.name, what, Median(rounds), slices.Min(rounds), slices.Max(rounds)})
}

// between is the relative difference of medians between runs that is normal, although rounds of one
// run are closer together. On a machine with eight times as many tasks as processors it was up to
// 27%. Work that is done twice is far above it.
const between = 0.3

// slower reports whether k is above an earlier figure by more than the spread of both and by more
// than the normal difference between runs.
func (k Kept) slower(earlier Kept) bool {
	return k.Median > max(earlier.Largest, (1+between)*earlier.Median) && k.Least > earlier.Median
}

// readKept reads the kept figures of a program. Without the file there are none.
func readKept(path string) (all []Kept) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	r := csv.NewReader(bytes.NewReader(Must(os.ReadFile(path))))
	r.FieldsPerRecord = -1
	for i, row := range Must(r.ReadAll()) {
		if i == 0 { // the first row has the names of the columns
			continue
		}
		k := Kept{}
		_, err := fmt.Sscan(strings.Join(row[min(2, len(row)):], " "), &k.Median, &k.Least, &k.Largest)
		if len(row) != len(keptHead) || err != nil {
			fail("%s: line %d is %q, not a figure: remove it and run with -keep", path, i+1, row)
		}
		k.Section, k.What = row[0], row[1]
		all = append(all, k)
	}
	return all
}

// writeKept writes the kept figures, with new ones for the sections that have run, in the order of
// the pages. Sections that no longer exist are dropped.
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
	var text bytes.Buffer
	Check(csv.NewWriter(&text).WriteAll(rows))
	Check(os.WriteFile(path, text.Bytes(), 0o644))
}

// holdKept compares the figures of a run with the kept ones, and fails if some are slower. With
// keep, it replaces the kept figures instead.
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
	fmt.Fprintf(os.Stderr, "%d figures compared with %s, %d of them new\n", len(now), path, unknown)
	if len(slower) > 0 {
		fail("%d figures are slower than the kept ones, by more than the spread; run with -keep to accept that%s", len(slower), strings.Join(slower, ""))
	}
}
