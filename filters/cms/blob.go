package cms

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Blob encodes the sketch: equal states give equal bytes. The counters take 1, 2, 4 or 8 bytes each,
// the fewest that hold the largest. The sketch is unchanged.
func (s *Sketch) Blob() []byte {
	c := s.c
	c.Table = c.Tight()
	var room [2 * binary.MaxVarintLen64]byte
	params := binary.AppendUvarint(room[:0], s.Width())
	params = binary.AppendUvarint(params, s.Depth())
	return sketch.Join(keyed.Header(s.Base, id), params, c.B)
}

// View answers queries from a BLOB's own memory, without a copy. It is valid as long as that memory is.
// Any number of goroutines may read it.
type View struct{ counts }

// NewView checks a BLOB's structure in constant time, but not its checksum,
// which Check verifies. Whatever the BLOB, a View reads only inside it. Errors
// wrap sketch.ErrInvalid.
func NewView(blob []byte) (View, error) {
	b, base, r := keyed.Read(id, blob, sketch.Additive|sketch.Saturated)
	width, depth := r.Uvarint(), r.Uvarint()
	if err := r.Done(); err != nil {
		return View{}, err
	}
	if err := checkShape(width, depth); err != nil {
		return View{}, sketch.Invalidf("%v", err)
	}
	table, ok := words.Open(int(width*depth), b.Body)
	if !ok {
		return View{}, sketch.Invalidf("a body of %d bytes for %d rows of %d counters, which take 1, 2, 4 or 8 each", len(b.Body), depth, width)
	}
	if b.Flags.Has(sketch.Saturated) && table.Shift < 3 {
		return View{}, sketch.Invalidf("saturated counters of %d bytes", 1<<table.Shift)
	}
	return View{counts{base, rows(table, width, depth)}}, nil
}

// check returns an error if the counters are not in their only form.
func (v *View) check() error {
	if shift := words.Shift(v.c.Or()); shift != v.c.Shift {
		return sketch.Invalidf("counters of %d bytes, but %d suffice", 1<<v.c.Shift, 1<<shift)
	}
	if v.Saturated() != v.c.Full() {
		return sketch.Invalidf("the flag for saturated counters is wrong")
	}
	return v.checkTotal()
}

// checkTotal compares the total with the counters. Every row counts all occurrences; with conservative
// update at least one row does. It cannot check saturated counters, which lost occurrences.
func (v *View) checkTotal() error {
	total, known := v.Total()
	if !known || v.Saturated() {
		return nil
	}
	var all, carries uint64 // the sum of all rows' counters, and how often it passed 2^64
	for row := range v.c.Factors {
		hi, lo := v.c.Row(row).Sum()
		if hi != 0 || lo > total || v.Additive() && lo != total {
			return sketch.Invalidf("a total of %d, but counters of row %d do not add up to it", total, row)
		}
		var carry uint64
		all, carry = bits.Add64(all, lo, 0)
		carries += carry
	}
	if carries == 0 && all < total {
		return sketch.Invalidf("a total of %d, but counters add up to %d", total, all)
	}
	return nil
}

// sketch returns the view as a sketch, in the memory of the BLOB.
func (v *View) sketch() *Sketch { return (*Sketch)(v) }

// Info describes a sketch without its keys.
type Info struct {
	keyed.Common
	Width, Depth   uint64
	Epsilon, Delta float64 // e/width, exp(-depth)
	Conservative   bool
	ErrorBound     float64 // in occurrences; +Inf if the total is not known.
	CounterBits    int     // width of each counter in the BLOB, in bits.
	Fill           float64 // fraction of the counters that are not 0.
}

// Info describes the sketch. It reads the whole body, for Fill. O(len(blob)).
func (v *View) Info() Info {
	used, _ := words.Used(v.c.Table)
	bound, delta := v.ErrorBound()
	return Info{
		Common: v.Common(),
		Width:  v.Width(), Depth: v.Depth(),
		Epsilon: math.E / float64(v.Width()), Delta: delta,
		Conservative: !v.Additive(), ErrorBound: bound,
		CounterBits: 8 << v.c.Shift, Fill: float64(used) / float64(v.c.Len()),
	}
}

// Rows returns the counters, a row for each hash function. It returns the error of keyed.Listable.
func (v *View) Rows() ([][]uint64, error) {
	v.MustBeMade()
	if err := keyed.Listable(v.Width() * v.Depth()); err != nil {
		return nil, err
	}
	rows := make([][]uint64, v.Depth())
	for i := range rows {
		rows[i] = make([]uint64, v.Width())
		v.c.Row(i).Unpack(0, rows[i])
	}
	return rows, nil
}
