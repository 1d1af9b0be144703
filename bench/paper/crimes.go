package main

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// crimePoints is the UK file as SQL names it, and what it holds.
func crimePoints(folder string) (table, what string) {
	return sqlFile(folder, "uk_crime_2018q4.parquet"), "police-recorded crimes in England, Wales and Northern Ireland, October to December 2018"
}

// crimes are the cells of the UK file at a resolution in degrees, with their
// counts, in the order of rows and columns.
func crimes(folder string, res float64) (cells []grid.Cell, counts []uint64, what string) {
	table, what := crimePoints(folder)
	places := readPlaces(fmt.Sprintf("SELECT floor(lon / %v)::BIGINT AS x, floor(lat / %[1]v)::BIGINT AS y, NULL, count(*) FROM %s GROUP BY ALL ORDER BY y, x", res, table))
	for i := range places {
		cells, counts = append(cells, places[i].Cell), append(counts, places[i].points)
	}
	return cells, counts, what
}

// area is a sum over the cells of a box, from sums over all boxes from the
// south-western corner on.
type area struct {
	low    grid.Cell
	width  int64
	prefix []uint64
}

// newArea adds up cells and their counts.
func newArea(cells []grid.Cell, counts []uint64) *area {
	low, high := grid.Cell{X: math.MaxInt64, Y: math.MaxInt64}, grid.Cell{X: math.MinInt64, Y: math.MinInt64}
	for _, c := range cells {
		low = grid.Cell{X: min(low.X, c.X), Y: min(low.Y, c.Y)}
		high = grid.Cell{X: max(high.X, c.X), Y: max(high.Y, c.Y)}
	}
	a := &area{low: low, width: high.X - low.X + 2}
	height := high.Y - low.Y + 2
	a.prefix = make([]uint64, a.width*height)
	for i, c := range cells {
		a.prefix[(c.Y-low.Y+1)*a.width+c.X-low.X+1] = counts[i]
	}
	for y := int64(1); y < height; y++ {
		for x := int64(1); x < a.width; x++ {
			i := y*a.width + x
			a.prefix[i] += a.prefix[i-1] + a.prefix[i-a.width] - a.prefix[i-a.width-1]
		}
	}
	return a
}

// sum is that of a box.
func (a *area) sum(box grid.Rect) uint64 {
	at := func(x, y int64) uint64 {
		x = min(max(x-a.low.X, 0), a.width-1)
		y = min(max(y-a.low.Y, 0), int64(len(a.prefix))/a.width-1)
		return a.prefix[y*a.width+x]
	}
	return at(box.MaxX+1, box.MaxY+1) + at(box.MinX, box.MinY) - at(box.MinX, box.MaxY+1) - at(box.MaxX+1, box.MinY)
}
