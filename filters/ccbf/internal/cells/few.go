package cells

import (
	"encoding/binary"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// Few writes lists of few cells, one after the other. Its zero value is ready.
type Few struct{ w bitio.Writer }

// MaxFew is how many cells there may be.
const MaxFew = blockCells

// FewBounds is List.Bounds of sorted keys in the region (0, 0).
func FewBounds(keys []uint64) grid.Rect { return cornersAround(keys).rect(0, 0) }

// AppendBody is List.AppendBody of cells of the region (0, 0) without a category,
// whose bounds are FewBounds.
func (f *Few) AppendBody(dst []byte, r Run) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(r.Keys)))
	dst = binary.AppendUvarint(dst, r.Keys[0]-cornersAround(r.Keys).low())
	return appendBlock(dst, &f.w, r.Keys, r.Counts)
}
