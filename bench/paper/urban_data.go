package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// urbanSide is the number of cells of a raster's side. Section 5.2.4.
const urbanSide = 4096

// fine is how many parts of a cell a pickup's place is known to: a tenth of an
// inch or so.
const fine = 1 << 12

// onRaster is a query of points on a raster over a box of degrees, a cell
// divided into so many parts.
func onRaster(table string, west, south, east, north float64, parts int) string {
	side := float64(urbanSide * parts)
	return fmt.Sprintf("SELECT floor((lon - %v) * %v)::BIGINT AS x, floor((lat - %v) * %v)::BIGINT AS y, NULL, count(*) FROM %s WHERE lon >= %[1]v AND lon < %[6]v AND lat >= %[3]v AND lat < %[7]v GROUP BY ALL ORDER BY y, x",
		west, side/(east-west), south, side/(north-south), table, east, north)
}

// pickups are those of the taxi file within the limits of New York, in parts of
// a cell.
func pickups(folder string) (places []place, what string) {
	places = readPlaces(onRaster(sqlFile(folder, "nyc_taxi_pickups.parquet"), -74.26, 40.49, -73.70, 40.92, fine))
	return places, "yellow taxi pickups in New York"
}

// crimeRaster are the points of the UK file on a raster over all of them.
func crimeRaster(folder string) (places []place, what string) {
	table, what := crimePoints(folder)
	places = readPlaces(onRaster(table, -8.1, 49.9, 1.8, 57.6, 1))
	return places, what
}

// nearest is the median over all points of the distance to the nearest other
// one.
func nearest(places []place) float64 {
	byX := slices.Clone(places)
	slices.SortFunc(byX, func(a, b place) int { return int(a.X - b.X) })
	var distances []float64
	for i, p := range byX {
		least := math.Inf(1)
		if p.points > 1 {
			least = 0
		}
		look := func(j int) bool {
			dx, dy := float64(byX[j].X-p.X), float64(byX[j].Y-p.Y)
			least = min(least, math.Hypot(dx, dy))
			return math.Abs(dx) < least
		}
		for j := i + 1; j < len(byX) && look(j); j++ {
		}
		for j := i - 1; j >= 0 && look(j); j-- {
		}
		distances = append(distances, slices.Repeat([]float64{least}, int(p.points))...)
	}
	slices.Sort(distances)
	return distances[len(distances)/2]
}

// draw draws n points from the kernel density of places, with a normal kernel of
// that bandwidth, and returns the cells that hold them.
func draw(r *rand.Rand, places []place, bandwidth float64, n int) []place {
	index := map[grid.Cell]int{}
	var cells []place
	for _, i := range sample(r, places, n) {
		// Anywhere in its part of a cell.
		x := float64(places[i].X) + r.Float64() + bandwidth*r.NormFloat64()
		c := grid.Cell{X: int64(math.Floor(x / fine)), Y: int64(math.Floor((float64(places[i].Y) + r.Float64() + bandwidth*r.NormFloat64()) / fine))}
		j, known := index[c]
		if !known {
			j = len(cells)
			index[c] = j
			cells = append(cells, place{Cell: c})
		}
		cells[j].points++
	}
	return cells
}
