package keyed

import "errors"

// errZero is the error for encoding a zero Sketch.
var errZero = errors.New("a zero Sketch has no BLOB: New or Decode makes a sketch")

// MarshalBinary returns the BLOB of a sketch. A zero Sketch is an error.
func MarshalBinary(s Sketch) ([]byte, error) {
	if !s.self().isMade {
		return nil, errZero
	}
	return Finish(s)
}
