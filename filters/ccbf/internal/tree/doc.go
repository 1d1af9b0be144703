// Package tree is the pruned quadtree: nested squares with counts, which a sketch keeps if not all of its
// cells fit.
//
// A square of level l is 2^l x 2^l cells of the Z-order curve. A leaf is a square with the number of
// points known to lie in it. In a tree made of cells in one step, one rule decides which squares are leaves.
// A square is split while (side - 1) * points is above a threshold, tau.
//
// The count of a cell is the count of the leaf that holds it. In other trees, it is the sum of all leaves
// that hold it. It is never below the truth, and too high by
// at most tau / (side - 1). The sum over an area is at least that of the leaves inside, and at most that
// of all leaves that meet it.
//
// The idea comes from q-digests (Shrivastava, Buragohain, Agrawal and Suri 2004, "Medians and Beyond") and
// from adaptive spatial partitioning (Hershberger, Shrivastava, Suri and Toth 2004). The rule here also
// weighs how far a point may be from its stated place.
//
// Fit prunes lists of squares to a number of bytes by one threshold, and chooses how they are written. An
// Encoder writes them; Check reads bytes that anyone may have written. Package cells has the squares and adds,
// subtracts and intersects them.
//
// A Sheet is read in place, by package form: it finds cells, sums an area, or visits the leaves that meet an
// area. It decodes a packet of leaves as a whole. A Reader answers from all sheets of a body.
//
// Squares that were united may lie inside one another: points of a coarse square stay there, because their
// place within it is not known. These lists are written as sheets, each of disjoint squares, whose counts
// add up.
package tree
