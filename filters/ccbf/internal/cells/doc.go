// Package cells is the exact form of a sketch: cells and the number of points in
// each.
//
// A Run has sorted keys and their counts; a key is the place of a cell on the Z-order
// curve of its region, 2^32 x 2^32 cells. A List is the runs of several regions and
// categories, and is written as a body in blocks behind an index (docs/FORMAT.md). A
// View answers from that body in place: the count of a cell, the cells of a
// rectangle, and the sum over an area, for which it reads only the blocks that the
// outline of the area crosses.
package cells
