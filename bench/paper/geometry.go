package main

import (
	"fmt"
	"math"
	"slices"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

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

// layerings are one to three of the widths below the last, which has 32 bits.
func layerings() [][]int {
	widths := []int{4, 6, 8, 12, 16}
	var all [][]int
	for set := 1; set < 1<<len(widths); set++ {
		var layers []int
		value := 31
		for i, w := range widths {
			if set>>i&1 == 1 {
				layers = append(layers, w)
				value += w - 1
			}
		}
		if len(layers) <= 3 && value <= 63 {
			all = append(all, append(layers, 32))
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
func (g geometry) params(res float64, bytes, seed uint64) (ccbf.Params, bool) {
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
	return ccbf.Params{Res: res, Dense: true, K: g.k, Mode: g.mode, Widths: g.layers, Counters: counters, Seed: seed}, counters[len(counters)-1] > 0
}

func (g geometry) String() string {
	return fmt.Sprintf("k %d, layers %v, ratio %d", g.k, g.layers, g.ratio)
}

// counted is cells with their counts, at a resolution.
type counted struct {
	name   string
	res    float64
	cells  []grid.Cell
	counts []uint64
}

// zipfCells are n cells scattered over a plane with counts in proportion to
// rank^-skew, the rarest one or two points; what is left of a whole number is
// given by chance.
func zipfCells(skew float64, n int) counted {
	r := random(seedOf(0), 51)
	c := counted{name: fmt.Sprintf("skew %g", skew), res: 1}
	most := math.Pow(float64(n), skew)
	for i := range n {
		// A rank's cell is far from the next one's, and no two share one.
		c.cells = append(c.cells, grid.Cell{X: int64(i) * 7919 % 65536, Y: int64(i)})
		c.counts = append(c.counts, uint64(most*math.Pow(float64(i+1), -skew)+r.Float64()))
	}
	for i := range c.counts {
		c.counts[i] = max(c.counts[i], 1)
	}
	return c
}

// sweepData are cells of Zipf's law and every tenth of the UK file's: where they
// lie is nothing to a hash. what says which file.
func sweepData(c report.Config) (data []counted, what string) {
	for _, skew := range []float64{0.8, 1.2, 1.6, 2} {
		data = append(data, zipfCells(skew, report.Pick(c, 2000, 8000, 12_000)))
	}
	for _, res := range report.Pick(c, []float64{0.1}, []float64{0.02}, []float64{0.01, 0.004, 0.001}) {
		d := counted{name: fmt.Sprintf("UK, %g degrees", res), res: res}
		var cells []grid.Cell
		var counts []uint64
		cells, counts, what = crimes(c.Data, res)
		for i := 0; i < len(cells); i += report.Pick(c, 1, 1, 10) {
			d.cells, d.counts = append(d.cells, cells[i]), append(d.counts, counts[i])
		}
		data = append(data, d)
	}
	return data, what
}

// degrees are the resolutions of the UK's cells.
func degrees(data []counted) string {
	text := ""
	for _, d := range data {
		if d.res == 1 {
			continue
		}
		if text != "" {
			text += " and "
		}
		text += fmt.Sprint(d.res)
	}
	return text
}

// sweptError is the mean of (estimate - count) / count over cells with points:
// of all of them, and of every other once the rest were removed (mode standard).
type sweptError struct{ all, left float64 }

// measured builds a sketch of the cells and asks it for them.
func (d counted) measured(p ccbf.Params) (e sweptError) {
	blob := sketched(report.Must(p.Config()), d.cells, d.counts)
	if e.all = d.meanError(blob, 1); p.Mode != ccbf.Standard {
		return e
	}
	s := report.Must(ccbf.Decode(blob))
	for i := 1; i < len(d.cells); i += 2 {
		report.Check(s.Remove(d.cells[i], nil, d.counts[i]))
	}
	e.left = d.meanError(s.Blob(), 2)
	return e
}

// meanError is that of every so many cells.
func (d counted) meanError(blob []byte, every int) float64 {
	v := report.Must(ccbf.NewView(blob))
	got := make([]uint64, len(d.cells))
	v.CountCells(got, d.cells, nil)
	sum, n := 0.0, 0.0
	for i := 0; i < len(got); i += every {
		report.Require(got[i] >= d.counts[i], "%s, cell %v: %d, the truth is %d", d.name, d.cells[i], got[i], d.counts[i])
		sum += float64(got[i]-d.counts[i]) / float64(d.counts[i])
		n++
	}
	return sum / n
}
