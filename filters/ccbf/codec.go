package ccbf

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Family describes CascadeCBF in the list of families.
var Family = sketch.Define(sketch.Family{
	ID: id, Name: "ccbf", Article: "a",
	Title: "Counts on a grid",
	About: "A CascadeCBF sketch counts points in the cells of a square grid: res is the side of a cell, and stands for the decimal that it is written as: at 0.1 the cell 404 begins at 40.4. A coordinate is in the last cell whose edge is not above it. " +
		"While the cells fit into `bytes`, every answer is exact; after that, answers can be too high, but never too low. " +
		"`ccbf_empty` takes the options of `ccbf_agg`; `ccbf_add`, `ccbf_remove` and `ccbf_move` take `weight` and `category`.\n\n" +
		fmt.Sprintf("A function processes up to 2,048 rows at once and cannot be interrupted meanwhile, so it has limits. If counters are used, the areas "+
			"of these rows may have %s cells in total or, with `levels`, take as many steps; one area of a sketch below 435 KiB may have fewer: 1.2 million for 4 KiB. "+
			"`ccbf_hotspots` and `ccbf_top_k` list up to %s cells for these rows and, for a dense sketch, 65,536 plus 4 for each of its bytes. "+
			"A raster or a picture has up to %s pixels, and up to %s per side.",
			sketch.Number(AreaLimit), sketch.Number(MaxSpots), sketch.Number(MaxPixels), sketch.Number(MaxSide)),
	Check: Check, CheckBytes: checkBytes, Describe: describe, Samples: samples,
})

const id sketch.ID = 1

// Blob is the sketch as a BLOB, and changes nothing. Equal sketches have equal bytes.
//
// Only here are the cells compared with Bytes: if their list takes more, the BLOB
// has a tree of them or counters, and s still holds them.
func (s *Sketch) Blob() []byte { return s.AppendBlob(nil) }

// AppendBlob is Blob appended to dst.
func (s *Sketch) AppendBlob(dst []byte) []byte {
	start := len(dst)
	in := s.in()
	bounds := in.limits()
	body, fits := in.appendBody(s.appendHead(dst, bounds), bounds, s.Bytes)
	if !fits {
		return s.appendOverflowed(body[:start])
	}
	sketch.Seal(body[start:])
	return body
}

// appendOverflowed is AppendBlob of cells of which it is known that they do not fit.
func (s *Sketch) appendOverflowed(dst []byte) []byte {
	start := len(dst)
	s = s.overflowed()
	bounds := s.in().limits()
	body, _ := s.in().appendBody(s.appendHead(dst, bounds), bounds, s.Bytes)
	sketch.Seal(body[start:])
	return body
}

// appendHead appends all that stands before the body.
func (s *Sketch) appendHead(dst []byte, bounds grid.Rect) []byte {
	h := sketch.Header{Family: id, Seed: s.Seed, KeyClass: uint64(s.Class), Levels: s.Levels}
	set := func(on bool, f sketch.Flags) {
		if on {
			h.Flags |= f
		}
	}
	set(s.Additive(), sketch.Additive)
	set(s.TotalKnown, sketch.TotalKnown)
	set(s.Form() == Dense && s.Saturated(), sketch.Saturated)
	set(s.Categories, sketch.Categorised)
	set(s.Totals, sketch.WithTotals)
	if s.TotalKnown {
		h.Total = s.Total
	}
	p := params{Config: s.Config, bounds: bounds, form: byte(s.Form())}
	if p.form == formDense {
		p.parts = s.parts
	}
	var room [maxParams]byte
	return sketch.Begin(dst, h, p.append(room[:0]))
}

// Check returns nil for a BLOB that every function of the family accepts.
func Check(blob []byte) error {
	_, err := Decode(blob)
	return err
}

// Decode reads a BLOB completely, checksum included. The error wraps
// sketch.ErrInvalid.
func Decode(blob []byte) (*Sketch, error) {
	v, err := NewView(blob)
	if err != nil {
		return nil, err
	}
	return v.Sketch()
}

// Sketch copies a view into a new sketch, after checking everything.
func (v *View) Sketch() (*Sketch, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	s := &Sketch{
		Config:     v.Config,
		Class:      key.Class(v.header.KeyClass),
		Total:      v.header.Total,
		TotalKnown: v.header.Flags.Has(sketch.TotalKnown),
		bounds:     v.Bounds,
		sums:       v.header.Flags.Has(sketch.Additive),
		parts:      v.parts,
	}
	if err := v.in().open(s); err != nil {
		return nil, err
	}
	return s, nil
}
