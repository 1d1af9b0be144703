package keyed

import (
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// MaxListed is the largest number of values that the Rows of a View list. They are for people who learn
// or debug.
const MaxListed = 1 << 20

// Listable returns nil if a sketch of n numbers is small enough for Rows. The error wraps
// sketch.ErrOption.
func Listable(n uint64) error {
	if n > MaxListed {
		return sketch.ArgumentError("sketch", "has %s, at most %s are listed: build a smaller one", sketch.Count(n, "number"), sketch.Number(MaxListed))
	}
	return nil
}
