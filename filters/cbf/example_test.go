package cbf_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/cbf"
)

// A set from which keys can be taken away.
func Example() {
	s, err := cbf.New(cbf.Params{Capacity: 1000})
	if err != nil {
		panic(err)
	}
	s.AddKey([]byte("open"), 1)
	s.AddKey([]byte("closed"), 1)
	if err := s.RemoveKey([]byte("open"), 1); err != nil {
		panic(err)
	}
	fmt.Println(s.ContainsKey([]byte("open")), s.ContainsKey([]byte("closed")))
	// Output: false true
}
