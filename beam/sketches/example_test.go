package sketches_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/beam/sketches"
	"github.com/ccbfsql/ccbfsql/filters/cms"
)

// The example makes the calls of a pipeline with sketches.CombineGlobally(s, fn, words). Several
// workers accumulate parts of the words, the parts are merged, and the result is a BLOB.
func ExampleKeys() {
	fn, err := sketches.Keys(cms.Family, cms.Params{})
	if err != nil {
		panic(err)
	}
	part := func(words ...string) sketches.Accumulator {
		a, err := fn.CreateAccumulator()
		if err != nil {
			panic(err)
		}
		for _, word := range words {
			if a, err = fn.AddInput(a, word); err != nil {
				panic(err)
			}
		}
		return a
	}
	a, err := fn.MergeAccumulators(part("to", "be"), part("or", "not", "to"))
	if err != nil {
		panic(err)
	}
	blob, err := fn.ExtractOutput(a)
	if err != nil {
		panic(err)
	}
	v, err := cms.NewView(blob)
	if err != nil {
		panic(err)
	}
	fmt.Println(v.CountKey([]byte("to")), v.CountKey([]byte("be")))
	// Output: 2 1
}
