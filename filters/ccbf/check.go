package ccbf

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// check holds all of a BLOB but the cells of an exact body against
// docs/FORMAT.md, the checksum first: what Reset leaves out because lookups have
// no time for it. O(len(blob)).
func (v *View) check() error {
	if err := sketch.Verify(v.blob); err != nil {
		return err
	}
	if c, ok := v.in().(checked); ok {
		return c.checkBody()
	}
	return nil
}

// checkTotal holds a total against the counters.
//
// Where they are sums, every point adds one to k counters for each key that it
// has: for its cell and each level, with and without its category. A coarsened
// sketch counted levels that it no longer has. What is beyond a ceiling is lost,
// as is what passed 2^64-1 points.
//
// Where they are not, the total says little: maxima of many cells can be small.
// But without points there is nothing, and with points there is something, and a
// counter that never left the first layer has been raised by every key of every
// point at most.
func (v countersView) checkTotal(total uint64) error {
	d, keys, coarse := &v.dense, uint64(v.Levels)+1, uint64(v.Base)
	if v.Totals {
		keys, coarse = 2*keys, 2*coarse
	}
	if !v.additive() {
		over, most := bits.Mul64(total, keys+coarse)
		if over != 0 {
			most = ^uint64(0)
		}
		return d.CheckMaxima(total, most)
	}
	if v.saturated() || total == ^uint64(0) {
		return nil
	}
	keys *= uint64(v.shape.K)
	hi, lo := bits.Mul64(total, keys)
	sumHi, sumLo := d.Sum()
	if over := sumHi > hi || sumHi == hi && sumLo > lo; sumHi < hi || sumHi == hi && sumLo < lo || over && v.Base == 0 {
		return sketch.Invalidf("counters that do not add up to %d times the total %d", keys, total)
	}
	return nil
}
