package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cascade"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// folding is how a sketch is made smaller.
type folding struct {
	size  uint64        // most bytes of the BLOB
	limit uint64        // most bytes of the body
	shape cascade.Shape // the first of no more
	steps []foldStep    // that lead to it
	err   error         // that none leads to so few; shape is the smallest then
}

type foldStep struct {
	shape cascade.Shape
	layer int
}

// Fold makes a sketch whose BLOB has no more than size bytes, by halving its
// layers; an exact one stays exact where it fits. The header is counted with the most
// bytes that it can have, so that sketches of one kind fold to one size, whatever is
// in them. Sums stay sums, other counters keep the maximum. The error wraps
// sketch.ErrOption where no halving leads there.
func (s *Sketch) Fold(size uint64) error {
	head := mostHead(s.shape.Layers)
	if size <= head {
		return sketch.ArgumentError("bytes", "is %d, the header alone takes up to %d", size, head)
	}
	f := folding{size: size, limit: size - head, shape: s.shape}
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
