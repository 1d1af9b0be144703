package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
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
	data, what := sweepData(c)
	s.Text("Every geometry of the dense form at equal bytes: one to three layers of 4, 6, 8, 12 and 16 bits below one of 32, each layer 4 to 128 times smaller "+
		"than the one before, 2 to 8 counters a key. Data: %d cells with counts in proportion to rank^-skew, the rarest one point; and every tenth cell of %s, in cells of %s degrees. "+
		"Sketches of 1, 2, 4 and 8 bytes for each cell with points (the exact form takes 1 to 3: a sketch that becomes dense has 1 or 2), made of each cell's count. "+
		"The error is the mean of (estimate - count) / count over the cells with points. In mode standard, which is there for removal, also the error of what "+
		"is left once half of the cells lost their points. Estimates are never below the truth.", len(data[0].cells), what, degrees(data))
	s.Text("*Regret* is how many times larger a geometry's error is than the least error that any has in the same scenario, in the geometric mean over all scenarios (an error of %g is "+
		"added to both: below that nobody looks). **The default** is the geometry of the least regret among those whose counters never lie across two words (4, 8, 16 and 32 bits), "+
		"which the loops are fast for, with at most %d counters a key, as the time of everything grows with them.", errorFloor, mostK)
	geometries := allGeometries(c)
	s.Steps(2 * len(geometries))
	var panels [][]report.Panel
	for _, mode := range []ccbf.Mode{ccbf.MinimalIncrement, ccbf.Standard} {
		all := report.Parallel(s, len(geometries), func(i int) *swept {
			g := geometries[i]
			g.mode = mode
			return g.sweep(data)
		})
		all = slices.DeleteFunc(all, func(g *swept) bool { return g == nil })
		rank(all)
		present(s, mode, all, data)
		panels = append(panels, regretPanels(mode, all))
	}
	s.Figure("regret", "Least regret of all geometries with a first layer of so many bits, over k and over the ratio of sizes.", panels...)
}

func allGeometries(c report.Config) []geometry {
	var all []geometry
	for _, layers := range layerings() {
		for _, ratio := range report.Pick(c, []int{8, 16}, []int{8, 16, 64}, []int{4, 8, 16, 32, 64, 128}) {
			for _, k := range report.Pick(c, []int{4}, []int{2, 4, 6}, []int{2, 3, 4, 5, 6, 8}) {
				all = append(all, geometry{layers: layers, ratio: ratio, k: k})
			}
		}
	}
	return all
}

// sweep measures the geometry in every scenario; nil where a layer would be
// empty.
func (g geometry) sweep(data []counted) *swept {
	out := &swept{geometry: g}
	var left []float64
	for _, d := range data {
		for _, load := range sweepLoads {
			p, fits := g.params(d.res, uint64(load*float64(len(d.cells))), seedOf(0))
			if !fits {
				return nil
			}
			e := d.measured(p)
			out.errors, left = append(out.errors, e.all), append(left, e.left)
		}
	}
	if g.mode == ccbf.Standard {
		out.errors = append(out.errors, left...)
	}
	return out
}

// rank computes regrets and sorts by them.
func rank(all []*swept) {
	least := leastErrors(all)
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
}

// leastErrors are those of every scenario.
func leastErrors(all []*swept) []float64 {
	least := slices.Clone(all[0].errors)
	for _, g := range all {
		for i, e := range g.errors {
			least[i] = min(least[i], e)
		}
	}
	return least
}

// winner is the geometry that is to be the default; all are ranked.
func winner(all []*swept) *swept {
	return all[slices.IndexFunc(all, func(g *swept) bool { return g.known() && g.k <= mostK })]
}

// closest is what would win with any number of counters a key.
func closest(all []*swept) *swept {
	return all[slices.IndexFunc(all, func(g *swept) bool { return g.known() })]
}

// of is the geometry's place in the ranking.
func of(g geometry, all []*swept) int {
	return slices.IndexFunc(all, func(o *swept) bool { return o.k == g.k && o.ratio == g.ratio && slices.Equal(o.layers, g.layers) })
}

// present adds the tables of a mode.
func present(s *report.Section, mode ccbf.Mode, all []*swept, data []counted) {
	chosen := winner(all)
	have := defaultGeometry(mode)
	verdict := "It is what the code has."
	if of(have, all) != of(chosen.geometry, all) {
		verdict = fmt.Sprintf("**The code has %v.**", have)
	}
	free := closest(all)
	s.Text("**Mode %v.** The winner of %d: %v, with a regret of %s. %s With any k it would be %v, with %s.",
		mode, len(all), chosen.geometry, report.Num(chosen.regret), verdict, free.geometry, report.Num(free.regret))
	t := s.Table("mode "+mode.String(), "rank", "regret", "largest ratio", "error at 1 byte a cell", "2", "4", "8")
	shown := map[int]string{}
	for i := range min(5, len(all)) {
		shown[i] = ""
	}
	for _, w := range []int{4, 6, 8, 12, 16} {
		if i := slices.IndexFunc(all, func(g *swept) bool { return g.layers[0] == w }); i >= 0 {
			shown[i] = fmt.Sprintf(" (best of %d bits)", w)
		}
	}
	for name, g := range map[string]geometry{" (the paper's)": paperGeometry, " (**the default**)": have} {
		if i := of(g, all); i >= 0 {
			shown[i] += name
		}
	}
	for i, g := range all {
		if name, yes := shown[i]; yes {
			row := []any{g.String() + name, i + 1, g.regret, g.most}
			for load := range sweepLoads {
				row = append(row, report.Percent2(typical(g.errors[:len(data)*len(sweepLoads)], load)))
			}
			t.Row(row...)
		}
	}
	byData := s.Table("error of the default (least of all geometries), mode "+mode.String(), "1 byte a cell", "2", "4", "8")
	least, mine := leastErrors(all), all[of(have, all)]
	for i := range mine.errors {
		if i%len(sweepLoads) == 0 {
			d := data[i/len(sweepLoads)%len(data)]
			row := []any{d.name}
			if i >= len(data)*len(sweepLoads) {
				row[0] = d.name + ", half removed"
			}
			for j := i; j < i+len(sweepLoads); j++ {
				row = append(row, fmt.Sprintf("%s (%s)", report.Percent2(mine.errors[j]), report.Percent2(least[j])))
			}
			byData.Row(row...)
		}
	}
	if i := of(paperGeometry, all); i >= 0 {
		for load, bytes := range sweepLoads[:3] {
			s.Compare(fmt.Sprintf("mean error at %g bytes a cell, mode %v, geometric mean over %d data sets", bytes, mode, len(data)), "-").
				Paper(report.Percent2(typical(all[i].errors[:len(data)*len(sweepLoads)], load))).Defaults(report.Percent2(typical(mine.errors[:len(data)*len(sweepLoads)], load))).
				Bytes("equal")
		}
	}
	if mode == ccbf.MinimalIncrement {
		s.Short("at equal bytes the default of mode mi, %v, has a regret of %s, the geometry that the paper recommends (%v) one of %s.",
			have, report.Num(mine.regret), paperGeometry, regretOf(paperGeometry, all))
	}
}

func regretOf(g geometry, all []*swept) string {
	if i := of(g, all); i >= 0 {
		return report.Num(all[i].regret)
	}
	return "-"
}

// typical is the geometric mean of the errors at one load.
func typical(errors []float64, load int) float64 {
	sum, n := 0.0, 0.0
	for i := load; i < len(errors); i += len(sweepLoads) {
		sum += math.Log(errors[i] + errorFloor)
		n++
	}
	return math.Exp(sum/n) - errorFloor
}

// regretPanels are the least regrets over k and over the ratio, by the width of
// the first layer.
func regretPanels(mode ccbf.Mode, all []*swept) []report.Panel {
	panels := []report.Panel{
		{Title: "mode " + mode.String(), X: "counters a key (k)", Y: "regret", LogY: true, Legend: report.TopLeft},
		{Title: "mode " + mode.String(), X: "ratio of the layers' sizes", Y: "regret", LogX: true, LogY: true},
	}
	for i, w := range []int{4, 6, 8, 12, 16} {
		for j, value := range []func(g *swept) int{func(g *swept) int { return g.k }, func(g *swept) int { return g.ratio }} {
			line := report.Series{Style: i}
			if j == 0 {
				line.Label = fmt.Sprintf("first layer of %d bits", w)
			}
			seen := map[int]bool{}
			for _, g := range all { // the best come first
				if v := value(g); g.layers[0] == w && !seen[v] {
					seen[v] = true
					line.X, line.Y = append(line.X, float64(v)), append(line.Y, g.regret)
				}
			}
			sortByX(line.X, line.Y)
			panels[j].Series = append(panels[j].Series, line)
		}
	}
	return panels
}

// sortByX sorts points that have different x.
func sortByX(x, y []float64) {
	at := map[float64]float64{}
	for i, v := range x {
		at[v] = y[i]
	}
	slices.Sort(x)
	for i, v := range x {
		y[i] = at[v]
	}
}
