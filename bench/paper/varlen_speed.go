package main

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/cbf"
	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
)

// The operations of the paper's table I, with the throughput of variable length
// as a part of plain: the mean over its five filters and three data sets, and
// that over the data sets for each filter, computed from the table.
var operations = []struct {
	name      string
	published float64
	each      [5]float64
	absent    bool // keys
	run       func(f filter, h hashes)
}{
	{"insert", 0.80, [5]float64{0.93, 0.93, 0.69, 0.69, 0.77}, false, filter.add},
	{"positive lookup", 0.97, [5]float64{0.67, 1.01, 1.09, 1.08, 1.01}, false, filter.ask},
	{"negative lookup", 0.89, [5]float64{0.57, 0.82, 1.08, 1.03, 0.94}, true, filter.ask},
	{"delete", 0.87, [5]float64{0.61, 0.66, 0.99, 1.10, 1.01}, false, filter.remove},
}

// yes takes answers that nobody reads.
var yes [pieceLen]bool

func (f filter) ask(h hashes) { f.ContainsHashes(yes[:h.len()], h.h1, h.h2) }

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
	capacity, rounds := report.Pick(c, 1<<14, 1<<17, 1<<20), report.Pick(c, 2, 5, 9)
	s.Set("capacity", capacity, "piece", pieceLen, "rounds", rounds, "noise", 100*timeNoise, "least", 1-timeNoise)
	published := report.Series{Label: "published mean", Style: 5}
	for op, o := range operations {
		published.At(float64(op+1), o.published)
	}
	var panels []report.Panel
	for _, of := range []struct {
		load     float64
		options  string
		defaults int
	}{{0.45, "paper's", 0}, {0.9, "paper's", 0}, {0.9, "defaults", 1}} {
		for i, x := range contestants {
			f, _ := x.of[of.defaults](capacity, x.step, true, 0)
			for op, ratio := range contest(x.of[of.defaults], x.step, capacity, of.load, rounds) {
				o, why := operations[op], x.look
				if op == 0 {
					why = x.insert
				}
				s.Record(report.At{"load": of.load, "options": of.options, "filter": x.name, "operation": o.name, "why": why, "row": op + 1},
					report.Figures{"ratio": ratio, "published": o.each[i], "mean published": o.published, "bytes": float64(f.bits() / 8)})
			}
		}
		lines := s.Where("load", of.load, "options", of.options).Lines("filter", "row", "ratio")
		panels = append(panels, report.Panel{Title: fmt.Sprintf("load %g%%", 100*of.load), X: "1 insert, 2 positive, 3 negative, 4 delete",
			Y: "throughput, variable / plain", Series: append(report.Drawn(lines, "%s", report.Marks), published)})
	}
	panels[0].Legend = report.TopRight
	s.Plot("ratio", panels[:2])
}

// contest times the operations on a plain filter and on its variable-length
// form at a load: the throughput of the latter as a part of the former's.
func contest(build maker, step, capacity int, load float64, rounds int) (ratio [4]float64) {
	n := int(load*float64(capacity)) / pieceLen * pieceLen
	present, none := numbers(0, 0, n), numbers(0, absent, n)
	var took [4][2][]float64
	for round := range rounds {
		var fs [2]filter
		for form := range fs {
			fs[form], _ = build(capacity, step, form == 1, 0)
		}
		for op, o := range operations {
			h := present
			if o.absent {
				h = none
			}
			for turn := range fs {
				form := (turn + round) % 2
				took[op][form] = least(took[op][form], timed(h, func(h hashes) { o.run(fs[form], h) }))
			}
		}
	}
	for op := range took {
		ratio[op] = report.Mean(took[op][0]) / report.Mean(took[op][1])
	}
	return ratio
}
