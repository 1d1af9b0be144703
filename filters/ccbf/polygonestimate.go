package ccbf

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/paulmach/orb"
)

// Estimate is an estimate of a sum over an area.
type Estimate struct {
	Value     float64 // what the sum is likely to be
	Low, High uint64  // the sum is between them: always where Certain, else with a chance of 95%
	Certain   bool    // the sketch is exact
	Cells     uint64  // whose centres lie inside the area
}

// PolygonEstimate is Polygon.Estimate of one sketch.
func (v *View) PolygonEstimate(p orb.MultiPolygon, category []byte) (Estimate, error) {
	return NewPolygon(p).Estimate(v, category)
}

// Estimate estimates the number of points in the cells of a sketch whose centres
// lie inside the polygon. An exact sketch answers exactly. Of a dense one Sum is
// too high by what cells read that hold less, and Estimate takes off the mean of
// that, which it reads off the counters ("Spectral Bloom Filters", section 3.1, for
// the least of k counters). It is right in the mean over the seeds of the hash where
// View.Unbiased says so. Elsewhere it is between what is right for maxima and for
// sums, as far as the counters tell (View.Error), and no more is promised of it. It is
// then brought into the interval.
//
// The interval holds the truth with a chance of at least 95% over the seeds of the
// hash, in all of these cases: where a mean is not known exactly, bounds of it are
// used. High is never above Sum. After an intersection or a mask, which leave no
// trace of how far cells are off, Low is 0. After a saturated last layer nothing is
// certain.
//
// It is limited like Sum, and to polygons of AreaLimit rows of cells. O(counters)
// more than Sum, the first time that it is asked of a view.
func (p *Polygon) Estimate(v *View, category []byte) (Estimate, error) {
	cells, err := p.countCells(v)
	if err != nil {
		return Estimate{}, err
	}
	var r histogram // of what cells read, or the quads that the sum is made of
	sum, err := p.sum(v, category, r.add)
	if err != nil {
		return Estimate{}, err
	}
	e := Estimate{float64(sum), sum, sum, v.form == formExact, cells}
	if v.form == formDense && sum > 0 {
		var low, high float64
		e.Value, low, high = v.estimate(&r, float64(sum))
		e.Low, e.High = whole(low), min(whole(high), sum)
	}
	return e, nil
}

// whole is a number of points as a whole number; at most 2^64-1.
func whole(n float64) uint64 {
	if n >= 1<<64 {
		return math.MaxUint64
	}
	return uint64(n)
}

// countCells counts the cells whose centres are inside on the grid of a sketch.
func (p *Polygon) countCells(v *View) (uint64, error) {
	if _, err := p.descend(v.Grid); err != nil || p.counted {
		return p.cells, err
	}
	scan, err := v.Grid.Scan(p.mp, grid.MaxRect())
	if err != nil {
		return 0, err
	}
	if err := v.allowRows(scan.Work()); err != nil { // the resolution is what the sketch says
		return 0, err
	}
	p.cells, p.counted = scan.Count(), true
	return p.cells, nil
}

// estimate turns readings, and the sum that they allow at most, into an estimate
// and an interval.
func (v *View) estimate(r *histogram, most float64) (value, low, high float64) {
	sum := r.sum()
	sums := v.correction(true)
	least, excess := sums.excess(r)
	low, high = sum-excess, sum-least
	value = sums.sum(r)
	if !v.additive() {
		c := v.correction(false)
		larger := c.sum(r)
		high = larger + c.shortfall(r)
		_, share, _ := v.occupied()
		value = larger + share*(value-larger)
	}
	if _, known := v.Total(); !known {
		low = 0
	}
	// Sums of points are whole. What rounding moved is put back first.
	const fuzz = 1e-9
	low = min(max(math.Floor(low*(1+fuzz)), 0), most)
	high = min(max(math.Ceil(high*(1-fuzz)), low), most)
	return min(max(value, low), high), low, high
}

// sum is the sum of the estimates of readings.
func (c *correction) sum(r *histogram) (sum float64) {
	r.each(func(n, times float64) { sum += times * c.estimate(n) })
	return sum
}

// members are how many of the cells belong to each class or a higher one: at most
// all that read so much, and less those that ghosts bring there at a likely or at a
// large number of them.
func (c *correction) members(r *histogram) (least, likely, most []float64) {
	n := len(c.classes)
	least, likely, most = make([]float64, n+1), make([]float64, n+1), make([]float64, n+1)
	for i, k := range c.classes {
		ghosts, p := 0.0, 0.0
		for j, below := range c.classes[:i] {
			p = min(below.ghosts.tail(k.from), surest)
			ghosts += most[j] * p
		}
		most[i] = r.from(k.from)
		least[i] = max(0, most[i]-math.Ceil(ghosts+3*math.Sqrt(ghosts)))
		likely[i] = min(max(0, math.Round((most[i]-ghosts)/(1-p))), most[i])
	}
	for i := n - 1; i > 0; i-- {
		least[i], likely[i] = max(least[i], least[i+1]), max(likely[i], likely[i+1])
	}
	return least, likely, most
}

// excess is by how much the sum of readings exceeds the truth at least and at most,
// where each exceeds it by a ghost: the ghosts of higher classes are larger.
//
// Two cells of an area that share counters are too high together, which doubles the
// variance for those that hold points: half as many draws that count twice.
func (c *correction) excess(r *histogram) (least, most float64) {
	few, _, many := c.members(r)
	p := min(c.classes[0].ghosts.tail(1), surest)
	holding := (r.from(1) - many[0]*p) / (1 - p)
	parts := func(members []float64) []draws {
		var all []draws
		for i, k := range c.classes {
			cells := members[i] - members[i+1]
			pairs := cells
			if i == 0 {
				pairs = min(max(holding-members[1], 0), cells)
			}
			pairs = math.Floor(pairs / 2)
			all = append(all, draws{cells - 2*pairs, pairs, k.ghosts})
		}
		return all
	}
	least, _ = quantiles(parts(few), 1)
	_, most = quantiles(parts(many), 1)
	return least, most
}

// shortfall is by how much the truth exceeds the sum of the estimates at most,
// where readings are the larger of the truth and a ghost.
func (c *correction) shortfall(r *histogram) float64 {
	_, members, _ := c.members(r)
	var parts []draws
	above := 0.0
	for i := range c.classes {
		k := &c.classes[i]
		d, mean := k.deviations(c)
		cells := members[i] - members[i+1]
		above += cells * mean
		parts = append(parts, draws{cells, 0, &d})
	}
	least, _ := quantiles(parts, 0)
	return above - least
}
