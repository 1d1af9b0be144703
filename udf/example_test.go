package udf_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/udf"
)

// Functions that describe themselves: what sketch_help and docs/functions.md show.
func ExampleTiles() {
	for _, f := range udf.Tiles() {
		fmt.Println(f.Name + ": " + f.Example)
	}
	// Output:
	// tile_x: SELECT tile_x(-0.1276, 8)
	// tile_y: SELECT tile_y(51.5072, 8)
	// quadkey: SELECT quadkey(-0.1276, 51.5072, 8), quadkey(-0.1276, 51.5072, 8, 0.001)
	// tile_bbox: SELECT (tile_bbox(8, 127, 85)).xmin
	// quadkey_bbox: SELECT (quadkey_bbox('03131313')).ymax
	// quadbin: SELECT quadbin(quadkey(-0.1276, 51.5072, 8))
}
