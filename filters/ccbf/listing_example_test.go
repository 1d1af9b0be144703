package ccbf_test

import (
	"fmt"
	"log"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

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
