package bloom_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/bloom"
)

// Which keys are there: always yes for one that is, seldom yes for another.
func Example() {
	s, err := bloom.New(bloom.Params{Capacity: 1000, FPP: 0.001})
	if err != nil {
		panic(err)
	}
	for _, place := range []string{"51.5,-0.1", "48.9,2.3"} {
		if err := s.AddString(place); err != nil {
			panic(err)
		}
	}
	for _, place := range []string{"48.9,2.3", "52.5,13.4"} {
		there, err := s.ContainsString(place)
		if err != nil {
			panic(err)
		}
		fmt.Println(place, there)
	}
	fmt.Println(s.Bits(), "bits,", s.K(), "hash functions")
	// Output:
	// 48.9,2.3 true
	// 52.5,13.4 false
	// 14400 bits, 10 hash functions
}
