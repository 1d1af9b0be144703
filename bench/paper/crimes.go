package main

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// crimePoints is the UK file as SQL names it, or where it is not there as many
// points in 2,000 towns, with 14 categories; and which of the two.
func crimePoints(folder string) (table, what string) {
	const normal = "sqrt(-2 * ln((hash(i, %d) %% 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, %d) %% 1000000) / 1e6) * 0.02"
	return fileOr(folder, "uk_crime_2018q4.parquet", "police-recorded crimes in England, Wales and Northern Ireland, October to December 2018",
		fmt.Sprintf(`SELECT (hash(i // 523) %% 8000) / 1000 - 6 + %s AS lon, (hash(i // 523, 3) %% 6000) / 1000 + 50 + %s AS lat,
			'category ' || floor(14 * sqrt((hash(i, 6) %% 1000000) / 1e6))::INT AS category FROM range(1045096) t(i)`, fmt.Sprintf(normal, 1, 2), fmt.Sprintf(normal, 4, 5)),
		"made-up points in 2,000 towns")
}

// crimes are the cells of the UK file at a resolution in degrees, with their
// counts, in the order of rows and columns.
func crimes(folder string, res float64) (cells []grid.Cell, counts []uint64, what string, err error) {
	table, what := crimePoints(folder)
	places, err := readPlaces(fmt.Sprintf("SELECT floor(lon / %v)::BIGINT AS x, floor(lat / %[1]v)::BIGINT AS y, NULL, count(*) FROM %s GROUP BY ALL ORDER BY y, x", res, table))
	for i := range places {
		cells, counts = append(cells, places[i].Cell), append(counts, places[i].points)
	}
	return cells, counts, what, err
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
