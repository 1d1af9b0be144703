// Package cms implements the Count-Min Sketch, which counts how often each key occurred in a fixed
// number of counters. Cormode and Muthukrishnan 2005, "An Improved Data Stream Summary: The Count-Min
// Sketch and its Applications". Conservative update: Estan and Varghese 2002.
//
// The sketch takes hashed keys (package key). Any number of goroutines may read a Sketch, but none while another
// changes it.
package cms

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Limits of a sketch's shape.
const (
	// MaxDepth is the largest number of rows.
	MaxDepth = 32
	// MaxBody is the largest body in bytes: counters of 8 bytes each.
	MaxBody = 1 << 30

	maxCounters = MaxBody / 8
)

// Defaults of the shape.
const (
	DefaultEpsilon = 0.001
	DefaultDelta   = 0.01
)

// Params are a sketch's shape and rules. Zero fields take their defaults.
type Params struct {
	// Epsilon bounds the excess of an estimate, as a fraction of the total. The excess is larger with a
	// probability of at most Delta. Both are in (0, 1). Cormode and Muthukrishnan 2005, theorem 1.
	// Width and Depth may be given instead, each in place of the one that it follows from: width =
	// ceil(e/epsilon), depth = ceil(ln(1/delta)).
	Epsilon, Delta float64
	// Width is the number of counters in each row, Depth is the number of rows.
	Width, Depth uint64
	// Conservative raises only the counters that bound the estimate. Estimates are closer, but Remove
	// and JoinSize are errors, and the result depends on the order of the keys.
	Conservative bool
	// Seed is the seed of the keys' hashes.
	Seed uint64
}

// shape resolves the parameters to a width and a depth. Errors wrap
// sketch.ErrOption.
func (p Params) shape() (width, depth uint64, err error) {
	width, depth = p.Width, p.Depth
	switch {
	case p.Epsilon != 0 && p.Width != 0:
		return 0, 0, sketch.OptionError("epsilon", "is %v and \"width\" is %d: give one of them", p.Epsilon, p.Width)
	case p.Delta != 0 && p.Depth != 0:
		return 0, 0, sketch.OptionError("delta", "is %v and \"depth\" is %d: give one of them", p.Delta, p.Depth)
	}
	if err := options.Check(p); err != nil {
		return 0, 0, err
	}
	defaults(&p)
	if width == 0 {
		w := math.Ceil(math.E / p.Epsilon)
		if w > maxCounters {
			return 0, 0, sketch.OptionError("epsilon", "is %v, which needs %.3g counters per row, at most %d are allowed", p.Epsilon, w, maxCounters)
		}
		width = uint64(w)
	}
	if depth == 0 {
		d := math.Ceil(-math.Log(p.Delta))
		if d > MaxDepth {
			return 0, 0, sketch.OptionError("delta", "is %v, which needs %.0f rows, at most %d are allowed", p.Delta, d, MaxDepth)
		}
		depth = max(uint64(d), 1)
	}
	return width, depth, checkShape(width, depth)
}

// empty returns the memory of an empty sketch, and the seed.
func (p Params) empty() (bytes, seed uint64, err error) {
	width, depth, err := p.shape()
	return width * depth, p.Seed, err
}

// checkShape returns an error for a shape that is out of range.
func checkShape(width, depth uint64) error {
	switch {
	case width < 1 || width > maxCounters:
		return sketch.OptionError("width", "is %d, must be from 1 to %d", width, maxCounters)
	case depth < 1 || depth > MaxDepth:
		return sketch.OptionError("depth", "is %d, must be from 1 to %d", depth, MaxDepth)
	case width*depth > maxCounters: // no overflow: width is at most 2^27, depth at most 2^5
		return sketch.OptionError("width", "is %d, times \"depth\" %d that is %d counters, at most %d are allowed", width, depth, width*depth, maxCounters)
	}
	return nil
}
