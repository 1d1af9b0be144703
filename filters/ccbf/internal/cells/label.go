package cells

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Label identifies a section of an exact sketch: a category, and a region of 2^32 x 2^32 cells. Region
// (0, 0) reaches at least 1.4e9 cells in every direction, so only very fine grids use other regions.
type Label struct {
	Category string
	// None is true if the points have no category. This differs from the empty category.
	None bool
	X, Y int32
}

// Compare orders labels: those without a category first, then by category, Y and X.
func (p Label) Compare(q Label) int {
	if p.None != q.None {
		if p.None {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(p.Category, q.Category), cmp.Compare(p.Y, q.Y), cmp.Compare(p.X, q.X))
}

// KeyCategory returns the bytes of the category, or nil without one.
func (p *Label) KeyCategory() []byte {
	if p.None {
		return nil
	}
	return []byte(p.Category)
}

// readRegion reads the index of a region. It returns math.MaxInt32 for an index that no region has, as
// cells reach to 2^53.
func readRegion(r *sketch.Reader) int32 {
	u := r.Uvarint()
	if u > 1<<23 {
		return math.MaxInt32
	}
	return int32(u>>1) ^ -int32(u&1)
}

// AppendLabel appends a label as a section begins with it.
func AppendLabel(dst []byte, p Label) []byte {
	if !p.None {
		dst = binary.AppendUvarint(dst, uint64(len(p.Category)))
		dst = append(dst, p.Category...)
	}
	dst = binary.AppendVarint(dst, int64(p.X))
	return binary.AppendVarint(dst, int64(p.Y))
}

// LabelView is a label that refers to the bytes of a BLOB.
type LabelView struct {
	Category []byte // nil without a category
	X, Y     int32
}

// ReadLabel reads the result of AppendLabel, with or without a category. An error wraps
// sketch.ErrInvalid.
func ReadLabel(r *sketch.Reader, categories bool) (LabelView, error) {
	var p LabelView
	if categories {
		p.Category = r.Bytes(r.Uvarint())
	}
	p.X, p.Y = readRegion(r), readRegion(r)
	if p.X == math.MaxInt32 || p.Y == math.MaxInt32 {
		return p, sketch.Invalidf("a region beyond any cell")
	}
	return p, r.Err()
}

// Compare orders labels as Label.Compare does.
func (p *LabelView) Compare(q *LabelView) int {
	if (p.Category == nil) != (q.Category == nil) {
		if p.Category == nil {
			return -1
		}
		return 1
	}
	return cmp.Or(bytes.Compare(p.Category, q.Category), cmp.Compare(p.Y, q.Y), cmp.Compare(p.X, q.X))
}

// Label returns a copy.
func (p *LabelView) Label() Label {
	return Label{Category: string(p.Category), None: p.Category == nil, X: p.X, Y: p.Y}
}
