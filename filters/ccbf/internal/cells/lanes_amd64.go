package cells

import "golang.org/x/sys/cpu"

var haveLanes = cpu.X86.HasAVX2

// insideLanes is the sum of the counts of n cells, a multiple of 4 and at least 4, that are inside
// of a rectangle, four at once, and the bits that any of all counts has.
//
//go:noescape
func insideLanes(keys, counts *uint64, n int, box *spread) (sum, all uint64)

// keysLanes is Keys of n points, a multiple of 4 and at least 4, four at once; it stops before four of which
// one has no key. inv is q/p, with p and q from grid.Grid.Fraction.
//
//go:noescape
func keysLanes(dst *uint64, xs, ys *float64, n int, inv, p, q float64) (done int)
