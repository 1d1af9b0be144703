// Package tree is the pruned quadtree: what a sketch keeps of its cells when
// not all of them fit.
//
// A square is 2^l x 2^l cells of the Z-order curve, l its level; a leaf is a
// square and the number of points known to lie in it. One rule decides which
// squares are leaves: a square is split while (side - 1) * points is above a
// threshold, tau. So the count of a cell, that of the leaf which holds it, is
// never below the truth and too high by at most tau / (side - 1); the sum over an
// area lies between that of the leaves inside it and that of all leaves that meet it. The
// idea is that of q-digests (Shrivastava, Buragohain, Agrawal and Suri 2004,
// "Medians and Beyond") and of adaptive spatial partitioning (Hershberger,
// Shrivastava, Suri and Toth 2004), with a rule that weighs a point by how far
// it may be from where it is said to be.
//
// Squares is the list itself, sorted. Fit prunes lists to a number of bytes, by one
// threshold for all, and says how they are written; an Encoder writes them, and Check
// reads them as what anyone may have written. Merge and Merger add lists up, Remove
// and Subtract take points away, Intersect and Mask give upper bounds of what two lists
// have in common, Coarsen changes the grid.
//
// A Sheet answers from bytes: Find a cell, FindAll of many in Z-order, Sum an area,
// Visit its leaves; Keep lets it keep what it reads. A packet of leaves is read as a
// whole, and the one that was read last is remembered. A Reader asks all sheets of a body.
//
// Squares that were united may lie inside one another: points of a coarse square
// stay there, because their place within it is not known. Such lists are written as
// sheets, each of disjoint squares, whose answers add up.
package tree
