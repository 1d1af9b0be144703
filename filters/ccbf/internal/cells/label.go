package cells

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// AppendLabel appends a label as sections begin with it.
func AppendLabel(dst []byte, p Label) []byte {
	if !p.None {
		dst = binary.AppendUvarint(dst, uint64(len(p.Category)))
		dst = append(dst, p.Category...)
	}
	dst = binary.AppendVarint(dst, int64(p.X))
	return binary.AppendVarint(dst, int64(p.Y))
}

// LabelView is a label in the bytes that it was read from.
type LabelView struct {
	Category []byte // nil without one
	X, Y     int32
}

// ReadLabel reads what AppendLabel wrote, with or without a category. The error of a region that no cell is in
// wraps sketch.ErrInvalid, those of r are r's.
func ReadLabel(r *sketch.Reader, categories bool) (LabelView, error) {
	var p LabelView
	if categories {
		p.Category = r.Bytes(r.Uvarint())
	}
	p.X, p.Y = region(r), region(r)
	if p.X == math.MaxInt32 || p.Y == math.MaxInt32 {
		return p, sketch.Invalidf("a region beyond any cell")
	}
	return p, r.Err()
}

// Compare is that of Label.
func (p *LabelView) Compare(q *LabelView) int {
	if (p.Category == nil) != (q.Category == nil) {
		if p.Category == nil {
			return -1
		}
		return 1
	}
	return cmp.Or(bytes.Compare(p.Category, q.Category), cmp.Compare(p.Y, q.Y), cmp.Compare(p.X, q.X))
}

// Matches reports whether a question for a category (nil: any) is about the section.
func (p *LabelView) Matches(category []byte) bool {
	return category == nil || string(p.Category) == string(category)
}

// Label is a copy.
func (p *LabelView) Label() Label {
	return Label{Category: string(p.Category), None: p.Category == nil, X: p.X, Y: p.Y}
}
