package ccbf

import (
	"encoding/binary"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
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

	knownFields = formBits | inSums | fromFirst | toDense | hasBytes | noCells | hasK | hasWidths | hasSizes | hasBase | hasParts | hasLeast
)

// maxParams is the most bytes that params.append appends: with a resolution and bounds of nine
// bytes each, and layers.
const maxParams = 2 + 9 + 4*9 + 5 + 1 + 1 + MaxLayers + MaxLayers*5 + 1 + 2

// mostHead returns the most bytes before the body of a sketch with a number of layers.
func mostHead(layers int) uint64 {
	return uint64(sketch.MaxHeader + maxParams - 6*(MaxLayers-layers))
}

// params are the parameters that a BLOB begins with.
type params struct {
	Config
	bounds grid.Rect
	form   Form
	parts  cascade.Origin
	hidden tree.Suppression
}

// append appends the parameters in their only form.
func (p *params) append(dst []byte) []byte { return p.appendFields(dst, p.fields()) }

// fields returns which parameters follow the first.
func (p *params) fields() uint64 {
	fields := uint64(p.form)
	if p.Mode == Standard {
		fields |= inSums
	}
	if !p.Exact {
		fields |= fromFirst
	}
	if p.Overflow == ToCounters {
		fields |= toDense
	}
	if p.Bytes != DefaultBytes {
		fields |= hasBytes
	}
	if p.bounds == cells.NoBounds {
		fields |= noCells
	}
	usual := usualShapes[p.Mode]
	if p.shape.K != usual.K {
		fields |= hasK
	}
	if !p.shape.SameWidths(&usual) {
		fields |= hasWidths
	}
	if sized, ok := fitted(p.shape, p.Bytes); !ok || sized != p.shape {
		fields |= hasSizes
	}
	if p.Base != 0 {
		fields |= hasBase
	}
	if p.parts.Number != 0 {
		fields |= hasParts
	}
	if p.hidden.Least != 0 {
		fields |= hasLeast
	}
	return fields
}

// appendFields is append for given fields.
func (p *params) appendFields(dst []byte, fields uint64) []byte {
	dst = sketch.AppendFloat(binary.AppendUvarint(dst, fields), p.Grid.Res())
	if b := p.bounds; fields&noCells == 0 {
		dst = binary.AppendVarint(dst, b.MinX)
		dst = binary.AppendVarint(dst, b.MinY)
		dst = binary.AppendUvarint(dst, uint64(b.MaxX-b.MinX))
		dst = binary.AppendUvarint(dst, uint64(b.MaxY-b.MinY))
	}
	if fields&hasBytes != 0 {
		dst = binary.AppendUvarint(dst, p.Bytes)
	}
	if fields&hasK != 0 {
		dst = append(dst, byte(p.shape.K))
	}
	if fields&hasWidths != 0 {
		dst = append(dst, byte(p.shape.Layers))
		dst = append(dst, p.shape.Widths()...)
	}
	if fields&hasSizes != 0 {
		for _, m := range p.shape.Sizes() {
			dst = binary.AppendUvarint(dst, m)
		}
	}
	if fields&hasBase != 0 {
		dst = append(dst, p.Base)
	}
	if fields&hasParts != 0 {
		number, largest := p.parts.Bytes()
		dst = append(dst, number, largest)
	}
	if fields&hasLeast != 0 {
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, p.hidden.Least), p.hidden.Dropped)
	}
	return dst
}

// usualShapes has the default shape of each mode, without sizes.
var usualShapes = func() (s [Standard + 1]cascade.Shape) {
	for mode, widths := range defaultWidths {
		var err error
		if s[mode], err = cascade.NewShape(DefaultK, widths); err != nil {
			panic(err)
		}
	}
	return s
}()

// fitted returns a shape with the sizes that follow from bytes. It returns false if none do.
func fitted(s cascade.Shape, bytes uint64) (cascade.Shape, bool) {
	s.Size = [MaxLayers]uint64{}
	return s, bytes >= MinBytes && bytes <= MaxBytes && s.Fit(bytes)
}

// read reads a BLOB's parameters. last is the grid of the BLOB before, or the zero value: most
// BLOBs have the same grid. Errors wrap sketch.ErrInvalid.
func (p *params) read(b *sketch.Blob, last grid.Grid) error {
	r := sketch.NewReader("parameters", b.Params)
	fields := r.Uvarint()
	if unknown := fields &^ knownFields; unknown != 0 {
		return sketch.Invalidf("unknown parameters %#x", unknown)
	}
	p.form = Form(fields & formBits)
	if p.form == 0 {
		return sketch.Invalidf("form 0, must be %d, %d or %d", Exact, Dense, Tree)
	}
	res := r.Float()
	p.bounds = cells.NoBounds
	if fields&noCells == 0 {
		if err := p.readBounds(r); err != nil {
			return err
		}
	}
	p.Config = Config{
		Bytes:      DefaultBytes,
		Exact:      fields&fromFirst == 0,
		Overflow:   ToTree,
		Seed:       b.Seed,
		Categories: b.Flags.Has(sketch.Categorised),
		Totals:     b.Flags.Has(sketch.WithTotals),
		Levels:     b.Levels,
	}
	if fields&inSums != 0 {
		p.Mode = Standard
	}
	if fields&toDense != 0 {
		p.Overflow = ToCounters
	}
	if fields&hasBytes != 0 {
		p.Bytes = r.Uvarint()
		if p.Bytes == 0 || p.Bytes > MaxBytes || p.Bytes == DefaultBytes {
			return sketch.Invalidf("%d bytes at most, must be from 1 to %d, and not %d", p.Bytes, MaxBytes, DefaultBytes)
		}
	}
	if err := p.readShape(r, fields); err != nil {
		return err
	}
	if fields&hasBase != 0 {
		if p.Base = r.Uint8(); p.Base == 0 {
			return sketch.Invalidf("a base level of 0")
		}
	}
	if fields&hasParts != 0 {
		number, largest := r.Uint8(), r.Uint8()
		var ok bool
		if p.parts, ok = cascade.PartsOf(number, largest); !ok || p.parts.Number == 0 || p.form != Dense || p.Mode == Standard {
			return sketch.Invalidf("%d parts, the largest %d, in this form and mode", number, largest)
		}
	}
	if fields&hasLeast != 0 {
		if p.form != Tree {
			return sketch.Invalidf("leaves of at least so many points in form %d", p.form)
		}
		if err := p.hidden.Read(r); err != nil {
			return err
		}
	}
	if err := r.Done(); err != nil {
		return err
	}
	var err error
	if p.Grid, err = last.At(res); err != nil {
		return sketch.Invalidf("%v", err)
	}
	return p.check()
}

// readBounds reads the bounds. Sides are written as lengths.
func (p *params) readBounds(r *sketch.Reader) error {
	x, y, w, h := r.Varint(), r.Varint(), r.Uvarint(), r.Uvarint()
	const least, most = -grid.MaxIndex - 1, grid.MaxIndex
	if min(x, y) < least || max(x, y) > most || w > uint64(most-x) || h > uint64(most-y) {
		return sketch.Invalidf("bounds beyond any cell")
	}
	p.bounds = grid.Rect{MinX: x, MinY: y, MaxX: x + int64(w), MaxY: y + int64(h)}
	return nil
}

// readShape reads what differs from the default shape of the mode.
func (p *params) readShape(r *sketch.Reader, fields uint64) error {
	usual := &usualShapes[p.Mode]
	s := *usual
	if fields&hasK != 0 {
		if s.K = int(r.Uint8()); s.K == usual.K {
			return sketch.Invalidf("k is %d, the default, which must not be written", s.K)
		}
	}
	if fields&hasWidths != 0 {
		s.Layers, s.Width = int(r.Uint8()), usual.Width
		if s.Layers == 0 || s.Layers > MaxLayers {
			return sketch.Invalidf("%d layers, must be from 1 to %d", s.Layers, MaxLayers)
		}
		s.Width = [MaxLayers]uint8{}
		copy(s.Width[:s.Layers], r.Bytes(uint64(s.Layers)))
		if s.SameWidths(usual) {
			return sketch.Invalidf("the default widths, which must not be written")
		}
	}
	// Check the widths before they are used below.
	if fields&(hasK|hasWidths) != 0 {
		if err := s.CheckWidths(); err != nil {
			return sketch.Invalidf("%v", err)
		}
	}
	sized, fits := fitted(s, p.Bytes)
	if fields&hasSizes == 0 {
		if !fits {
			return sketch.Invalidf("%d bytes, in which %d layers of these widths do not fit", p.Bytes, s.Layers)
		}
		p.shape = sized
		return nil
	}
	for x := range s.Layers {
		s.Size[x] = r.Uvarint()
	}
	if err := s.SetCounters(s.Sizes()); err != nil {
		return sketch.Invalidf("%v", err)
	}
	if fits && s == sized {
		return sketch.Invalidf("counters that follow from %d bytes, which must not be written", p.Bytes)
	}
	p.shape = s
	return nil
}

// check checks that the parameters are consistent.
func (p *params) check() error {
	if max(p.Levels, p.Base) > MaxLevels || p.Levels+p.Base > MaxLevels {
		return sketch.Invalidf("%d levels above level %d, at most %d are counted", p.Levels, p.Base, MaxLevels)
	}
	if n := p.shape.Bytes(); n > p.Bytes {
		// New never makes such a sketch. If it were allowed, an exact sketch of a few cells could
		// allocate huge layers: one more cell that does not fit suffices.
		return sketch.Invalidf("layers that take %d bytes in a sketch of %d at most", n, p.Bytes)
	}
	if p.form == Exact && !p.Exact {
		return sketch.Invalidf("an exact sketch that was dense from the first row on")
	}
	if p.form == Tree && p.Overflow != ToTree {
		return sketch.Invalidf("a tree whose cells overflow to counters")
	}
	usual := &usualShapes[MinimalIncrement]
	if p.Overflow == ToTree && (!p.Exact || p.Mode != MinimalIncrement || p.Levels > 0 || p.Base > 0 || p.shape.K != usual.K || !p.shape.SameWidths(usual)) {
		return sketch.Invalidf("what only counters have (a mode, k, layers, levels, no exact form) where cells overflow to a tree")
	}
	if p.Totals && !p.Categories {
		return sketch.Invalidf("totals without categories")
	}
	return nil
}
