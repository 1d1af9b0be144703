package ccbf

import (
	"encoding/binary"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Head is what a BLOB says of itself before its counts: parameters, bounds,
// total. The zero value is ready for Reset.
type Head struct {
	Config
	Bounds grid.Rect // no cell outside has a count

	parts cascade.Origin // how a dense sketch of mode mi came about

	header  sketch.Header
	form    byte
	checked cascade.Shape
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
	if err := h.parseParams(&b); err != nil {
		return b, err
	}
	if (h.form == formExact || h.Mode == Standard) != b.Flags.Has(sketch.Additive) && (h.form == formExact || h.Mode != Standard) {
		return b, sketch.Invalidf("flags %#x in this form and mode", uint16(b.Flags))
	}
	if !h.Categories && b.KeyClass != 0 {
		return b, sketch.Invalidf("a class of categories without categories")
	}
	if class := key.Class(b.KeyClass); !class.Known() {
		return b, sketch.Invalidf("key class %d", b.KeyClass)
	}
	if !b.Flags.Has(sketch.Additive) && h.Mode == Standard && b.Flags.Has(sketch.TotalKnown) {
		return b, sketch.Invalidf("a total of counters that are no sums in mode standard")
	}
	if h.form == formExact && (!h.Exact || uint64(len(b.Body)) > h.Bytes) {
		return b, sketch.Invalidf("an exact body of %d bytes, at most %d are allowed, 0 where it is never exact", len(b.Body), h.Bytes)
	}
	h.header = b.Header
	return b, nil
}

// parseParams reads a BLOB's parameters into h's Config, Bounds and form.
func (h *Head) parseParams(b *sketch.Blob) error {
	p := b.Params
	if len(p) < atShape {
		return sketch.Invalidf("parameters of %d bytes, at least %d are needed", len(p), atShape)
	}
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(p[at:]) }
	g, err := grid.New(math.Float64frombits(word(atRes)))
	if err != nil {
		return sketch.Invalidf("%v", err)
	}
	layers := int(p[atLayers])
	if layers == 0 || layers > MaxLayers || len(p) != paramsSize(layers) {
		return sketch.Invalidf("parameters of %d bytes for %d layers", len(p), layers)
	}
	if p[atForm] != formExact && p[atForm] != formDense || p[atMode] > byte(Standard) || p[atExact] > 1 {
		return sketch.Invalidf("unknown form, mode or flag in the parameters")
	}
	h.Config = Config{
		Grid:       g,
		Bytes:      word(atBytes),
		Exact:      p[atExact] == 1,
		Mode:       Mode(p[atMode]),
		Seed:       b.Seed,
		Categories: b.Flags.Has(sketch.Categorised),
		Totals:     b.Flags.Has(sketch.WithTotals),
		Levels:     b.Levels,
		Base:       p[atBase],
		shape:      cascade.Shape{K: int(p[atK]), Layers: layers},
	}
	if max(h.Levels, h.Base) > MaxLevels || h.Levels+h.Base > MaxLevels {
		return sketch.Invalidf("%d levels above level %d, at most %d are counted", h.Levels, h.Base, MaxLevels)
	}
	for x := range layers {
		h.shape.Size[x] = word(atShape + 8*x)
		h.shape.Width[x] = p[atShape+8*layers+x]
	}
	if h.shape != h.checked { // the shape of the BLOB before, most often
		if err := h.shape.Check(); err != nil {
			return sketch.Invalidf("%v", err)
		}
		h.checked = h.shape
	}
	if h.Bytes == 0 || h.Bytes > MaxBytes {
		return sketch.Invalidf("%d bytes at most, must be from 1 to %d", h.Bytes, MaxBytes)
	}
	if n := h.shape.Bytes(); n > h.Bytes {
		// New makes no such sketch. An exact one of a few cells would take the memory
		// of its layers as soon as a cell more does not fit.
		return sketch.Invalidf("layers that take %d bytes in a sketch of %d at most", n, h.Bytes)
	}
	if p[atForm] == formExact && !h.Exact {
		return sketch.Invalidf("an exact sketch that was dense from the first row on")
	}
	if h.Totals && !h.Categories {
		return sketch.Invalidf("totals without categories")
	}
	h.Bounds = grid.Rect{MinX: int64(word(atBounds)), MinY: int64(word(atBounds + 8)), MaxX: int64(word(atBounds + 16)), MaxY: int64(word(atBounds + 24))}
	if h.Bounds != cells.NoBounds {
		for _, i := range [...]int64{h.Bounds.MinX, h.Bounds.MinY, h.Bounds.MaxX, h.Bounds.MaxY} {
			if i < -grid.MaxIndex-1 || i > grid.MaxIndex {
				return sketch.Invalidf("bounds beyond any cell")
			}
		}
		if h.Bounds.MinX > h.Bounds.MaxX || h.Bounds.MinY > h.Bounds.MaxY {
			return sketch.Invalidf("bounds in the wrong order")
		}
	}
	h.form = p[atForm]
	var ok bool
	if h.parts, ok = cascade.PartsOf(p[atParts], p[atLargest]); !ok || h.parts.Number > 0 && (h.form == formExact || h.Mode == Standard) {
		return sketch.Invalidf("%d parts, the largest %d, in this form and mode", p[atParts], p[atLargest])
	}
	return nil
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

func (h *Head) additive() bool  { return h.header.Flags.Has(sketch.Additive) }
func (h *Head) saturated() bool { return h.header.Flags.Has(sketch.Saturated) }

// Class is the class of the sketch's categories; 0 where it has none.
func (h *Head) Class() key.Class { return key.Class(h.header.KeyClass) }
