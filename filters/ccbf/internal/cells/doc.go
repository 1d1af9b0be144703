// Package cells implements the exact form of a sketch: a sorted list of cells, each with its number
// of points.
//
// A key is the position of a cell on the Z-order curve of its region, which has 2^32 x 2^32 cells.
// A Run is sorted keys with their counts. A List is the runs of several regions and categories. It
// is written as a body: blocks behind an index (docs/FORMAT.md). A View reads that body in place:
// the count of a cell, the cells of a rectangle, the sum over an area. For a sum it decodes only
// the blocks that the outline of the area crosses, and those inside.
package cells
