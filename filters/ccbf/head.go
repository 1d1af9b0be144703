package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Head describes a BLOB without its counts: parameters, bounds, total. The zero
// value is ready for Reset.
type Head struct {
	Config
	Bounds grid.Rect // no cell outside has a count

	parts cascade.Origin // how a dense sketch of mode mi came about

	header sketch.Header
	form   byte
	shapes shapes
}

// Reset makes h the head of a BLOB. It reads some hundred bytes, however many
// there are. The error wraps sketch.ErrInvalid.
func (h *Head) Reset(blob []byte) error {
	_, err := h.parse(blob)
	return err
}

// parse is Reset; it returns the body for those that go on.
func (h *Head) parse(blob []byte) (sketch.Blob, error) {
	b, err := sketch.ParseAs(id, blob)
	if err != nil {
		return b, err
	}
	var p params
	if err := p.read(&b, &h.shapes); err != nil {
		return b, err
	}
	h.Config, h.Bounds, h.form, h.parts = p.Config, p.bounds, p.form, p.parts
	if h.form == formTree {
		if b.Flags.Has(sketch.Additive) != b.Flags.Has(sketch.TotalKnown) || b.Flags.Has(sketch.Saturated) {
			return b, sketch.Invalidf("a tree with flags %#x", uint16(b.Flags))
		}
	} else if (h.form == formExact || h.Mode == Standard) != b.Flags.Has(sketch.Additive) && (h.form == formExact || h.Mode != Standard) {
		return b, sketch.Invalidf("flags %#x in this form and mode", uint16(b.Flags))
	}
	if !h.Categories && b.KeyClass != 0 {
		return b, sketch.Invalidf("a class of categories without categories")
	}
	if class := key.Class(b.KeyClass); !class.Known() {
		return b, sketch.Invalidf("key class %d", b.KeyClass)
	}
	if !b.Flags.Has(sketch.Additive) && h.Mode == Standard && b.Flags.Has(sketch.TotalKnown) {
		return b, sketch.Invalidf("a total of counters that are not sums in mode standard")
	}
	if h.form == formExact && (!h.Exact || uint64(len(b.Body)) > h.Bytes) {
		return b, sketch.Invalidf("an exact body of %d bytes, at most %d are allowed, or 0 if it is never exact", len(b.Body), h.Bytes)
	}
	h.header = b.Header
	return b, nil
}

// CheckCategory returns an error where a question with a category, or one
// without, has no answer.
func (h *Head) CheckCategory(given bool) error {
	switch {
	case given && !h.Categories:
		return ErrNoCategory
	case !given && h.Categories && !h.Totals:
		return ErrNeedsCategory
	}
	return nil
}

// IsExact reports whether every answer is exact.
func (h *Head) IsExact() bool { return h.form == formExact }

// Total is the number of occurrences inserted; false where an operation made
// it unknown.
func (h *Head) Total() (uint64, bool) {
	return h.header.Total, h.header.Flags.Has(sketch.TotalKnown)
}

func (h *Head) additive() bool { return h.header.Flags.Has(sketch.Additive) }

// saturated is Sketch.Saturated. Only counters have a flag for it.
func (h *Head) saturated() bool {
	total, known := h.Total()
	return h.header.Flags.Has(sketch.Saturated) || h.form != formDense && known && total == full
}

// Class is the class of the sketch's categories; 0 where it has none.
func (h *Head) Class() key.Class { return key.Class(h.header.KeyClass) }
