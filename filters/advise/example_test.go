package advise_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/advise"
)

// The sketch to build for 10,000 different keys, 100,000 in all, in 16 KiB.
func ExampleFor() {
	a, err := advise.For(advise.Data{Distinct: 10_000, Occurrences: 100_000, Skew: 1, Bytes: 1 << 14, Keys: true})
	if err != nil {
		panic(err)
	}
	fmt.Println(a.Call)
	// Output: sbf_agg(key, {counters: 44412, k: 2, method: 'mi', encoding: 'steps'})
}
