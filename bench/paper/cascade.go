package main

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// cascadeK is the number of hash functions of the CascadeCBF paper's experiments
// unless varied. Section 5.
const cascadeK = 8

// What counters of 16 bits count to: one that is all value, and one whose high
// bit is a flag.
const (
	most16 = 1<<16 - 1
	most15 = 1<<15 - 1
)

// points are points in cells of a grid in the order in which they come, and
// hashed as all structures of one seed take them.
type points struct {
	cells    []grid.Cell
	truth    []uint64 // points in each cell
	keys     []uint64 // of each point, for ccbf
	of, each hashes   // of each cell, and of each point
	seed     uint64
}

// newPoints are the points whose cells are cells[order[0]], cells[order[1]], ...
func newPoints(cells []grid.Cell, order []int, seed uint64) (*points, error) {
	config, err := ccbf.New(ccbf.Params{Res: 1})
	if err != nil {
		return nil, err
	}
	n := len(cells)
	p := &points{cells: cells, truth: make([]uint64, n), keys: make([]uint64, len(order)), seed: seed}
	p.of = hashes{make([]uint64, n), make([]uint64, n)}
	p.each = hashes{make([]uint64, len(order)), make([]uint64, len(order))}
	xs, ys, keys := make([]float64, n), make([]float64, n), make([]uint64, n)
	for i, c := range cells {
		xs[i], ys[i] = float64(c.X), float64(c.Y)
		p.of.h1[i], p.of.h2[i] = key.HashCell(seed, c.X, c.Y)
	}
	if i := config.Keys(keys, xs, ys); i < n {
		return nil, fmt.Errorf("the cell %v has no key", cells[i])
	}
	for at, i := range order {
		p.truth[i]++
		p.keys[at], p.each.h1[at], p.each.h2[at] = keys[i], p.of.h1[i], p.of.h2[i]
	}
	return p, nil
}

// counted is what a structure says of all cells.
type counted struct {
	estimates []uint64
	bytes     uint64 // of its counters, or of the list of an exact one
}

// cascade counts the points in a CascadeCBF.
func (p *points) cascade(params ccbf.Params) (counted, error) {
	params.Res, params.Seed = 1, p.seed
	config, err := ccbf.New(params)
	if err != nil {
		return counted{}, err
	}
	b := ccbf.NewBuilder(config, nil)
	if err := b.AddKeys(p.keys); err != nil {
		return counted{}, err
	}
	sk, err := b.Sketch()
	if err != nil {
		return counted{}, err
	}
	blob := sk.AppendBlob(nil)
	var v ccbf.View
	if err := v.Reset(blob); err != nil {
		return counted{}, err
	}
	out := counted{make([]uint64, len(p.cells)), config.DenseBytes()}
	if v.IsExact() {
		out.bytes = uint64(len(blob))
	}
	v.CountCells(out.estimates, p.cells, nil)
	return out, nil
}

// spectral counts the points in a Spectral Bloom Filter of minimal increase.
func (p *points) spectral(counters, k int) (counted, error) {
	sk, err := sbf.New(sbf.Params{Counters: uint64(counters), K: uint64(k), Method: sbf.MI, Seed: p.seed})
	if err != nil {
		return counted{}, err
	}
	sk.AddHashes(p.each.h1, p.each.h2, nil)
	return capped(counts(sk, p.of), counters), nil
}

// countMin counts the points in a Count-Min Sketch with conservative updates.
func (p *points) countMin(params cms.Params) (counted, error) {
	params.Conservative, params.Seed = true, p.seed
	sk, err := cms.New(params)
	if err != nil {
		return counted{}, err
	}
	sk.AddHashes(p.each.h1, p.each.h2, nil)
	return capped(counts(sk, p.of), int(sk.Width()*sk.Depth())), nil
}

// capped are the estimates of counters of 16 bits, from those of counters that
// widen, as those of sbf and cms do. Where only the least counters of a key are
// raised, one that stops at a ceiling holds the smaller of the ceiling and of
// what it would hold without, by induction over the points; so the least of k
// does as well.
func capped(estimates []uint64, counters int) counted {
	for i, n := range estimates {
		estimates[i] = min(n, most16)
	}
	return counted{estimates: estimates, bytes: 2 * uint64(counters)}
}

// occurred is the number of cells with points.
func (p *points) occurred() int {
	n := 0
	for _, t := range p.truth {
		if t > 0 {
			n++
		}
	}
	return n
}

// relative is the error of estimates over the cells that occurred, in parts of
// the truth.
type relative struct{ mean, most float64 }

// relative compares estimates with the truth. One below it is a failure, but
// where the counters end at a ceiling.
func (p *points) relative(estimates []uint64, ceiling uint64) (relative, error) {
	var e relative
	for i, n := range p.truth {
		if n == 0 {
			continue
		}
		if estimates[i] < min(n, ceiling) {
			return e, fmt.Errorf("the estimate of %v is %d, there are %d points", p.cells[i], estimates[i], n)
		}
		r := math.Abs(float64(estimates[i])-float64(n)) / float64(n)
		e.mean += r
		e.most = max(e.most, r)
	}
	e.mean /= float64(p.occurred())
	return e, nil
}

// rival is a structure of the CascadeCBF paper's comparisons, or one of ours
// beside them.
type rival struct {
	name    string
	style   int
	ceiling uint64 // what its counters count to
	count   func(p *points, counters, k int) (counted, error)
}

// cascadeOf is a CascadeCBF in layers of 16 bits, each smaller than the first by
// a divisor.
func cascadeOf(name string, style int, ceiling uint64, mode ccbf.Mode, divisors ...int) rival {
	return rival{name, style, ceiling, func(p *points, counters, k int) (counted, error) {
		params := ccbf.Params{Dense: true, K: k, Mode: mode}
		for _, d := range divisors {
			params.Widths, params.Counters = append(params.Widths, 16), append(params.Counters, uint64(counters/d))
		}
		return p.cascade(params)
	}}
}

// defaultsOf is a CascadeCBF that is told nothing but its size, that of so many
// counters of 16 bits.
func defaultsOf(name string, style int, dense bool) rival {
	return rival{name, style, math.MaxUint64, func(p *points, counters, _ int) (counted, error) {
		return p.cascade(ccbf.Params{Bytes: 2 * uint64(counters), Dense: dense})
	}}
}

// countMinOf is a Count-Min Sketch that shares its counters out over rows; 0
// rows are k.
func countMinOf(name string, style, rows int) rival {
	return rival{name, style, most16, func(p *points, counters, k int) (counted, error) {
		depth := rows
		if depth == 0 {
			depth = k
		}
		return p.countMin(cms.Params{Width: uint64(counters / depth), Depth: uint64(depth)})
	}}
}

var (
	oneStandard   = cascadeOf("one layer, standard", 0, most15, ccbf.Standard, 1)
	oneMI         = cascadeOf("one layer, mi", 1, most15, ccbf.MinimalIncrement, 1)
	twoMI         = cascadeOf("two layers, mi", 2, math.MaxUint64, ccbf.MinimalIncrement, 1, 4)
	spectralMI    = rival{"spectral, mi", 3, most16, (*points).spectral}
	countMin5     = countMinOf("Count-Min, 5 rows", 4, 5)
	countMinK     = countMinOf("Count-Min, k rows", 4, 0)
	defaultsDense = defaultsOf("defaults, dense", 5, true)
	defaults      = defaultsOf("defaults", 6, false)
)

// judged is a structure's error and size.
type judged struct {
	relative
	bytes uint64
}

// judge counts the points and compares.
func (r rival) judge(p *points, counters, k int) (judged, error) {
	c, err := r.count(p, counters, k)
	if err != nil {
		return judged{}, fmt.Errorf("%s: %w", r.name, err)
	}
	e, err := p.relative(c.estimates, r.ceiling)
	if err != nil {
		return judged{}, fmt.Errorf("%s, %d counters: %w", r.name, counters, err)
	}
	return judged{e, c.bytes}, nil
}

// sizing is how many counters of 16 bits there are, and how many a key takes.
type sizing struct{ counters, k int }

// outcomes are the errors and sizes of rivals by their names, one for each seed.
type outcomes map[string][]judged

func (o outcomes) errors(r rival) []float64 {
	return report.Column(o[r.name], func(j judged) float64 { return j.mean })
}

func (o outcomes) largest(r rival) []float64 {
	return report.Column(o[r.name], func(j judged) float64 { return j.most })
}

func (o outcomes) bytes(r rival) float64 {
	return report.Mean(report.Column(o[r.name], func(j judged) float64 { return float64(j.bytes) }))
}

// judgeAll lets rivals count the points of each seed, at each sizing.
func judgeAll(s *report.Section, seeds int, rivals []rival, sizings []sizing, of func(seed uint64) (*points, error)) ([]outcomes, error) {
	bySeed, err := report.Parallel(s, seeds, func(i int) ([]judged, error) {
		p, err := of(seedOf(i))
		if err != nil {
			return nil, err
		}
		var all []judged
		for _, l := range sizings {
			for _, r := range rivals {
				j, err := r.judge(p, l.counters, l.k)
				if err != nil {
					return nil, err
				}
				all = append(all, j)
			}
		}
		return all, nil
	})
	if err != nil {
		return nil, err
	}
	columns := transposed(bySeed)
	out := make([]outcomes, len(sizings))
	for i := range sizings {
		out[i] = outcomes{}
		for j, r := range rivals {
			out[i][r.name] = columns[i*len(rivals)+j]
		}
	}
	return out, nil
}

// interval is the mean of a sample with the 95% interval of it.
func interval(x []float64) (mean, lo, hi float64) {
	mean, half := report.Mean(x), 1.96*report.StandardError(x)
	return mean, max(0, mean-half), mean + half
}

// percentInterval is interval of shares, in percent.
func percentInterval(x []float64) string {
	mean, lo, hi := interval(x)
	return fmt.Sprintf("%s [%s, %s]", report.Percent2(mean), report.Percent2(lo), report.Percent2(hi))
}
