package filters_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters"
)

// The families there are.
func ExampleFamilies() {
	for _, f := range filters.Families() {
		fmt.Println(f.ID, f.Title)
	}
	// Output:
	// ccbf Counts on a grid
	// cms Counts of keys
	// sbf Counts of keys in a Bloom filter
	// bloom Sets of keys
	// cbf Sets of keys that can be removed
	// cuckoo Cuckoo filters
}
