package sbf_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sbf"
)

// Counts of keys, one of which is taken away again.
func Example() {
	s, err := sbf.New(sbf.Params{Capacity: 1000})
	if err != nil {
		panic(err)
	}
	if err := keyed.AddValues(sbf.Family, s, []int{7, 7, 7, 8}); err != nil {
		panic(err)
	}
	seven, err := sbf.Family.CountValue(s, 7)
	fmt.Println(seven, err)
	total, _ := s.Total()
	fmt.Println(total)
	// Output:
	// 3 <nil>
	// 4
}

// With a range the sketch sums over ranges of integers.
func ExampleSketch_RangeSum() {
	s, err := sbf.New(sbf.Params{Capacity: 1000, Range: sbf.Range{Lo: 0, Hi: 99}})
	if err != nil {
		panic(err)
	}
	for age := int64(20); age < 50; age++ {
		if err := s.AddInt(age, 2); err != nil {
			panic(err)
		}
	}
	fmt.Println(s.RangeSum(30, 39))
	// Output: 20 <nil>
}
