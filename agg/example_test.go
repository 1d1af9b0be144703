package agg_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/agg"
	"github.com/ccbfsql/ccbfsql/filters/bloom"
)

// The aggregates that a family has as soon as it is in the list of families.
func ExampleKeyed() {
	for _, f := range agg.Keyed(bloom.Family) {
		fmt.Println(f.Name, "takes options:", len(f.Overloads) > 1)
	}
	// Output:
	// bloom_agg takes options: true
	// bloom_union_agg takes options: false
}
