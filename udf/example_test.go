package udf_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/udf"
)

// Functions that describe themselves: what sketch_help and docs/functions.md show.
func ExampleTiles() {
	for _, f := range udf.Tiles() {
		fmt.Println(f.Name)
	}
	// Output:
	// tile_x
	// tile_y
	// quadkey
	// tile_bbox
	// quadkey_bbox
	// quadbin
}
