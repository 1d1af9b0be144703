package bloom_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// Which keys are there: always yes for one that is, seldom yes for another.
func Example() {
	s, err := bloom.New(bloom.Params{Capacity: 1000, FPP: 0.001})
	if err != nil {
		panic(err)
	}
	if err := keyed.AddValues(bloom.Family, s, []string{"51.5,-0.1", "48.9,2.3"}); err != nil {
		panic(err)
	}
	fmt.Println(s.ContainsKey([]byte("48.9,2.3")), s.ContainsKey([]byte("52.5,13.4")))
	fmt.Println(s.Bits(), "bits,", s.K(), "hash functions")
	// Output:
	// true false
	// 14400 bits, 10 hash functions
}
