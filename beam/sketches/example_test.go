package sketches_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/beam/sketches"
	"github.com/ccbfsql/ccbfsql/filters/cms"
)

// The example makes the calls of a pipeline with sketches.CombineGlobally(s, fn, words). Several
// workers accumulate parts of the words, the parts are merged, and the result is a BLOB.
func ExampleKeys() {
	must := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	fn, err := sketches.Keys(cms.Family, cms.Params{})
	must(err)
	part := func(words ...string) sketches.Accumulator {
		a, err := fn.CreateAccumulator()
		must(err)
		for _, word := range words {
			a, err = fn.AddInput(a, word)
			must(err)
		}
		return a
	}
	a, err := fn.MergeAccumulators(part("to", "be"), part("or", "not", "to"))
	must(err)
	blob, err := fn.ExtractOutput(a)
	must(err)
	v, err := cms.NewView(blob)
	must(err)
	fmt.Println(v.CountKey([]byte("to")), v.CountKey([]byte("be")))
	// Output: 2 1
}
