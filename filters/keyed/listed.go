package keyed

import (
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// MaxListed is the most numbers that the Rows of a View list: they are for people who learn or debug.
const MaxListed = 1 << 20

// Listable returns nil where a sketch of n numbers is small enough for Rows. The error wraps
// sketch.ErrOption.
func Listable(n uint64) error {
	if n > MaxListed {
		return sketch.ArgumentError("sketch", "has %s, at most %s are listed: build a smaller one", sketch.Count(n, "number"), sketch.Number(MaxListed))
	}
	return nil
}
