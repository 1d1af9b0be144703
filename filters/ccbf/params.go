package ccbf

import (
	"encoding/binary"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// The first of a BLOB's parameters (docs/FORMAT.md). The lowest two bits are the form. The other
// bits state what differs from the default, or which of the fields below follow.
const (
	formBits  = 1<<2 - 1
	inSums    = 1 << 2  // mode standard.
	fromFirst = 1 << 3  // counters from the first row on.
	hasBytes  = 1 << 4  // bytes other than DefaultBytes.
	toDense   = 1 << 5  // overflow 'counters'.
	noCells   = 1 << 6  // no bounds.
	hasK      = 1 << 7  // k other than DefaultK.
	hasWidths = 1 << 8  // widths other than the mode's.
	hasSizes  = 1 << 9  // numbers of counters that do not follow from bytes.
	hasBase   = 1 << 10 // a base level other than 0.
	hasParts  = 1 << 11
	hasLeast  = 1 << 12 // the least number of points of a leaf, and the points dropped.

	knownFields = hasLeast<<1 - 1
)

// maxParams is the most bytes that Head.appendParams appends: with a resolution and bounds of nine
// bytes each, and layers.
const maxParams = 2 + 9 + 4*9 + 5 + 1 + 1 + MaxLayers + MaxLayers*5 + 1 + 2

// mostHead returns the most bytes before the body of a sketch with a number of layers.
func mostHead(layers int) uint64 {
	return uint64(sketch.MaxHeader + maxParams - 6*(MaxLayers-layers))
}

// appendParams appends the parameters in their only form: without those that are the default.
func (h *Head) appendParams(dst []byte) []byte {
	var room [maxParams]byte
	fields, rest := uint64(h.form), sketch.AppendFloat(room[:0], h.Grid.Res())
	if h.Mode == Standard {
		fields |= inSums
	}
	if !h.Exact {
		fields |= fromFirst
	}
	if h.Overflow == ToCounters {
		fields |= toDense
	}
	if b := h.Bounds; b.Empty() {
		fields |= noCells
	} else {
		rest = binary.AppendVarint(rest, b.MinX)
		rest = binary.AppendVarint(rest, b.MinY)
		rest = binary.AppendUvarint(rest, uint64(b.MaxX-b.MinX))
		rest = binary.AppendUvarint(rest, uint64(b.MaxY-b.MinY))
	}
	if h.Bytes != DefaultBytes {
		fields |= hasBytes
		rest = binary.AppendUvarint(rest, h.Bytes)
	}
	usual := &usualShapes[h.Mode]
	if h.shape.K != usual.K {
		fields |= hasK
		rest = append(rest, byte(h.shape.K))
	}
	if h.shape.Width != usual.Width {
		fields |= hasWidths
		rest = append(rest, byte(h.shape.Layers))
		rest = append(rest, h.shape.Widths()...)
	}
	// Most shapes are the usual one. To fit them takes long beside a small sketch.
	if h.shape != *usual || h.Bytes != DefaultBytes {
		if sized, ok := fitted(h.shape, h.Bytes); !ok || sized != h.shape {
			fields |= hasSizes
			for _, m := range h.shape.Sizes() {
				rest = binary.AppendUvarint(rest, m)
			}
		}
	}
	if h.Base != 0 {
		fields |= hasBase
		rest = append(rest, h.Base)
	}
	if h.parts.Number != 0 {
		fields |= hasParts
		number, largest := h.parts.Bytes()
		rest = append(rest, number, largest)
	}
	if h.hidden.Least != 0 {
		fields |= hasLeast
		rest = binary.AppendUvarint(binary.AppendUvarint(rest, h.hidden.Least), h.hidden.Dropped)
	}
	return append(binary.AppendUvarint(dst, fields), rest...)
}

// usualShapes has the default shape of each mode, in DefaultBytes.
var usualShapes = func() (s [Standard + 1]cascade.Shape) {
	for mode, widths := range defaultWidths {
		var err error
		if s[mode], err = cascade.NewShape(DefaultK, widths); err != nil || !s[mode].Fit(DefaultBytes) {
			panic(err)
		}
	}
	return s
}()

// fitted returns a shape with the sizes that follow from bytes. It returns false if none do.
func fitted(s cascade.Shape, bytes uint64) (cascade.Shape, bool) {
	return s, bytes >= MinBytes && bytes <= MaxBytes && s.Fit(bytes)
}

// readParams reads a BLOB's parameters. last is the grid of the BLOB before, or the zero value: most
// BLOBs have the same grid. Errors wrap sketch.ErrInvalid.
func (h *Head) readParams(b *sketch.Blob, last grid.Grid) error {
	r := sketch.NewReader("parameters", b.Params)
	fields := r.Uvarint()
	if unknown := fields &^ knownFields; unknown != 0 {
		return sketch.Invalidf("unknown parameters %#x", unknown)
	}
	h.form = Form(fields & formBits)
	if h.form == 0 {
		return sketch.Invalidf("form 0, must be %d, %d or %d", Exact, Dense, Tree)
	}
	res := r.Float()
	h.Bounds = grid.EmptyRect()
	if fields&noCells == 0 {
		if err := h.readBounds(r); err != nil {
			return err
		}
	}
	h.Config = Config{
		Bytes:      DefaultBytes,
		Exact:      fields&fromFirst == 0,
		Overflow:   ToTree,
		Seed:       b.Seed,
		Categories: b.Flags.Has(sketch.Categorised),
		Totals:     b.Flags.Has(sketch.WithTotals),
		Levels:     b.Levels,
	}
	if fields&inSums != 0 {
		h.Mode = Standard
	}
	if fields&toDense != 0 {
		h.Overflow = ToCounters
	}
	if fields&hasBytes != 0 {
		h.Bytes = r.Uvarint()
		if h.Bytes == 0 || h.Bytes > MaxBytes || h.Bytes == DefaultBytes {
			return sketch.Invalidf("%d bytes at most, must be from 1 to %d, and not %d", h.Bytes, MaxBytes, DefaultBytes)
		}
	}
	if err := h.readShape(r, fields); err != nil {
		return err
	}
	if fields&hasBase != 0 {
		if h.Base = r.Uint8(); h.Base == 0 {
			return sketch.Invalidf("a base level of 0")
		}
	}
	if fields&hasParts != 0 {
		number, largest := r.Uint8(), r.Uint8()
		var ok bool
		if h.parts, ok = cascade.PartsOf(number, largest); !ok || h.parts.Number == 0 || h.form != Dense || h.Mode == Standard {
			return sketch.Invalidf("%d parts, the largest %d, in this form and mode", number, largest)
		}
	}
	if fields&hasLeast != 0 {
		if h.form != Tree {
			return sketch.Invalidf("leaves of at least so many points in form %d", h.form)
		}
		h.hidden.Least, h.hidden.Dropped = r.Uvarint(), r.Uvarint()
		if least := h.hidden.Least; r.Err() == nil && (least < MinLeast || least > MaxLeast) {
			return sketch.Invalidf("leaves of at least %d points", least)
		}
	}
	if err := r.Done(); err != nil {
		return err
	}
	var err error
	if h.Grid, err = last.At(res); err != nil {
		return sketch.Invalidf("%v", err)
	}
	return h.checkParams()
}

// readBounds reads the bounds. Sides are written as lengths.
func (h *Head) readBounds(r *sketch.Reader) error {
	x, y, width, height := r.Varint(), r.Varint(), r.Uvarint(), r.Uvarint()
	const least, most = -grid.MaxIndex - 1, grid.MaxIndex
	if min(x, y) < least || max(x, y) > most || width > uint64(most-x) || height > uint64(most-y) {
		return sketch.Invalidf("bounds beyond any cell")
	}
	h.Bounds = grid.Rect{MinX: x, MinY: y, MaxX: x + int64(width), MaxY: y + int64(height)}
	return nil
}

// readShape reads what differs from the default shape of the mode.
func (h *Head) readShape(r *sketch.Reader, fields uint64) error {
	s, k, widths := usualShapes[h.Mode], DefaultK, defaultWidths[h.Mode]
	if fields&hasK != 0 {
		if k = int(r.Uint8()); k == DefaultK {
			return sketch.Invalidf("k is %d, the default, which must not be written", k)
		}
	}
	if fields&hasWidths != 0 {
		var room [MaxLayers]int
		widths = room[:0]
		for _, w := range r.Bytes(uint64(r.Uint8())) {
			widths = append(widths, int(w))
		}
		if slices.Equal(widths, defaultWidths[h.Mode]) {
			return sketch.Invalidf("the default widths, which must not be written")
		}
	}
	if fields&(hasK|hasWidths) != 0 {
		var err error
		if s, err = cascade.NewShape(k, widths); err != nil {
			return sketch.Invalidf("%v", err)
		}
	}
	sized, fits := fitted(s, h.Bytes)
	if fields&hasSizes == 0 {
		if !fits {
			return sketch.Invalidf("%d bytes, in which %d layers of these widths do not fit", h.Bytes, s.Layers)
		}
		h.shape = sized
		return nil
	}
	for x := range s.Layers {
		s.Size[x] = r.Uvarint()
	}
	if err := s.SetCounters(s.Sizes()); err != nil {
		return sketch.Invalidf("%v", err)
	}
	if fits && s == sized {
		return sketch.Invalidf("counters that follow from %d bytes, which must not be written", h.Bytes)
	}
	h.shape = s
	return nil
}

// checkParams checks that the parameters are consistent.
func (h *Head) checkParams() error {
	if max(h.Levels, h.Base) > MaxLevels || h.Levels+h.Base > MaxLevels {
		return sketch.Invalidf("%d levels above level %d, at most %d are counted", h.Levels, h.Base, MaxLevels)
	}
	if n := h.shape.Bytes(); n > h.Bytes {
		// New never makes such a sketch. If it were allowed, an exact sketch of a few cells could
		// allocate huge layers: one more cell that does not fit suffices.
		return sketch.Invalidf("layers that take %d bytes in a sketch of %d at most", n, h.Bytes)
	}
	if h.form == Exact && !h.Exact {
		return sketch.Invalidf("an exact sketch that was dense from the first row on")
	}
	if h.form == Tree && h.Overflow != ToTree {
		return sketch.Invalidf("a tree whose cells overflow to counters")
	}
	usual := &usualShapes[MinimalIncrement]
	if h.Overflow == ToTree && (!h.Exact || h.Mode != MinimalIncrement || h.Levels > 0 || h.Base > 0 || h.shape.K != usual.K || h.shape.Width != usual.Width) {
		return sketch.Invalidf("what only counters have (a mode, k, layers, levels, no exact form) where cells overflow to a tree")
	}
	if h.Totals && !h.Categories {
		return sketch.Invalidf("totals without categories")
	}
	return nil
}
