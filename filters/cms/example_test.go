package cms_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

// How often words occur, in two parts that are put together.
func Example() {
	a, err := cms.New(cms.Params{Epsilon: 0.001, Delta: 0.01})
	if err != nil {
		panic(err)
	}
	b := a.Clone()
	if err := keyed.AddValues(cms.Family, a, []string{"to", "be", "or", "not"}); err != nil {
		panic(err)
	}
	if err := keyed.AddValues(cms.Family, b, []string{"to", "be"}); err != nil {
		panic(err)
	}
	if err := a.Union(b); err != nil {
		panic(err)
	}
	for _, word := range []string{"to", "or", "question"} {
		n, err := cms.Family.CountValue(a, word)
		fmt.Println(word, n, err)
	}
	// Output:
	// to 2 <nil>
	// or 1 <nil>
	// question 0 <nil>
}

// A View queries a BLOB without making a sketch. Keys are hashed where they come from.
func ExampleView() {
	s, err := cms.New(cms.Params{})
	if err != nil {
		panic(err)
	}
	s.AddKey([]byte("to"), 2)
	v, err := cms.NewView(s.Blob())
	if err != nil {
		panic(err)
	}
	fmt.Println(v.CountKey([]byte("to")), v.CountKey([]byte("be")))
	// Output: 2 0
}

// Parameters that are out of range say which, and the range.
func ExampleNew() {
	_, err := cms.New(cms.Params{Depth: 40})
	fmt.Println(err)
	// Output: option "depth" is 40, must be from 1 to 32
}
