package ccbf

import (
	"errors"
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/counters"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/exact"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/tree"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Sketch is a sketch in memory. It is first exact: a sorted list of cells. Later it is a tree (nested
// squares with counts) or has counters (a layered counting Bloom filter). New, Build, Decode and a
// Builder make one. Any number of goroutines may read a Sketch, but none while another changes it.
type Sketch struct {
	Config
	// Class is the class of the categories; 0 before the first. A Builder and Build set it. Before Add, set it
	// yourself: to key.Text if categories are texts. Without a class, SQL cannot show or check categories.
	Class      key.Class
	Total      uint64 // number of points
	TotalKnown bool   // false after Intersect and Mask of trees and counters: then counts are no sums

	// bounds is for trees and counters: no cell outside has a count. Removing points does not make it
	// smaller.
	bounds grid.Rect
	parts  cascade.Origin // how the counters were made.
	// squares has the cells of an exact sketch, or the leaves of a tree.
	squares *tree.List
	pruned  bool              // whether the sketch is a tree
	dense   *cascade.Counters // nil for other forms
}

// New returns an empty sketch. Errors come from Params.Config. AtLeast is an error, as Add suppresses nothing.
func New(p Params) (*Sketch, error) {
	c, err := p.Config()
	if err == nil && c.AtLeast > 0 {
		err = sketch.OptionError("at_least", "is %d, but New suppresses nothing: call NewBuilder, Build or Suppress", c.AtLeast)
	}
	if err != nil {
		return nil, err
	}
	s := &Sketch{Config: c, TotalKnown: true, bounds: grid.EmptyRect(), squares: new(tree.List)}
	if !c.Exact {
		s.dense = cascade.New(c.shape)
	}
	return s, nil
}

// IsExact reports whether s holds all its cells. Its BLOB is exact if they fit Bytes.
func (s *Sketch) IsExact() bool { return s.Form() == Exact }

// full is the largest count. It stands for that number and all above.
const full = math.MaxUint64

// Saturated reports whether a counter of the last layer is at its ceiling. Such a counter reads as
// the total, or as 2^64-1 if that is unknown. An exact sketch or a tree is saturated when its total
// reaches 2^64-1.
func (s *Sketch) Saturated() bool {
	if s.Form() == Dense {
		return s.dense.Saturated
	}
	return s.TotalKnown && s.Total == full
}

// sums reports whether counts are sums of points, so that Remove, Move and Subtract are legal.
func (s *Sketch) sums() bool { return sums(s.Form(), s.Mode, s.TotalKnown) }

// join returns the kind of the result of two sketches, or why they do not combine.
func (s *Sketch) join(o *Sketch) (kind, error) {
	return kind{&s.Config, s.Form(), s.Class}.join(kind{&o.Config, o.Form(), o.Class})
}

// Family describes CascadeCBF in the list of families.
var Family = sketch.Define(sketch.Family{
	ID: id, Name: "ccbf", Article: "a",
	Title: "Counts on a grid",
	About: "A CascadeCBF sketch counts points in the cells of a square grid. res is the side of a cell. It is read as the decimal that you write: at `0.1`, the cell 404 begins at `40.4`. A coordinate is in the last cell whose lower edge is not above it. " +
		"While the cells fit into `bytes`, the sketch is exact: a list of cells with their counts. After that, it becomes a tree (nested squares with counts) or counters (a layered counting Bloom filter). " +
		"Counts can then be too high, but never too low. " +
		"`ccbf_empty` takes the options of `ccbf_agg`; `ccbf_add`, `ccbf_remove` and `ccbf_move` take `weight` and `category`.\n\n" +
		fmt.Sprintf("A function processes up to 2,048 rows at once and cannot be interrupted meanwhile, so it has limits. If counters are used, the areas of these rows may have %s cells in total or, with `levels`, need as many lookups. For a sketch below 435 KiB, a single area may only have fewer cells. "+
			"`ccbf_hotspots` and `ccbf_top_k` list up to %s cells for these rows. If counters are used, they list at most 65,536 cells plus 4 for each byte of the sketch. "+
			"A raster or a picture has up to %s pixels. Each side has up to %s.",
			sketch.Number(AreaLimit), sketch.Number(MaxSpots), sketch.Number(MaxPixels), sketch.Number(MaxSide)),
	Check: Check, CheckBytes: checkBytes, Describe: describe, Samples: samples,
})

const id sketch.ID = 1

// Blob returns the sketch as a BLOB. Equal sketches have equal bytes. If the list of cells is
// longer than Bytes, the BLOB has a tree or counters. s itself does not change and keeps its cells.
func (s *Sketch) Blob() []byte { return s.appendBlob(nil) }

// appendBlob appends Blob to dst.
func (s *Sketch) appendBlob(dst []byte) []byte {
	start := len(dst)
	in := s.body()
	bounds := in.limits()
	body, fits := in.appendBody(s.appendHead(dst, bounds), bounds, s.Bytes)
	if !fits {
		return s.overflowed().appendBlob(body[:start])
	}
	sketch.Seal(body[start:])
	return body
}

// appendHead appends everything before the body.
func (s *Sketch) appendHead(dst []byte, bounds grid.Rect) []byte {
	h := Head{Config: s.Config, Bounds: bounds, form: s.Form()}
	switch h.form {
	case Dense:
		h.parts = s.parts
	case Tree:
		h.hidden = s.squares.Fit.Suppression
	}
	h.header = sketch.Header{Family: id, Seed: s.Seed, KeyClass: uint64(s.Class), Levels: s.Levels}
	set := func(on bool, f sketch.Flags) {
		if on {
			h.header.Flags |= f
		}
	}
	set(s.sums(), sketch.Additive)
	set(s.TotalKnown, sketch.TotalKnown)
	set(h.form == Dense && s.Saturated(), sketch.Saturated)
	set(s.Categories, sketch.Categorised)
	set(s.Totals, sketch.WithTotals)
	if s.TotalKnown {
		h.header.Total = s.Total
	}
	var room [maxParams]byte
	return sketch.Begin(dst, h.header, h.appendParams(room[:0]))
}

// Check returns nil for a BLOB that every function of the family accepts. Other errors wrap
// sketch.ErrInvalid.
func Check(blob []byte) error {
	_, err := Decode(blob)
	return err
}

// Decode reads and checks a whole BLOB. An error wraps sketch.ErrInvalid.
func Decode(blob []byte) (*Sketch, error) {
	v, err := NewView(blob)
	if err != nil {
		return nil, err
	}
	return v.Sketch()
}

// Sketch copies a view into a new sketch, after checking everything. An error wraps
// sketch.ErrInvalid.
func (v *View) Sketch() (*Sketch, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	s := &Sketch{Config: v.Config, Class: v.Class(), bounds: v.Bounds, parts: v.parts}
	s.Total, s.TotalKnown = v.Total()
	var err error
	switch r := v.reader().(type) {
	case *counters.Reader:
		s.dense = r.Counters.Clone()
	case *tree.Reader:
		s.pruned = true
		s.squares, err = r.All()
	case *exact.Reader:
		s.squares = new(tree.List)
		s.squares.Sections, err = r.List()
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// samples returns small sketches of every form. Row i goes into a cell of a grid that follows from i.
func samples() ([]sketch.Sample, error) {
	var out []sketch.Sample
	for _, form := range []struct {
		name          string
		p             Params
		rows          int64
		width, height int64
		class         key.Class // the class of the categories
		mask          bool      // whether the sketch is masked by itself
		words         string
	}{
		{"empty", Params{}, 0, 3, 2, key.None, false, "exact, 0 cells"},
		{"exact", Params{}, 20, 3, 2, key.None, false, "exact, 6 cells"},
		{"exact, categories", Params{Categories: true, Totals: true}, 20, 3, 2, key.Int, false, "exact, 6 cells"},
		{"exact, blocks", Params{}, 300, 331, 2011, key.None, false, "exact, 300 cells"},
		{"tree", Params{Overflow: ToTree, Bytes: 400}, 900, 3331, 2011, key.None, false, "tree, 508 leaves, 900 added"},
		{"tree, categories", Params{Overflow: ToTree, Bytes: 400, Categories: true, Totals: true}, 900, 3331, 2011, key.Text, false, "tree, 411 leaves, 900 added"},
		{"mi", Params{Dense: true, Widths: []int{4, 8}, Counters: []uint64{32, 4}}, 20, 3, 2, key.None, false, "dense, 2 layers, 20 added"},
		{"standard", Params{Dense: true, Mode: Standard, Widths: []int{4, 8}, Counters: []uint64{32, 4}}, 200, 3, 2, key.None, false, "dense, 2 layers, 200 added"},
		{"standard, categories", Params{Dense: true, Mode: Standard, Widths: []int{5, 9}, Counters: []uint64{32, 4}, Categories: true, Totals: true}, 20, 3, 2, key.Text, false, "dense, 2 layers, 20 added"},
		{"mi, levels", Params{Dense: true, Widths: []int{4, 8}, Counters: []uint64{64, 4}, Levels: 2}, 20, 3, 2, key.None, false, "dense, 2 layers, 20 added"},
		{"masked", Params{Dense: true, Mode: Standard, Widths: []int{8}, Counters: []uint64{16}}, 20, 3, 2, key.None, true, "dense, 1 layer"},
	} {
		form.p.Res = 1
		s, err := New(form.p)
		if err != nil {
			return nil, fmt.Errorf("ccbf %s: %w", form.name, err)
		}
		s.Class = form.class
		for i := range form.rows {
			var category []byte
			switch form.class {
			case key.Int:
				category = key.AppendInt64(nil, i%2)
			case key.Text:
				category = fmt.Appendf(nil, "c%d", i%2)
			}
			err = errors.Join(err, s.Add(grid.Cell{X: i * 977 % form.width, Y: i * i * 37 % form.height}, category, 1))
		}
		if form.mask {
			err = errors.Join(err, s.Mask(s))
		}
		if err != nil {
			return nil, fmt.Errorf("ccbf %s: %w", form.name, err)
		}
		out = append(out, sketch.Sample{Name: form.name, Blob: s.Blob(), Words: form.words})
	}
	return out, nil
}
