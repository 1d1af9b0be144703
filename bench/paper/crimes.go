package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/ccbfsql/ccbfsql/connector"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// crimes are the cells of the UK file at a resolution in degrees, with their
// counts, in the order of rows and columns; where the file is not there, of as
// many points in 2,000 towns. The text says which.
func crimes(folder string, res float64) (cells []grid.Cell, counts []uint64, what string, err error) {
	path := filepath.Join(folder, "uk_crime_2018q4.parquet")
	points, what := "read_parquet('"+strings.ReplaceAll(path, "'", "''")+"')", "police-recorded crimes in England, Wales and Northern Ireland, October to December 2018"
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		what = "made-up points in 2,000 towns, as the UK file is not there"
		const normal = "sqrt(-2 * ln((hash(i, %d) %% 1000000 + 1) / 1000001)) * cos(2 * pi() * (hash(i, %d) %% 1000000) / 1e6) * 0.02"
		points = fmt.Sprintf(`(SELECT (hash(i // 523) %% 8000) / 1000 - 6 + %s AS lon, (hash(i // 523, 3) %% 6000) / 1000 + 50 + %s AS lat FROM range(1045096) t(i))`,
			fmt.Sprintf(normal, 1, 2), fmt.Sprintf(normal, 4, 5))
	}
	db, err := connector.Open("?threads=1")
	if err != nil {
		return nil, nil, "", err
	}
	defer db.Close()
	rows, err := db.Query(fmt.Sprintf("SELECT floor(lon / %v)::BIGINT AS x, floor(lat / %[1]v)::BIGINT AS y, count(*) FROM %s GROUP BY ALL ORDER BY y, x", res, points))
	if err != nil {
		return nil, nil, "", err
	}
	defer rows.Close()
	for rows.Next() {
		var c grid.Cell
		var n uint64
		if err := rows.Scan(&c.X, &c.Y, &n); err != nil {
			return nil, nil, "", err
		}
		cells, counts = append(cells, c), append(counts, n)
	}
	return cells, counts, what, rows.Err()
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
