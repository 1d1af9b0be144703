package cuckoo_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/cuckoo"
)

// A multiset: keys are counted, and can be taken away.
func Example() {
	s, err := cuckoo.New(cuckoo.Params{Capacity: 1000, FingerprintBits: 16, Duplicates: true})
	if err != nil {
		panic(err)
	}
	for _, key := range []string{"a", "b", "a"} {
		if err := s.AddKey([]byte(key), 1); err != nil {
			panic(err)
		}
	}
	fmt.Println(s.CountKey([]byte("a")), s.CountKey([]byte("b")), s.ContainsKey([]byte("c")))
	if err := s.RemoveKey([]byte("a"), 1); err != nil {
		panic(err)
	}
	fmt.Println(s.CountKey([]byte("a")))
	// Output:
	// 2 1 false
	// 1
}
