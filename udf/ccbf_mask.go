package udf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// ccbfMask computes ccbf_mask, by a sketch or by a Bloom filter of cells.
func ccbfMask(c *call) error {
	var filter cellFilter
	return eachPair(func(c *call, left, right []byte) (encoder, error) {
		if !sameBytes(right, filter.blob) {
			if h, err := sketch.Parse(right); err != nil || h.Family != bloom.Family.ID {
				return c.pair(left, right, (*ccbf.Sketch).Mask)
			}
			if err := filter.reset(right); err != nil {
				return nil, err
			}
		}
		s, err := c.ccbf(left, 2)
		if err != nil {
			return nil, err
		}
		return s, filter.mask(s)
	})(c)
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
	return f.view.ContainsKey(appendCellKey(f.key[:0], g, c))
}

// maxSearches is the largest number of searches for another resolution in a chunk. Each takes some
// thousand lookups.
const maxSearches = 16

// sampleCells is the largest number of cells with which another resolution is searched for.
const sampleCells = 64

// mask removes from s the cells that the filter does not have. If the filter has no more cells of s than
// by chance, it may have been made for another resolution. If it has the places of s at another
// resolution, mask returns an error that says so.
func (f *cellFilter) mask(s *ccbf.Sketch) error {
	var some []grid.Cell // a random sample
	random := rand.New(rand.NewPCG(1, 1))
	lookups, kept := 0, 0
	err := bridge.KeepCells(s, func(c grid.Cell) bool {
		lookups++
		if len(some) < sampleCells {
			some = append(some, c)
		} else if i := random.IntN(lookups); i < sampleCells {
			some[i] = c
		}
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
	res := s.Grid.Res()
	for _, ratio := range ratios {
		switch {
		case f.hasPlaces(s.Grid, some, res*ratio):
			return fmt.Errorf("the Bloom filter has cells of resolution %v, the sketch has those of %v: make its keys with ccbf_cell_key(x, y, %[2]v), or coarsen the sketch with ccbf_coarsen", shortest(res*ratio), res)
		case ratio <= fineRatio && f.hasPlaces(s.Grid, some, res/ratio):
			return fmt.Errorf("the Bloom filter has cells of resolution %v, the sketch has those of %v: make its keys with ccbf_cell_key(x, y, %[2]v)", shortest(res/ratio), res)
		}
	}
	return nil
}

// ratios is ratios of two resolutions that are likely to be used together.
var ratios = [...]float64{2, 2.5, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100, 1000}

// fineRatio limits the lookups of finer cells: a cell has as many as the square of the ratio.
const fineRatio = 10

// hasPlaces reports whether the filter has more of the places of some cells than by chance, in cells of
// another resolution.
func (f *cellFilter) hasPlaces(g grid.Grid, some []grid.Cell, res float64) bool {
	other, err := grid.New(shortest(res))
	if err != nil {
		return false
	}
	has := map[grid.Cell]bool{} // by cell of the other resolution. A second lookup is no new evidence.
	hits := 0
	lookUp := func(c grid.Cell) {
		if _, known := has[c]; !known {
			has[c] = f.has(other, c)
			if has[c] {
				hits++
			}
		}
	}
	for _, c := range some {
		b := g.Bound(c.Square(0))
		inside, err := other.Box(b.Min[0], b.Min[1], b.Max[0], b.Max[1])
		if err != nil {
			continue
		}
		for at := range inside.Cells() {
			lookUp(at)
		}
		if around, err := other.Cell(g.Center(c)); inside.Empty() && err == nil {
			lookUp(around)
		}
	}
	return !byChance(hits, len(has), f.fpp)
}

// shortest returns the number with at most 15 digits that is nearest to v.
func shortest(v float64) float64 {
	d, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 14, 64), 64)
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
