package main

import (
	"fmt"
	"math"
	"sort"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// crimeCategories are the cells of the UK file with their categories, by
// category, row and column. Some rows have something else where the category
// should be; every category has thousands of rows.
func crimeCategories(folder string, res float64) (places []place, what string) {
	table, what := crimePoints(folder)
	places = readPlaces(fmt.Sprintf(`SELECT floor(lon / %v)::BIGINT AS x, floor(lat / %[1]v)::BIGINT AS y, category, count(*) FROM %s
		WHERE category IN (SELECT category FROM %[2]s GROUP BY category HAVING count(*) > 1000) GROUP BY ALL ORDER BY category, y, x`, res, table))
	return places, what
}

// What the paper says of its events: how many there are in how many cells, how
// many in the fullest one, and of 100 how many are of the first category, of the
// first two, and so on. Sections 5.2 and 5.2.1.
const (
	eventPoints = 1_900_000
	eventCells  = 20_000
	eventMost   = 33_051
)

var eventShares = []int{46, 60, 91, 100}

// events are made-up places of the shape of the paper's, by category, row and
// column: a key for each cell, their points the quantiles of the lognormal
// distribution that has the paper's total and largest value.
func events() []place {
	below := make([]float64, eventCells) // the largest, in standard deviations
	for i := range below {
		below[i] = math.Sqrt2 * (math.Erfinv(2*(float64(i)+0.5)/eventCells-1) - math.Erfinv(1-1.0/eventCells))
	}
	points := func(sigma float64, i int) float64 { return math.Ceil(eventMost * math.Exp(sigma*below[i])) }
	// The larger sigma, the more of the points are in the fullest cells.
	sigma := float64(sort.Search(10_000, func(thousandths int) bool {
		total := 0.0
		for i := range below {
			total += points(float64(thousandths)/1000, i)
		}
		return total <= eventPoints
	})) / 1000
	rank := random(seedOf(0), 63).Perm(eventCells)
	var places []place
	from := 0
	for category, to := range eventShares {
		for i := range eventCells {
			if part := i % 100; from <= part && part < to {
				places = append(places, place{
					Cell:     grid.Cell{X: int64(i % 360), Y: int64(i / 360)},
					category: []byte{byte('a' + category)},
					points:   uint64(points(sigma, rank[i])),
				})
			}
		}
		from = to
	}
	return places
}
