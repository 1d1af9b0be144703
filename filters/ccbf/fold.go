package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// folding is how a sketch is made smaller.
type folding struct {
	size  uint64        // most bytes of the BLOB
	limit uint64        // most bytes of the body
	bytes uint64        // the parameter
	shape cascade.Shape // of no more than limit
	steps []foldStep    // that lead to it
	err   error         // that none leads to so few; shape is the smallest then
}

type foldStep struct {
	shape cascade.Shape
	layer int
}

// Fold makes a sketch with the parameters of one that was built with fewer Bytes, so that
// its BLOB has at most size bytes. The header is counted with the most bytes that it can
// have, so that sketches of one kind fold to one size, whatever is in them. Fold makes no
// sketch larger.
//
// An exact sketch stays exact where it fits, and a tree is pruned. Layers of counters are
// halved: to those of the smaller build where halving leads there, as from 2^20 bytes to
// 2^16, otherwise until they fit. Sums stay sums, other counters keep the maximum. The
// error wraps sketch.ErrOption where nothing is so small.
func (s *Sketch) Fold(size uint64) error {
	head := mostHead(s.shape.Layers) + sketch.ClassMore(uint64(s.Class))
	if size <= head {
		return sketch.ArgumentError("bytes", "is %d, the header alone takes up to %d", size, head)
	}
	f := folding{size: size, limit: size - head, bytes: min(s.Bytes, size), shape: s.shape}
	if size < s.Bytes && f.halve(s.shape) {
		return s.in().fold(&f)
	}
	for f.shape.Bytes() > f.limit {
		t, x, ok := f.shape.Folded()
		if !ok {
			f.err = sketch.ArgumentError("bytes", "is %d, this sketch folds to no less than %d", size, head+f.shape.Bytes())
			break
		}
		f.shape = t
		f.steps = append(f.steps, foldStep{t, x})
	}
	return s.in().fold(&f)
}

// halve finds the steps to the layers that follow from bytes; false where halving does
// not lead there, or where they take more than limit.
func (f *folding) halve(from cascade.Shape) bool {
	to, ok := fitted(from, f.bytes)
	if !ok || to.Bytes() > f.limit {
		return false
	}
	var steps []foldStep
	for at := from; at != to; {
		t, x, ok := at.FoldedTo(&to)
		if !ok {
			return false
		}
		at = t
		steps = append(steps, foldStep{t, x})
	}
	f.shape, f.steps = to, steps
	return true
}

// resize gives a sketch without counters the parameters of a smaller build. What overflows
// to a tree has no counters to be halved.
func (f *folding) resize(s *Sketch) {
	shape := f.shape
	if s.Overflow == ToTree {
		if to, ok := fitted(shape, f.bytes); ok {
			shape = to
		}
	}
	// Where no counters are so few, what it may become is the fewest.
	s.shape, s.Bytes = shape, max(f.bytes, shape.Bytes())
}
