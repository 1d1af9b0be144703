package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// BoxSums answers BoxSum of many sketches in less time than one by one: blocks of cells that several
// need are decoded together. The zero value is ready.
type BoxSums struct{ cells cells.BoxSums }

// Ask sets sum to BoxSum of a view, when Finish returns at the latest. Until then its BLOB must not
// change; the view may be reset. After an error, which is that of BoxSum, sum is no answer.
func (s *BoxSums) Ask(v *View, r grid.Rect, category []byte, sum *uint64) (err error) {
	if v.Form() != Exact {
		*sum, err = v.BoxSum(r, category)
		return err
	}
	*sum = 0
	if r = r.Intersect(v.Bounds); !r.Empty() {
		of := only(category)
		s.cells.Add(&v.cells, r, of.holds, sum)
	}
	return nil
}

// Finish completes the sums that were asked for.
func (s *BoxSums) Finish() { s.cells.Finish() }

// Blocks is how many blocks of cells were decoded, of sketches that were asked once each.
func (s *BoxSums) Blocks() int { return s.cells.Blocks() }
