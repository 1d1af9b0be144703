package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

const (
	// errorFloor is what counts as no error when errors are compared as ratios:
	// one count in ten thousand.
	errorFloor = 1e-4

	// mostK is the most counters a key of a default: the time of everything is in
	// proportion to them.
	mostK = 4
)

// sweepLoads are bytes per cell with points. The exact form takes 1 to 3, so
// that a dense sketch of one or two is what comes when it no longer fits.
var sweepLoads = []float64{1, 2, 4, 8}

// swept is a geometry with its errors in every scenario.
type swept struct {
	geometry
	errors []float64 // by data and load; then those after removal
	// regret is the geometric mean, over the scenarios, of how many times larger
	// its error is than the least of all; most is the largest.
	regret, most float64
}

// sweepDefaults sweeps over k, the widths of the layers and the ratio of their
// sizes, in both modes, at equal bytes.
func sweepDefaults(c report.Config, s *report.Section) {
	data := sweepData(c)
	var degrees []string
	for _, d := range data {
		if d.res != 1 {
			degrees = append(degrees, fmt.Sprint(d.res))
		}
	}
	s.Set("cells", len(data[0].places), "what", uk.what, "degrees", strings.Join(degrees, " and "), "floor", errorFloor, "most", mostK,
		"data", len(data), "paper's", paperGeometry)
	for _, mode := range []ccbf.Mode{ccbf.MinimalIncrement, ccbf.Standard} {
		geometries := allGeometries(c)
		all := report.Parallel(len(geometries), func(i int) *swept {
			geometries[i].mode = mode
			return geometries[i].sweep(data)
		})
		all = slices.DeleteFunc(all, func(g *swept) bool { return g == nil })
		least := rank(all)
		present(s, mode, all, least, data)
		recordLeast(s, mode, all, "k", func(g *swept) int { return g.k })
		recordLeast(s, mode, all, "ratio", func(g *swept) int { return g.ratio })
	}
}

// sweep measures the geometry in every scenario; nil where a layer would be
// empty.
func (g geometry) sweep(data []points) *swept {
	out := &swept{geometry: g}
	var left []float64
	for _, d := range data {
		for _, load := range sweepLoads {
			p, fits := g.params(uint64(load*float64(len(d.places))), seedOf(0))
			if !fits {
				return nil
			}
			blob := d.sketched(p)
			out.errors = append(out.errors, meanError(d, blob, 1))
			if g.mode == ccbf.Standard { // every other cell is removed
				s := report.Must(ccbf.Decode(blob))
				for i := 1; i < len(d.places); i += 2 {
					report.Check(s.Remove(d.places[i].Cell, nil, d.places[i].points))
				}
				left = append(left, meanError(d, s.Blob(), 2))
			}
		}
	}
	out.errors = append(out.errors, left...)
	return out
}

// meanError is the mean of (estimate - count) / count over every so many cells.
func meanError(p points, blob []byte, every int) float64 {
	got := make([]uint64, len(p.places))
	viewOf(blob).Counts(got, report.Column(p.places, func(p place) grid.Cell { return p.Cell }), ccbf.Categories{})
	sum, n := 0.0, 0.0
	for i := 0; i < len(got); i += every {
		at := p.places[i]
		report.Require(got[i] >= at.points, "%s, cell %v: %d, the truth is %d", p.name, at.Cell, got[i], at.points)
		sum += float64(got[i]-at.points) / float64(at.points)
		n++
	}
	return sum / n
}

// rank computes regrets and sorts by them; least are the least errors of every scenario.
func rank(all []*swept) (least []float64) {
	least = slices.Clone(all[0].errors)
	for _, g := range all {
		for i, e := range g.errors {
			least[i] = min(least[i], e)
		}
	}
	for _, g := range all {
		sum := 0.0
		for i, e := range g.errors {
			ratio := (e + errorFloor) / (least[i] + errorFloor)
			sum += math.Log(ratio)
			g.most = max(g.most, ratio)
		}
		g.regret = math.Exp(sum / float64(len(g.errors)))
	}
	slices.SortStableFunc(all, func(a, b *swept) int { return cmp.Compare(a.regret, b.regret) })
	return least
}

// winner is the geometry that is to be the default with at most so many counters a
// key; all are ranked.
func winner(all []*swept, k int) *swept {
	return all[slices.IndexFunc(all, func(g *swept) bool { return g.known() && g.k <= k })]
}

// of is the geometry's place in the ranking.
func of(g geometry, all []*swept) int {
	return slices.IndexFunc(all, func(o *swept) bool { return o.k == g.k && o.ratio == g.ratio && slices.Equal(o.layers, g.layers) })
}

// present records what a mode's tables show: the best geometries, the best of each width
// of the first layer, the paper's and the default, and the default's errors.
func present(s *report.Section, mode ccbf.Mode, all []*swept, least []float64, data []points) {
	have := defaultGeometry(mode)
	paper, own := of(paperGeometry, all), of(have, all)
	chosen, free := winner(all, mostK), winner(all, math.MaxInt)
	s.Record(report.At{"mode": mode, "swept": len(all), "winner": chosen.geometry, "code": have, "wins": own == of(chosen.geometry, all),
		"any k": free.geometry}, report.Figures{"winner's": chosen.regret, "any k's": free.regret})
	first := map[int]bool{} // the widths that were there
	for i, g := range all {
		name, shown := g.String(), i < 5
		if w := g.layers[0]; !first[w] {
			first[w], shown = true, true
			name += fmt.Sprintf(" (best of %d bits)", w)
		}
		if i == paper {
			name, shown = name+" (the paper's)", true
		}
		if i == own {
			name, shown = name+" (**the default**)", true
		}
		if !shown {
			continue
		}
		at := report.At{"mode": mode, "geometry": name, "rank": i + 1, "paper": i == paper, "default": i == own}
		s.Record(at, report.Figures{"regret": g.regret, "most": g.most})
		for load, bytes := range sweepLoads {
			// The geometric mean of the errors at one load, nothing being removed.
			sum := 0.0
			for i := range data {
				sum += math.Log(g.errors[i*len(sweepLoads)+load] + errorFloor)
			}
			at := maps.Clone(at)
			at["load"] = bytes
			s.Record(at, report.Figures{"typical": math.Exp(sum/float64(len(data))) - errorFloor})
		}
	}
	for i, e := range all[own].errors {
		name := data[i/len(sweepLoads)%len(data)].name
		if i >= len(data)*len(sweepLoads) {
			name += ", half removed"
		}
		s.Record(report.At{"mode": mode, "points": name, "load": sweepLoads[i%len(sweepLoads)]}, report.Figures{"error": e, "least": least[i]})
	}
}

// firstWidths are those of the first layers that are swept.
var firstWidths = []int{4, 6, 8, 12, 16}

// recordLeast records the least regrets over a setting of the geometries, by the width of
// the first layer.
func recordLeast(s *report.Section, mode ccbf.Mode, all []*swept, name string, value func(g *swept) int) {
	for _, w := range firstWidths {
		least := map[int]float64{}
		for _, g := range slices.Backward(all) { // the best come first
			if g.layers[0] == w {
				least[value(g)] = g.regret
			}
		}
		for _, v := range slices.Sorted(maps.Keys(least)) {
			s.Record(report.At{"drawn": mode, "width": w, name: v}, report.Figures{"least regret": least[v]})
		}
	}
}

// geometry is what the sweep varies of the dense form.
type geometry struct {
	layers   []int // bits per counter
	ratio, k int   // each layer is so many times smaller than the one before; counters a key
	mode     ccbf.Mode
}

// paperGeometry is the paper's recommendation (section 6): 16 and 32 bits, the
// second layer 64 times smaller, k = 4.
var paperGeometry = geometry{layers: []int{16, 32}, ratio: 64, k: 4}

// defaultGeometry is what the code has.
func defaultGeometry(mode ccbf.Mode) geometry {
	c := report.Must(ccbf.Params{Res: 1, Mode: mode, Dense: true}.Config())
	g := geometry{k: c.K(), ratio: int(c.Counters()[0] / c.Counters()[1]), mode: mode}
	for _, w := range c.Widths() {
		g.layers = append(g.layers, int(w))
	}
	return g
}

// allGeometries have one to three of the widths in layers below the last, which has 32
// bits.
func allGeometries(c report.Config) (all []geometry) {
	ratios := report.Pick(c, []int{8, 16}, []int{8, 16, 64}, []int{4, 8, 16, 32, 64, 128})
	ks := report.Pick(c, []int{4}, []int{2, 4, 6}, []int{2, 3, 4, 5, 6, 8})
	for set := 1; set < 1<<len(firstWidths); set++ {
		var layers []int
		value := 31
		for i, w := range firstWidths {
			if set>>i&1 == 1 {
				layers = append(layers, w)
				value += w - 1
			}
		}
		if len(layers) > 3 || value > 63 {
			continue
		}
		for _, ratio := range ratios {
			for _, k := range ks {
				all = append(all, geometry{layers: slices.Concat(layers, []int{32}), ratio: ratio, k: k})
			}
		}
	}
	return all
}

// known says whether no counter lies across two words: what the hot loops and
// unions are written for.
func (g geometry) known() bool {
	return !slices.ContainsFunc(g.layers, func(w int) bool { return 64%w != 0 })
}

// params are those of a sketch of at most so many bytes; false where a layer
// would have no counter.
func (g geometry) params(bytes, seed uint64) (ccbf.Params, bool) {
	unit := uint64(0) // bits per counter of the last layer
	for _, w := range g.layers {
		unit = unit*uint64(g.ratio) + uint64(w)
	}
	size := bytes * 8 / unit
	counters := make([]uint64, len(g.layers))
	for i := len(counters) - 1; i >= 0; i-- {
		counters[i] = size
		size *= uint64(g.ratio)
	}
	return ccbf.Params{Dense: true, K: g.k, Mode: g.mode, Widths: g.layers, Counters: counters, Seed: seed}, counters[len(counters)-1] > 0
}

func (g geometry) String() string {
	return fmt.Sprintf("k %d, layers %v, ratio %d", g.k, g.layers, g.ratio)
}

// zipfCells are n cells scattered over a plane with counts in proportion to
// rank^-skew, the rarest one or two points; what is left of a whole number is
// given by chance.
func zipfCells(skew float64, n int) points {
	r := random(seedOf(0), 51)
	p := points{name: fmt.Sprintf("skew %g", skew), res: 1}
	most := math.Pow(float64(n), skew)
	for i := range n {
		// A rank's cell is far from the next one's, and no two share one.
		at := place{Cell: grid.Cell{X: int64(i) * 7919 % 65536, Y: int64(i)}, points: uint64(most*math.Pow(float64(i+1), -skew) + r.Float64())}
		at.points = max(at.points, 1)
		p.places = append(p.places, at)
	}
	return p
}

// sweepData are cells of Zipf's law and every tenth of the UK file's: where they
// lie is nothing to a hash.
func sweepData(c report.Config) (data []points) {
	for _, skew := range []float64{0.8, 1.2, 1.6, 2} {
		data = append(data, zipfCells(skew, report.Pick(c, 2000, 8000, 12_000)))
	}
	for _, res := range report.Pick(c, []float64{0.1}, []float64{0.02}, []float64{0.01, 0.004, 0.001}) {
		p := uk.degrees(c.Data, res)
		all := p.places
		p.places = nil
		for i := 0; i < len(all); i += report.Pick(c, 1, 1, 10) {
			p.places = append(p.places, all[i])
		}
		data = append(data, p)
	}
	return data
}
