package key_test

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// Values that SQL finds equal are one key: their bytes, and so their hashes, are the
// same.
func ExampleAppend() {
	small, class, err := key.Append(nil, uint8(5))
	if err != nil {
		panic(err)
	}
	large, _, err := key.Append(nil, int64(5))
	if err != nil {
		panic(err)
	}
	fmt.Println(class, string(small) == string(large))
	fmt.Println(key.Format(class, small))
	_, _, err = key.Append(nil, struct{}{})
	fmt.Println(err)
	// Output:
	// BIGINT true
	// 5
	// a struct {} cannot be a key: give a string, []byte, bool or number
}

// A number of another type is converted where that loses nothing.
func ExampleConvert() {
	five := key.AppendFloat64(nil, 5)
	b, err := key.Convert(nil, key.Float, key.Int, five)
	fmt.Println(key.Format(key.Int, b), err)
	_, err = key.Convert(nil, key.Float, key.Int, key.AppendFloat64(nil, 5.5))
	fmt.Println(err)
	// Output:
	// 5 <nil>
	// a DOUBLE key does not fit a sketch of BIGINT keys: 5.5 is not exactly a BIGINT
}
