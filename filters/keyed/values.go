package keyed

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// AddValues counts each of the values once, as X_agg does with a column. If the order of keys does not
// matter, the BLOB is the same, byte for byte. key.Append defines which key a value of Go is. A value
// that is not a key of the sketch's class is an error; the values before it have been added.
func AddValues[P comparable, S Mergeable[S], V, T any](f *Family[P, S, V], s S, values []T) error {
	var room []byte
	base := s.self()
	for i := range values {
		b, class, err := key.Append(room[:0], values[i])
		if err == nil {
			err = base.SetKeyClass(class)
		}
		if err == nil {
			err = f.AddKey(s, b, 1)
		}
		if err != nil {
			return fmt.Errorf("value %d: %w", i, err)
		}
		room = b
	}
	return nil
}

// CountValue returns the number of occurrences of a value by the family's first question. If that asks
// whether the value is there, it returns 1 or 0. In a sketch without keys it is 0. A value of another
// class than the keys' is converted if that loses nothing, and is an error otherwise, as in SQL.
func CountValue[P comparable, S Mergeable[S], V, T any](f *Family[P, S, V], s S, value T) (uint64, error) {
	b, class, err := key.Append(nil, value)
	if err != nil {
		return 0, err
	}
	return f.countOne(s, class, b)
}
