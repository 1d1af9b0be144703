package main

import (
	"fmt"
	"math"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
)

// removable is a filter from which keys can be taken.
type removable interface {
	filter
	remove(h hashes) error
}

func (f cuckooFilter) remove(h hashes) error   { return removeEach(f.Sketch, h) }
func (f countingFilter) remove(h hashes) error { return removeEach(f.Sketch, h) }

func removeEach(s interface {
	Remove(h1, h2, n uint64) error
}, h hashes) error {
	for i := range h.h1 {
		if err := s.Remove(h.h1[i], h.h2[i], 1); err != nil {
			return err
		}
	}
	return nil
}

// The operations of the paper's table I, with the mean throughput of variable
// length as a part of plain, over its five filters and three data sets.
var operations = []struct {
	name      string
	published float64
	run       func(f removable, present, absent hashes) error
}{
	{"insert", 0.80, func(f removable, present, _ hashes) error { return f.add(present) }},
	{"positive lookup", 0.97, func(f removable, present, _ hashes) error {
		f.ContainsHashes(yes[:present.len()], present.h1, present.h2)
		return nil
	}},
	{"negative lookup", 0.89, func(f removable, _, absent hashes) error {
		f.ContainsHashes(yes[:absent.len()], absent.h1, absent.h2)
		return nil
	}},
	{"delete", 0.87, func(f removable, present, _ hashes) error { return f.remove(present) }},
}

// yes takes answers that nobody reads.
var yes [pieceLen]bool

// contestants makes a filter of a pair for so many keys as capacity.
var contestants = []struct {
	name string
	make func(capacity uint64, variable bool) (removable, error)
}{
	{"cuckoo", func(capacity uint64, variable bool) (removable, error) {
		s, err := cuckoo.New(cuckoo.Params{Capacity: capacity * 945 / 1000, FingerprintBits: 12, Variant: cuckoo.Plain, VariableLength: variable, Duplicates: true})
		return cuckooFilter{s}, err
	}},
	{"tagged", func(capacity uint64, variable bool) (removable, error) {
		s, err := cuckoo.New(cuckoo.Params{Capacity: capacity * 945 / 1000, FingerprintBits: 12, Variant: cuckoo.Tagged, VariableLength: variable, Duplicates: true})
		return cuckooFilter{s}, err
	}},
	{"counting", countingContestant(cbf.Params{K: 4, CounterBits: 4})},
	{"increment", countingContestant(cbf.Params{K: 4, CounterBits: 8, Variant: cbf.Increment, Increment: 4})},
	{"tandem", countingContestant(cbf.Params{K: 4, CounterBits: 8, Variant: cbf.Tandem, Increment: 4})},
}

func countingContestant(p cbf.Params) func(capacity uint64, variable bool) (removable, error) {
	return func(capacity uint64, variable bool) (removable, error) {
		q := p
		q.Capacity, q.Counters, q.VariableLength = capacity, uint64(math.Ceil(float64(capacity*p.K)/math.Ln2)), variable
		s, err := cbf.New(q)
		return countingFilter{s}, err
	}
}

// variableSpeed is table I: throughput of variable length as a part of plain.
func variableSpeed(c report.Config, s *report.Section) error {
	capacity := report.Pick(c, 1<<14, 1<<17, 1<<20)
	rounds := report.Pick(c, 2, 5, 9)
	s.Text("Throughput of the variable-length form as a part of the plain form's, in one run (table I of the paper; published are means over five filters and three data sets: insert 0.80, "+
		"positive 0.97, negative 0.89, delete 0.87). Capacity %d, load 90%% as in the paper and 45%%, where a counting filter still has its extra hash functions. 12-bit fingerprints in four slots; "+
		"k 4 in 4-bit counters, with increments of 4 to 7 in 8-bit ones. Keys are hashed beforehand, pieces of %d are handed over at once, but removed one by one; a piece's time is the least of %d rounds in which the two forms take turns. "+
		"Nanoseconds a key are of this machine while other work ran, for their size only.", capacity, pieceLen, rounds)
	t := s.Table("load", "filter", "insert", "positive lookup", "negative lookup", "delete", "plain, ns a key", "variable length, ns a key")
	loads := []float64{0.45, 0.9}
	means := make([][4]float64, len(loads))
	var p []report.Panel
	for l, load := range loads {
		lines := make([]report.Series, len(contestants)+1)
		for i, x := range contestants {
			n := int(load*float64(capacity)) / pieceLen * pieceLen
			took, err := contest(x.make, capacity, n, rounds)
			if err != nil {
				return fmt.Errorf("%s: %w", x.name, err)
			}
			row := []any{report.Percent(load), x.name}
			var ns [2]string
			lines[i] = report.Series{Label: x.name, Style: i, Only: report.Marks}
			for op := range operations {
				ratio := took[op][0] / took[op][1]
				means[l][op] += ratio / float64(len(contestants))
				row = append(row, fmt.Sprintf("%.2f", ratio))
				for form := range ns {
					if op > 0 {
						ns[form] += ", "
					}
					ns[form] += fmt.Sprintf("%.0f", took[op][form]*1e9)
				}
				lines[i].X, lines[i].Y = append(lines[i].X, float64(op+1)), append(lines[i].Y, ratio)
			}
			t.Row(append(row, ns[0], ns[1])...)
		}
		row := []any{report.Percent(load), "**mean**"}
		published := report.Series{Label: "published mean", Style: 5}
		for op, o := range operations {
			mark := ""
			if means[l][op] < o.published {
				mark = ", **below**"
			}
			row = append(row, fmt.Sprintf("%.2f (published %.2f%s)", means[l][op], o.published, mark))
			published.X, published.Y = append(published.X, float64(op+1)), append(published.Y, o.published)
		}
		t.Row(append(row, "-", "-")...)
		lines[len(contestants)] = published
		x := report.Panel{Title: fmt.Sprintf("load %g%%", 100*load), X: "1 insert, 2 positive, 3 negative, 4 delete", Y: "throughput, variable / plain", Series: lines}
		if l == 0 {
			x.Legend = report.TopRight
		}
		p = append(p, x)
	}
	at90 := means[len(means)-1]
	s.Short("throughput of variable length over plain at 90%% load: insert %.2f, positive %.2f, negative %.2f, delete %.2f (published 0.80, 0.97, 0.89, 0.87).", at90[0], at90[1], at90[2], at90[3])
	s.Text("At 90%% load a counting filter of variable length has become a plain one and answers like it; its insertions, with twice the hash functions until alpha, take longer. In lookups and deletions what is below the published means is the cuckoo filters: " +
		"a plain bucket here is one word and compared in a few instructions, a bucket of variable length must first be asked how it is divided. The paper has the instructions PEXT and PDEP for that, which Go does not offer, and " +
		"its filters, 128 times larger, wait for memory in both forms.")
	return s.Figure("ratio", "Throughput of variable length as a part of plain.", p)
}

// contest times the operations on a plain filter and on its variable-length
// form, in seconds a key.
func contest(build func(capacity uint64, variable bool) (removable, error), capacity, n, rounds int) (took [4][2]float64, err error) {
	present, none := numbers(0, 0, n), numbers(0, absent, n)
	var least [4][2][]float64
	for round := range rounds {
		var fs [2]removable
		for form := range fs {
			if fs[form], err = build(uint64(capacity), form == 1); err != nil {
				return took, err
			}
		}
		for op, o := range operations {
			for turn := range fs {
				form := (turn + round) % 2
				for piece := range n / pieceLen {
					from, to := piece*pieceLen, (piece+1)*pieceLen
					start := time.Now()
					if err := o.run(fs[form], present.slice(from, to), none.slice(from, to)); err != nil {
						return took, fmt.Errorf("%s: %w", o.name, err)
					}
					t := time.Since(start).Seconds() / float64(n)
					if round == 0 {
						least[op][form] = append(least[op][form], t)
					}
					least[op][form][piece] = min(least[op][form][piece], t)
				}
			}
		}
	}
	for op := range least {
		for form := range least[op] {
			for _, t := range least[op][form] {
				took[op][form] += t
			}
		}
	}
	return took, nil
}
