package ccbf_test

import (
	"fmt"
	"log"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Points in the cells of a grid, then a place and a polygon.
func Example() {
	xs := []float64{0.5, 0.6, 5.5, 5.2}
	ys := []float64{0.5, 0.7, 0.5, 7.5}
	s, err := ccbf.Build(ccbf.Params{Res: 1}, xs, ys)
	if err != nil {
		panic(err)
	}
	v, err := ccbf.NewView(s.Blob())
	if err != nil {
		panic(err)
	}
	place, err := v.Grid.Cell(0.9, 0.1)
	if err != nil {
		panic(err)
	}
	polygon, err := grid.ParsePolygon([]byte("POLYGON ((0 0, 8 0, 8 2, 0 2, 0 0))"))
	if err != nil {
		panic(err)
	}
	sum, err := v.Sum(ccbf.NewPolygon(polygon).Area(), ccbf.Categories{})
	fmt.Println(v.Count(place, nil), sum, err)
	// Output: 2 3 <nil>
}

// Points come one by one, with categories, and parts are merged.
func ExampleBuilder() {
	c, err := ccbf.Params{Res: 0.5, Categories: true}.Config()
	if err != nil {
		panic(err)
	}
	trees := []string{"oak", "elm", "oak"}
	b := ccbf.NewBuilder(c, nil)
	for i, x := range []float64{1.1, 1.2, 1.4} {
		cell, err := c.Grid.Cell(x, 3)
		if err != nil {
			panic(err)
		}
		if err := b.Add(cell, []byte(trees[i]), key.Text, 1); err != nil {
			panic(err)
		}
	}
	s, err := b.Sketch()
	if err != nil {
		panic(err)
	}
	v, err := ccbf.NewView(s.Blob())
	if err != nil {
		panic(err)
	}
	cell, _ := c.Grid.Cell(1.3, 3.1)
	fmt.Println(v.Count(cell, []byte("oak")), v.Count(cell, []byte("elm")), v.Count(cell, []byte("ash")))
	// Output: 2 1 0
}

// The cells of a sketch, straight from its BLOB.
func ExampleView_Cells() {
	s, err := ccbf.New(ccbf.Params{Res: 0.5})
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range [][2]float64{{1.1, 2.2}, {1.4, 2.3}, {-0.1, 0.2}} {
		cell, err := s.Grid.Cell(p[0], p[1])
		if err != nil {
			log.Fatal(err)
		}
		if err := s.Add(cell, nil, 1); err != nil {
			log.Fatal(err)
		}
	}
	v, err := ccbf.NewView(s.Blob())
	if err != nil {
		log.Fatal(err)
	}
	cells, err := v.Cells(ccbf.Box(grid.MaxRect()), ccbf.Categories{})
	if err != nil {
		log.Fatal(err)
	}
	for spot := range cells {
		x, y, side := spot.Square(v.Grid)
		fmt.Println(x, y, side, spot.Count)
	}
	// Output:
	// -0.25 0.25 0.5 1
	// 1.25 2.25 0.5 2
}
