package main

import (
	"fmt"
	"time"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
)

// removable is a filter from which keys can be taken.
type removable interface {
	filter
	remove(h hashes)
}

func (f cuckooFilter) remove(h hashes)   { removeEach(f.Sketch, h) }
func (f countingFilter) remove(h hashes) { removeEach(f.Sketch, h) }

func removeEach(s interface{ Remove(h1, h2, n uint64) error }, h hashes) {
	for i := range h.h1 {
		report.Check(s.Remove(h.h1[i], h.h2[i], 1))
	}
}

// The operations of the paper's table I, with the throughput of variable length
// as a part of plain: the mean over its five filters and three data sets, and
// that over the data sets for each filter, computed from the table.
var operations = []struct {
	name      string
	published float64
	each      [5]float64
	run       func(f removable, present, absent hashes)
}{
	{"insert", 0.80, [5]float64{0.93, 0.93, 0.69, 0.69, 0.77}, func(f removable, present, _ hashes) { f.add(present) }},
	{"positive lookup", 0.97, [5]float64{0.67, 1.01, 1.09, 1.08, 1.01}, func(f removable, present, _ hashes) {
		f.ContainsHashes(yes[:present.len()], present.h1, present.h2)
	}},
	{"negative lookup", 0.89, [5]float64{0.57, 0.82, 1.08, 1.03, 0.94}, func(f removable, _, absent hashes) {
		f.ContainsHashes(yes[:absent.len()], absent.h1, absent.h2)
	}},
	{"delete", 0.87, [5]float64{0.61, 0.66, 0.99, 1.10, 1.01}, func(f removable, present, _ hashes) { f.remove(present) }},
}

// yes takes answers that nobody reads.
var yes [pieceLen]bool

// contestants are the pairs at the paper's parameters, and with default options.
var contestants = []struct {
	name   string
	of     [2]maker
	step   int    // bits of a fingerprint, or k
	insert string // why insertion can be worse than published
	look   string // and why the rest can
}{
	{"cuckoo", [2]maker{ofSlots(cuckoo.Plain, true), ofSlots(cuckoo.Plain, true)}, cuckoo.DefaultFingerprintBits, dividedInsert, dividedLookup},
	{"tagged", [2]maker{ofSlots(cuckoo.Tagged, true), ofSlots(cuckoo.Tagged, true)}, cuckoo.DefaultFingerprintBits, dividedInsert, dividedLookup},
	{"counting", [2]maker{ofCounters(cbf.Plain, 4, [2]uint64{}), ofDefaults(cbf.Plain)}, 4, joinedInsert, sameCode},
	{"increment", [2]maker{ofCounters(cbf.Increment, 8, [2]uint64{4, 4}), ofDefaults(cbf.Increment)}, 4, joinedInsert, largerIncrements},
	{"tandem", [2]maker{ofCounters(cbf.Tandem, 8, [2]uint64{4, 4}), ofDefaults(cbf.Tandem)}, 4, joinedInsert, largerIncrements},
}

const (
	dividedInsert    = "a bucket is divided anew for each key; the paper does it with PDEP and PEXT, which Go does not offer"
	dividedLookup    = "a plain bucket is compared as one word, a divided one must first be asked how; its filters of 2^27 keys wait for memory in either form"
	joinedInsert     = "up to half of the keys twice as many counters are raised, then all halves are joined"
	sameCode         = "both forms run the same code at this load, and take the same time"
	largerIncrements = sameCode + "; by default the plain one has larger increments, which tell absent keys sooner"
)

// timeNoise is by how much the ratios of two runs may differ: not worse is what
// is less than that below the published.
const timeNoise = 0.05

// variableSpeed is table I: throughput of variable length as a part of plain.
func variableSpeed(c report.Config, s *report.Section) {
	capacity := report.Pick(c, 1<<14, 1<<17, 1<<20)
	rounds := report.Pick(c, 2, 5, 9)
	s.Set("capacity", capacity, "piece", pieceLen, "rounds", rounds, "noise", 100*timeNoise, "least", 1-timeNoise)
	var panels []report.Panel
	for _, of := range []struct {
		load     float64
		defaults int
	}{{0.45, 0}, {0.9, 0}, {0.9, 1}} {
		options := []string{"paper's", "defaults"}[of.defaults]
		p := report.Panel{Title: fmt.Sprintf("load %g%%", 100*of.load), X: "1 insert, 2 positive, 3 negative, 4 delete", Y: "throughput, variable / plain"}
		published := report.Series{Label: "published mean", Style: 5}
		for i, x := range contestants {
			line := report.Series{Label: x.name, Style: i, Only: report.Marks}
			f, _ := x.of[of.defaults](capacity, x.step, true, 0)
			for op, ratio := range contest(x.of[of.defaults], x.step, capacity, of.load, rounds) {
				o, why := operations[op], x.look
				if op == 0 {
					why = x.insert
				}
				s.Record(report.At{"load": of.load, "options": options, "filter": x.name, "operation": o.name, "why": why},
					report.Figures{"ratio": ratio, "published": o.each[i], "mean published": o.published, "bytes": float64(f.bits() / 8)})
				line.At(float64(op+1), ratio)
			}
			p.Series = append(p.Series, line)
		}
		for op, o := range operations {
			published.At(float64(op+1), o.published)
		}
		p.Series = append(p.Series, published)
		panels = append(panels, p)
	}
	panels[0].Legend = report.TopRight
	s.Plot("ratio", panels[:2])
}

// contest times the operations on a plain filter and on its variable-length
// form at a load: the throughput of the latter as a part of the former's.
func contest(build maker, step, capacity int, load float64, rounds int) (ratio [4]float64) {
	n := int(load*float64(capacity)) / pieceLen * pieceLen
	present, none := numbers(0, 0, n), numbers(0, absent, n)
	var least [4][2][]float64
	for round := range rounds {
		var fs [2]removable
		for form := range fs {
			f, _ := build(capacity, step, form == 1, 0)
			fs[form] = f.(removable)
		}
		for op, o := range operations {
			for turn := range fs {
				form := (turn + round) % 2
				for piece := range n / pieceLen {
					from, to := piece*pieceLen, (piece+1)*pieceLen
					start := time.Now()
					o.run(fs[form], present.slice(from, to), none.slice(from, to))
					took := time.Since(start).Seconds()
					if round == 0 {
						least[op][form] = append(least[op][form], took)
					}
					least[op][form][piece] = min(least[op][form][piece], took)
				}
			}
		}
	}
	for op := range least {
		ratio[op] = report.Mean(least[op][0]) / report.Mean(least[op][1])
	}
	return ratio
}
