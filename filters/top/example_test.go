package top_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/top"
)

// The most frequent words of two streams, with bounds of their counts.
func Example() {
	var streams [2]*top.Sketch
	for i, words := range [][]string{{"to", "be", "or", "not", "to", "be"}, {"to", "sleep", "to", "dream"}} {
		s, err := top.New(top.Params{K: 3})
		if err != nil {
			panic(err)
		}
		for _, w := range words {
			if err := s.AddString(w); err != nil {
				panic(err)
			}
		}
		streams[i] = s
	}
	if err := streams[0].Union(streams[1]); err != nil {
		panic(err)
	}
	for _, k := range streams[0].Keys() {
		fmt.Printf("%s: %d to %d\n", k.Key, k.Low, k.High)
	}
	// Output:
	// to: 3 to 4
	// be: 1 to 2
}
