package keyed

import (
	"fmt"
	"time"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// AddValue counts a value of Go once. key.Append defines its key. A time.Time is a TIMESTAMPTZ or, in a
// sketch of TIMESTAMP keys, the date and time in UTC. It is exact to the nanosecond, while most of SQL's
// values have microseconds. A value that is not a key of the sketch's class is a *key.ClassError.
func (f *Family[P, S, V]) AddValue(s S, v any) error {
	b, class, err := valueKey(s, v)
	if err == nil {
		err = s.self().SetKeyClass(class)
	}
	if err == nil {
		err = f.AddKey(s, b, 1)
	}
	return err
}

// AddValues counts each of the values once, as X_agg does with a column. If the order of keys does not
// matter, the BLOB is the same, byte for byte. Errors come from AddValue; the values before
// have been added.
func AddValues[P comparable, S Mergeable[S], V, T any](f *Family[P, S, V], s S, values []T) error {
	for i := range values {
		if err := f.AddValue(s, values[i]); err != nil {
			return fmt.Errorf("value %d: %w", i, err)
		}
	}
	return nil
}

// CountValue returns the number of occurrences of a value, by CountKey of the sketch. If it only knows whether the
// value is there, CountValue returns 1 or 0. A value of another class than the keys' is converted if that
// loses nothing, and is an error otherwise, as in SQL. If the keys have no class, it is looked up by its bytes.
func (f *Family[P, S, V]) CountValue(s S, v any) (uint64, error) {
	b, class, err := valueKey(s, v)
	if err != nil {
		return 0, err
	}
	if b, err = key.Convert(nil, class, s.self().class, b); err != nil {
		return 0, err
	}
	if c, counts := any(s).(keyCounter); counts {
		return c.CountKey(b), nil
	}
	return f.Count(s, b), nil
}

// ContainsValue reports whether CountValue is not 0.
func (f *Family[P, S, V]) ContainsValue(s S, v any) (bool, error) {
	n, err := f.CountValue(s, v)
	return n > 0, err
}

// valueKey returns the key that a value of Go has in a sketch, and its class. In a sketch of DATE
// keys a time is a TIMESTAMP.
func valueKey(s Sketch, v any) ([]byte, key.Class, error) {
	t, is := v.(time.Time)
	if !is {
		return key.Append(nil, v)
	}
	class := key.TimestampTZ
	if c := s.self().class; c == key.Timestamp || c == key.Date {
		class = key.Timestamp
	}
	return key.AppendGoTime(nil, t), class, nil
}
