package filters_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters"
)

// The families say what they are; ccbf is the first.
func ExampleFamilies() {
	f := filters.Families()[0]
	fmt.Println(f.ID, f.Title)
	// Output:
	// ccbf Counts on a grid
}
