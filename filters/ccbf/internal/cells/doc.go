// Package cells has what sketches count in: the cells of a grid, and squares of them.
//
// A key is the position of a cell on the Z-order curve of its region, which has 2^32 x 2^32 cells.
// Squares are sorted keys with levels and counts; in an exact sketch all are cells. A List has the
// squares of several regions and categories, each with its Label. An Area is the area of a query,
// and Categories are its categories.
package cells
