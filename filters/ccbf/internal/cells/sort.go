package cells

import (
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/internal/radix"
)

// scratches lends the memory of Collect.
var scratches = sync.Pool{New: func() any { return new(radix.Scratch) }}

// Collect sorts keys and makes a run of them. Key i counts weights[i] points, or one if weights is nil. It
// overwrites both slices.
func Collect(keys, weights []uint64) Squares {
	s := scratches.Get().(*radix.Scratch)
	defer scratches.Put(s)
	if weights == nil {
		s.Sort(keys)
	} else {
		s.SortPairs(keys, weights)
	}
	return fromSorted(keys, weights)
}
