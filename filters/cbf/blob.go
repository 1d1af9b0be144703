package cbf

import (
	"encoding/binary"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// The phases in a BLOB's parameters, docs/FORMAT.md. The first parameter has the phase above the
// variant.
const (
	fixedLength = 0 // without VariableLength
	inHalves    = 1 // each counter is split into two halves
	inWhole     = 2 // VariableLength, after the upper halves were dropped

	phaseBit = 2
)

// Blob encodes the filter: equal states give equal bytes. The filter is unchanged.
func (s *Sketch) Blob() []byte {
	phase := byte(fixedLength)
	switch {
	case s.halves:
		phase = inHalves
	case s.variable:
		phase = inWhole
	}
	var room [4 + 2*binary.MaxVarintLen64]byte
	p := append(room[:0], byte(s.variant)|phase<<phaseBit, byte(s.k), byte(s.width))
	if s.variant != Plain {
		p = append(p, byte(s.inc))
	}
	p = binary.AppendUvarint(p, s.capacity)
	if s.variable {
		p = sketch.AppendFloat(p, s.alpha)
	}
	return sketch.Join(keyed.Header(s.Base, id), p, s.body)
}

// View answers queries from a BLOB's own memory, without a copy. It is valid as long as that memory is.
// Any number of goroutines may read it.
type View struct{ filter }

// NewView checks a BLOB's structure in constant time, but not its checksum,
// which Check verifies. Whatever the BLOB, a View reads only inside it. Errors
// wrap sketch.ErrInvalid.
func NewView(blob []byte) (View, error) {
	b, base, r := keyed.Read(id, blob, sketch.Additive|sketch.Saturated)
	kind := r.Uint8()
	phase := kind >> phaseBit
	s := shape{variant: Variant(kind & (1<<phaseBit - 1)), variable: phase != fixedLength, inc: 1}
	s.k, s.width = uint64(r.Uint8()), uint64(r.Uint8())
	if s.variant != Plain {
		s.inc = uint64(r.Uint8())
	}
	s.capacity = r.Uvarint()
	if s.variable {
		s.alpha = r.Float()
	}
	if err := r.Done(); err != nil {
		return View{}, err
	}
	switch {
	case phase > inWhole:
		return View{}, sketch.Invalidf("phase %d", phase)
	case s.variant > Tandem:
		return View{}, sketch.Invalidf("%v", s.variant)
	case s.capacity == 0 || s.capacity > MaxCapacity || s.k == 0 || s.k > MaxK || s.variable && !(s.alpha > 0 && s.alpha <= 1):
		return View{}, sketch.Invalidf("capacity %d, %d hash functions, alpha %v", s.capacity, s.k, s.alpha)
	}
	if err := s.check(); err != nil {
		return View{}, sketch.Invalidf("%v", err)
	}
	s.words = uint64(len(b.Body)) / 8
	if len(b.Body)%8 != 0 || s.words == 0 || s.words > MaxBody/8 {
		return View{}, sketch.Invalidf("a body of %d bytes, must be from 1 to %d words of 8", len(b.Body), MaxBody/8)
	}
	if !base.Additive() {
		return View{}, sketch.Invalidf("counters that are not sums")
	}
	if total, known := base.Total(); phase == inHalves && (!known || total > s.threshold()) {
		return View{}, sketch.Invalidf("halves of counters for %d occurrences, at most %d are allowed", total, s.threshold())
	}
	return View{filter: filter{Base: base, kernel: s.withHalves(phase == inHalves), body: b.Body}}, nil
}

// check returns an error if no occurrences produce these counters.
func (v *View) check() error {
	g := &v.kernel
	stuck := uint64(0)
	for i := range v.words {
		w := v.at(i)
		if w == 0 {
			continue
		}
		stuck |= g.stuck(w)
		if bad := g.misfit(w); bad != 0 {
			return sketch.Invalidf("word %d is %#x, which no occurrences produce", i, w)
		}
	}
	if v.Saturated() != (stuck != 0) {
		return sketch.Invalidf("the flag for stuck counters is wrong")
	}
	return v.checkTotal()
}

// checkTotal compares the total of a plain filter with its counters. Every occurrence adds k to their
// sum, and with halves k to the sum of each half. Stuck counters lost occurrences. The increments of the
// other variants depend on the key.
func (v *View) checkTotal() error {
	total, known := v.Total()
	if !known || v.Saturated() || v.variant != Plain {
		return nil
	}
	// The sums of all counters, or of all lower and all upper halves. They cannot overflow: there are at most
	// 2^30 bytes of counters below 2^16.
	sums := make([]uint64, 1, 2)
	if v.halves {
		sums = sums[:2]
	}
	for i := range v.words {
		for w, j := v.at(i), 0; w != 0; w, j = w>>v.bits, j+1 {
			sums[j&(len(sums)-1)] += w & v.ceiling
		}
	}
	for _, sum := range sums {
		if hi, want := bits.Mul64(total, v.k); hi != 0 || sum != want {
			return sketch.Invalidf("a total of %d, but counters add up to %d, not %d times as much", total, sum, v.k)
		}
	}
	return nil
}

// sketch returns the view as a sketch, in the memory of the BLOB.
func (v *View) sketch() *Sketch { return (*Sketch)(v) }
