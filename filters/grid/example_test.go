package grid_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// The cell of a place, and its centre.
func ExampleGrid_Cell() {
	g, err := grid.New(0.5)
	if err != nil {
		panic(err)
	}
	c, err := g.Cell(-0.1, 51.6)
	fmt.Println(c.X, c.Y, err)
	fmt.Println(g.Center(c))
	// Output:
	// -1 103 <nil>
	// -0.25 51.75
}

// A circle of one kilometre around a place, and its area in square kilometres.
func ExampleCircle() {
	circle, err := grid.Circle(-0.1276, 51.5072, 1000)
	if err != nil {
		panic(err)
	}
	area, err := grid.AreaKm2(circle)
	fmt.Printf("%.2f %v\n", area, err)
	// Output:
	// 3.14 <nil>
}

// A polygon is the ranges of cells whose centres are inside, row by row.
func ExampleGrid_Scan() {
	g, err := grid.New(1)
	if err != nil {
		panic(err)
	}
	polygon, err := grid.ParsePolygon([]byte("POLYGON ((0 0, 4 0, 0 4, 0 0))"))
	if err != nil {
		panic(err)
	}
	s, err := g.Scan(polygon, grid.MaxRect())
	if err != nil {
		panic(err)
	}
	for y := s.Bounds().MinY; y <= s.Bounds().MaxY; y++ {
		fmt.Println(y, s.Row(y))
	}
	// Output:
	// 0 [{0 2}]
	// 1 [{0 1}]
	// 2 [{0 0}]
	// 3 []
}

// The map tile of a place, by its name.
func ExampleQuadkey() {
	fmt.Println(grid.Quadkey(-0.1276, 51.5072, 8))
	// Output: 03131313 <nil>
}
