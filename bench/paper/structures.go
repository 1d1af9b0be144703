package main

import (
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// paperK is the CascadeCBF paper's number of hash functions unless varied. Section 5.
const paperK = 8

// structure is a kind of sketch.
type structure struct {
	name  string
	cells func(bytes, seed uint64) ccbf.Params // parameters of a ccbf sketch for a size; nil: a sketch of keys
	// keys returns an empty sketch of keys for a size, and the number of its counters.
	keys  func(bytes, seed uint64) (hashedSketch, uint64)
	width uint64 // bits of a counter of keys in the paper
	alone bool   // cells of a ccbf sketch are hashed without their categories
}

// hashedSketch is a sketch of hashed keys that is never full.
type hashedSketch interface {
	AddHashes(h1s, h2s, ns []uint64)
	Count(h1, h2 uint64) uint64
}

// The structures of the CascadeCBF paper's experiments. In figures 2 and 3 and in table 4 their
// counters have 16 bits. In table 3 and in section 5.2.2 the rivals' counters have 32 bits. Our
// defaults are compared too.
var (
	oneStandard   = cascadeOf("one layer, standard", paperK, ccbf.Standard, parts(1))
	oneMI         = cascadeOf("one layer, mi", paperK, ccbf.MinimalIncrement, parts(1))
	twoMI         = cascadeOf("two layers, mi", paperK, ccbf.MinimalIncrement, parts(1, 4))
	spectralMI    = spectralOf("spectral, mi", paperK, 16)
	countMin5     = countMinOf("Count-Min, 5 rows", 5, 16)
	defaultsDense = defaultsOf("defaults, dense", true)
	defaults      = defaultsOf("defaults", false)
	// urbanCascade has a second layer with a sixteenth of the counters of the first, as the 2,176 KB
	// of the paper's table 4 have.
	urbanCascade = cascadeOf("CascadeCBF, k 8, [16, 16], mi", paperK, ccbf.MinimalIncrement, parts(1, 16))

	paperCascade  = cascadeOf("CascadeCBF, k 8, [16, 16], mi", paperK, ccbf.MinimalIncrement, split)
	paperStandard = cascadeOf("CascadeCBF, k 8, [16, 16], standard", paperK, ccbf.Standard, split)
	paperSpectral = spectralOf("spectral, k 8, mi, 32 bits", paperK, 32)
	paperCountMin = countMinOf("Count-Min, 5 rows, 32 bits", 5, 32)
	denseDefaults = defaultsOf("our defaults, dense", true)
	ourDefaults   = defaultsOf("our defaults", false)
)

// parts returns a function that returns the number of counters of each layer. bytes is the size of the
// first layer, whose counters have 2 bytes. The number for a layer is bytes / 2 / its divisor.
func parts(divisors ...uint64) func(bytes uint64) []uint64 {
	return func(bytes uint64) []uint64 {
		return report.Column(divisors, func(d uint64) uint64 { return bytes / 2 / d })
	}
}

// split divides bytes nine to one between two layers of 16-bit counters. Section 5.2.1.
func split(bytes uint64) []uint64 { return []uint64{bytes / 20 * 9, bytes / 20} }

// cascadeOf returns a CascadeCBF with layers of 16-bit counters.
func cascadeOf(name string, k int, mode ccbf.Mode, counters func(bytes uint64) []uint64) structure {
	return structure{name: name, cells: func(bytes, seed uint64) ccbf.Params {
		all := counters(bytes)
		return ccbf.Params{Dense: true, K: k, Mode: mode, Counters: all, Widths: slices.Repeat([]int{16}, len(all)), Seed: seed}
	}}
}

// defaultsOf returns a CascadeCBF with default options in a given size. Cells that do not fit are
// counted in counters, the subject of the paper.
func defaultsOf(name string, dense bool) structure {
	return structure{name: name, cells: func(bytes, seed uint64) ccbf.Params {
		return ccbf.Params{Bytes: bytes, Dense: dense, Overflow: ccbf.ToCounters, Seed: seed}
	}}
}

// spectralOf returns a Spectral Bloom Filter of minimal increase.
func spectralOf(name string, k, width uint64) structure {
	return structure{name: name, width: width, keys: func(bytes, seed uint64) (hashedSketch, uint64) {
		counters := bytes * 8 / width
		return report.Must(sbf.New(sbf.Params{Counters: counters, K: k, Method: sbf.MI, Seed: seed})), counters
	}}
}

// countMinOf returns a Count-Min Sketch with conservative updates.
func countMinOf(name string, rows, width uint64) structure {
	return countMinWith(name, width, func(bytes uint64) cms.Params { return cms.Params{Width: bytes * 8 / width / rows, Depth: rows} })
}

// countMinWith is countMinOf with other parameters.
func countMinWith(name string, width uint64, params func(bytes uint64) cms.Params) structure {
	return structure{name: name, width: width, keys: func(bytes, seed uint64) (hashedSketch, uint64) {
		p := params(bytes)
		p.Conservative, p.Seed = true, seed
		s := report.Must(cms.New(p))
		return s, s.Width() * s.Depth()
	}}
}

// count adds points to an empty structure, one by one in their order.
//
// Counters of keys, which can widen, count as if they saturated at the paper's width. That is exact for
// conservative updates, by induction over the points. A saturating counter holds the minimum of the
// ceiling and the value of a wide counter. The same holds for the minimum of k counters.
func (s structure) count(p points, bytes, seed uint64) pointCounter {
	if s.cells != nil {
		return cascaded(s.cells(bytes, seed), p, s.alone)
	}
	sk, counters := s.keys(bytes, seed)
	of := hashes{make([]uint64, len(p.places)), make([]uint64, len(p.places))}
	for i := range p.places {
		of.h1[i], of.h2[i] = p.places[i].hash(seed)
	}
	for order := range slices.Chunk(p.order, pieceLen) {
		batch := pick(of, order)
		sk.AddHashes(batch.h1, batch.h2, nil)
	}
	most := uint64(1)<<s.width - 1
	return pointCounter{count: func(p *place) uint64 { return min(most, sk.Count(p.hash(seed))) }, bytes: counters * s.width / 8, most: most}
}

// pointCounter is a structure that has counted points.
type pointCounter struct {
	count func(p *place) uint64
	view  *ccbf.View // Nil: the structure is not a ccbf sketch.
	bytes uint64     // Bytes of the BLOB of a ccbf sketch; otherwise bytes of the counters in the paper's width.
	most  uint64     // Largest count that one of its counters can hold.
}

// exact reports whether the structure is a sketch without errors.
func (a *pointCounter) exact() bool { return a.view != nil && a.view.IsExact() }

// cascaded returns the counts of a ccbf sketch. alone: it ignores categories.
func cascaded(of ccbf.Params, p points, alone bool) pointCounter {
	class, category := key.None, func(*place) []byte { return nil }
	if len(p.places) > 0 && p.places[0].category != nil && !alone {
		of.Categories, class, category = true, key.Text, func(p *place) []byte { return p.category }
	}
	b := p.builder(of)
	b.OneByOne = true
	for _, i := range p.order {
		report.Check(b.Add(p.places[i].Cell, category(&p.places[i]), class, 1))
	}
	blob := report.Must(b.Sketch()).Blob()
	v := viewOf(blob)
	valueBits := 0 // bits of all layers that count: one bit of each counter is its flag
	for _, w := range b.Widths() {
		valueBits += int(w) - 1
	}
	return pointCounter{func(p *place) uint64 { return v.Count(p.Cell, category(p)) }, v, uint64(len(blob)), 1<<valueBits - 1}
}

// excess returns by how much a count is too high, as a fraction of the truth. A count below the
// truth is a failure, unless the counters are saturated.
func (a *pointCounter) excess(p *place) float64 {
	n := a.count(p)
	report.Require(n >= min(p.points, a.most), "cell %v, category %q: counts %d, the truth is %d", p.Cell, p.category, n, p.points)
	return (float64(n) - float64(p.points)) / float64(p.points)
}

// absentRate returns the probability that a ccbf sketch has a count for an absent key: that all its
// k counters are in use. It is 0 for exact sketches.
func (a *pointCounter) absentRate() float64 {
	if a.view == nil || a.exact() {
		return 0
	}
	return math.Pow(a.view.Info().Fill, float64(a.view.K()))
}

// judge counts the points with a structure. It returns the errors over the places with points as
// fractions of the truth, and the size.
func (s structure) judge(p points, bytes, seed uint64) report.Figures {
	a := s.count(p, bytes, seed)
	var errors []float64
	for i := range p.places {
		if p.places[i].points > 0 {
			errors = append(errors, math.Abs(a.excess(&p.places[i])))
		}
	}
	mean := report.Mean(errors)
	return report.Figures{"mean": mean, "percent": 100 * mean, "95th percentile": report.Quantile(errors, 0.95), "largest": slices.Max(errors),
		"bytes": float64(a.bytes), "kilobytes": float64(a.bytes) / 1024}
}

// judgeAll counts the points of several seeds with several structures, and records a row for each
// structure and seed.
func judgeAll(s *report.Section, at report.At, seeds int, of func(seed uint64) points, bytes uint64, structures ...structure) {
	bySeed := report.Parallel(seeds, func(i int) []report.Figures {
		p := of(seedOf(i))
		return report.Column(structures, func(by structure) report.Figures { return by.judge(p, bytes, seedOf(i)) })
	})
	s.RecordEach(at, "structure", report.Column(structures, func(by structure) string { return by.name }), bySeed)
}
