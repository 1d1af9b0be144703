package keyed_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/bloom"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// A sketch of a slice, whatever the family.
func ExampleAddValues() {
	s, err := cms.New(cms.Params{})
	if err != nil {
		panic(err)
	}
	fmt.Println(keyed.AddValues(cms.Family, s, []int{4, 8, 4}))
	fmt.Println(keyed.AddValues(cms.Family, s, []string{"four"}))
	// Numbers meet where nothing is lost.
	fmt.Println(cms.Family.CountValue(s, 4.0))
	// Output:
	// <nil>
	// value 0: a VARCHAR key does not fit a sketch of BIGINT keys: cast it to BIGINT
	// 2 <nil>
}

// Code for all families uses the list of them, filters.Keyed.
func ExampleAny() {
	for _, f := range []keyed.Any{cms.Family, bloom.Family} {
		s, err := f.Make(f.Settings().Params())
		if err != nil {
			panic(err)
		}
		if err := f.AddKey(s, []byte("key"), 1); err != nil {
			panic(err)
		}
		total, _ := keyed.BaseOf(s).Total()
		fmt.Println(f.Noun(), total)
	}
	// Output:
	// Count-Min Sketch 1
	// Bloom filter 1
}
