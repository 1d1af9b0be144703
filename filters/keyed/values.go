package keyed

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// valuesAtOnce is the number of keys that are hashed and added together.
const valuesAtOnce = 1024

// AddValues counts each of the values once, as X_agg does with a column. If the order of keys does not
// matter, the BLOB is the same, byte for byte. key.Append defines which key a value of Go is. A value
// that is not a key of the sketch's class is an error; the values before it have been added.
func AddValues[P comparable, S Mergeable[S], V, T any](f *Family[P, S, V], s S, values []T) error {
	var flat []byte
	var h1s, h2s [valuesAtOnce]uint64
	base := s.self()
	n := 0
	flush := func() error {
		if n == 0 {
			return nil
		}
		err := f.Add(s, h1s[:n], h2s[:n], nil)
		n = 0
		return err
	}
	for i := range values {
		b, class, err := key.Append(flat[:0], values[i])
		if err == nil {
			err = base.SetKeyClass(class)
		}
		if err != nil {
			if addErr := flush(); addErr != nil {
				return addErr
			}
			return fmt.Errorf("value %d: %w", i, err)
		}
		flat = b
		if ByValue(s) {
			if err := f.AddKey(s, b, 1); err != nil {
				return fmt.Errorf("value %d: %w", i, err)
			}
			continue
		}
		if h1s[n], h2s[n] = key.Hash(base.seed, b); n == valuesAtOnce-1 {
			n++
			if err := flush(); err != nil {
				return err
			}
			continue
		}
		n++
	}
	return flush()
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
