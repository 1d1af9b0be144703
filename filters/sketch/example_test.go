package sketch_test

import (
	"errors"
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Parse describes a BLOB before a sketch is made of it.
func ExampleParse() {
	s, err := cms.New(cms.Params{Width: 100, Depth: 3})
	if err != nil {
		panic(err)
	}
	s.AddKey([]byte("key"), 5)
	b, err := sketch.Parse(s.Blob())
	fmt.Println(b.Family, b.Total, err)
	words, _ := sketch.Describe(filters.Families(), s.Blob())
	fmt.Println(words)

	_, err = sketch.Parse([]byte("no sketch"))
	fmt.Println(errors.Is(err, sketch.ErrInvalid), err)
	// Output:
	// cms 5 <nil>
	// cms 100 x 3 counters, 5 added, 315 B
	// true not a valid sketch: 9 bytes, but a header alone has at least 12
}
