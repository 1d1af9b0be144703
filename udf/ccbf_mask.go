package udf

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// ccbfMask computes ccbf_mask, by a sketch or by a Bloom filter of cells.
func ccbfMask(rows *duck.Rows, out *duck.Result) error {
	var filter cellFilter
	return eachPair(func(m *reservation, left, right []byte) (encoder, error) {
		if !sameBytes(right, filter.blob) {
			if h, err := sketch.Parse(right); err != nil || h.Family != bloom.Family.ID {
				return m.pair(left, right, (*ccbf.Sketch).Mask)
			}
			if err := filter.reset(right); err != nil {
				return nil, err
			}
		}
		s, err := m.ccbf(left)
		if err != nil {
			return nil, err
		}
		if err := m.take(2 * bridge.CellBytes(s)); err != nil {
			return nil, err
		}
		return s, filter.mask(s)
	})(rows, out)
}

// cellFilter is a Bloom filter of cells. Its keys are hashes, which do not show their resolution.
type cellFilter struct {
	blob []byte
	view bloom.View
	fpp  float64
	key  [24]byte

	searches int // number of searches for another resolution so far
}

// reset opens a Bloom filter.
func (f *cellFilter) reset(blob []byte) error {
	f.blob = nil
	if err := sketch.Verify(blob); err != nil {
		return err
	}
	view, err := bloom.NewView(blob)
	if err != nil {
		return err
	}
	if c := view.KeyClass(); c != key.None && c != key.Blob {
		return fmt.Errorf("the Bloom filter has keys of type %s, must have those of ccbf_cell_key(x, y, res)", c)
	}
	f.blob, f.view, f.fpp, f.searches = blob, view, view.FPP(), 0
	return nil
}

// has reports whether the filter finds a cell.
func (f *cellFilter) has(g grid.Grid, c grid.Cell) bool {
	return f.view.ContainsKey(bridge.AppendCellKey(f.key[:0], g, c))
}

// maxSearches is the largest number of searches for another resolution in a chunk. Each takes some
// thousand lookups.
const maxSearches = 16

// mask removes from s the cells that the filter does not have. If the filter has no more cells of s than
// by chance, it may have been made for another resolution. If it has the places of s at another
// resolution, mask returns an error that says so.
func (f *cellFilter) mask(s *ccbf.Sketch) error {
	var some sample
	lookups, kept := 0, 0
	err := bridge.KeepCells(s, func(c grid.Cell) bool {
		some.add(c)
		lookups++
		has := f.has(s.Grid, c)
		if has {
			kept++
		}
		return has
	})
	if err != nil || f.searches >= maxSearches || !byChance(kept, lookups, f.fpp) {
		return err
	}
	f.searches++
	if res, found := f.otherRes(s.Grid, some.cells); found {
		or := ""
		if res > s.Grid.Res() {
			or = ", or coarsen the sketch with ccbf_coarsen"
		}
		return fmt.Errorf("the Bloom filter has cells of resolution %v, the sketch has those of %v: make its keys with ccbf_cell_key(x, y, %[2]v)%[3]s", res, s.Grid.Res(), or)
	}
	return nil
}

// ratios is ratios of two resolutions that are likely to be used together.
var ratios = [...]float64{2, 2.5, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100, 1000}

// fewCells and fineRatio limit the lookups of finer cells: a cell has as many as the square of the
// ratio.
const (
	fewCells  = 16
	fineRatio = 10
)

// otherRes returns a resolution at which the filter finds more of the places of some cells than by
// chance.
func (f *cellFilter) otherRes(g grid.Grid, some []grid.Cell) (res float64, found bool) {
	for _, ratio := range ratios {
		if found, res := f.hasCoarser(g, ratio, some); found {
			return res, true
		}
		if ratio <= fineRatio {
			if found, res := f.hasFiner(g, ratio, some[:min(fewCells, len(some))]); found {
				return res, true
			}
		}
	}
	return 0, false
}

// hasCoarser tests a resolution that is ratio times as large as that of g, and returns it. It reports
// whether the filter then has more of the places in the parameter some than by chance.
func (f *cellFilter) hasCoarser(g grid.Grid, ratio float64, some []grid.Cell) (bool, float64) {
	coarse, err := grid.New(decimal(g.Res() * ratio))
	if err != nil {
		return false, 0
	}
	has := 0
	var lookups []grid.Cell
	for _, c := range some {
		at, err := coarse.Cell(g.Center(c))
		if err != nil || slices.Contains(lookups, at) {
			continue // looking up the same key again gives no new evidence
		}
		lookups = append(lookups, at)
		if f.has(coarse, at) {
			has++
		}
	}
	return !byChance(has, len(lookups), f.fpp), coarse.Res()
}

// hasFiner is hasCoarser for a resolution ratio times as small as that of g.
func (f *cellFilter) hasFiner(g grid.Grid, ratio float64, some []grid.Cell) (bool, float64) {
	fine, err := grid.New(decimal(g.Res() / ratio))
	if err != nil {
		return false, 0
	}
	lookups, has := 0, 0
	for i, c := range some {
		if slices.Contains(some[:i], c) { // the same cell occurs again, with another category
			continue
		}
		b := g.Bound(grid.Rect{MinX: c.X, MinY: c.Y, MaxX: c.X, MaxY: c.Y})
		r, err := fine.Box(b.Min[0], b.Min[1], b.Max[0], b.Max[1])
		if err != nil || r.Count() > (fineRatio+1)*(fineRatio+1) {
			continue
		}
		for y := r.MinY; y <= r.MaxY; y++ {
			for x := r.MinX; x <= r.MaxX; x++ {
				lookups++
				if f.has(fine, grid.Cell{X: x, Y: y}) {
					has++
				}
			}
		}
	}
	return !byChance(has, lookups, f.fpp), fine.Res()
}

// decimal returns the number with at most 15 digits that is nearest to v.
func decimal(v float64) float64 {
	d, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 14, 64), 64)
	if err != nil { // v is infinite
		return v
	}
	return d
}

// certainty is a probability that counts as 0.
const certainty = 1e-12

// byChance reports whether all of has hits among distinct keys can be false positives: whether the
// probability of as many is above certainty. It uses Chernoff's bound exp(n p - k) (n p / k)^k
// (Mitzenmacher and Upfal, "Probability and Computing", theorem 4.4).
func byChance(has, keys int, fpp float64) bool {
	mean, k := float64(keys)*fpp, float64(has)
	if k <= mean || k == 0 {
		return true
	}
	return k-mean+k*math.Log(mean/k) > math.Log(certainty)
}

// sample is a sample of the cells of a list, evenly spread over the list.
type sample struct {
	cells        []grid.Cell
	step, passed int // every step-th cell is kept; passed is the number of cells so far
}

const sampleCells = 64

// add offers the next cell of the list to the sample, which keeps every step-th cell.
func (s *sample) add(c grid.Cell) {
	if s.step == 0 {
		s.step = 1
	}
	if s.passed++; s.passed%s.step != 0 {
		return
	}
	if s.cells = append(s.cells, c); len(s.cells) < 2*sampleCells {
		return
	}
	for i := range sampleCells {
		s.cells[i] = s.cells[2*i+1]
	}
	s.cells = s.cells[:sampleCells]
	s.step *= 2
}
