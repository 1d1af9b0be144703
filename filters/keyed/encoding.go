package keyed

import (
	"errors"
	"time"

	"github.com/ccbfsql/ccbfsql/filters/key"
)

// errZero is the error for encoding a zero Sketch.
var errZero = errors.New("a zero Sketch has no BLOB: New or Decode makes a sketch")

// AppendBinary appends the BLOB of a sketch. A zero Sketch is an error.
func AppendBinary(dst []byte, s Sketch) ([]byte, error) {
	if !s.self().isMade {
		return dst, errZero
	}
	return AppendBlob(dst, s)
}

// AddString counts a VARCHAR once. A sketch with keys of another class gives a *key.ClassError.
// So do AddUint64 and AddTime.
func (f *Family[P, S, V]) AddString(s S, v string) error {
	return f.addOne(s, key.Text, []byte(v))
}

// AddUint64 counts an integer once.
func (f *Family[P, S, V]) AddUint64(s S, v uint64) error {
	return f.addOne(s, key.Int, key.AppendUint64(nil, v))
}

// AddTime counts an instant once, as a TIMESTAMPTZ. In a sketch of TIMESTAMP keys it is the date and
// time in UTC. It is exact to the nanosecond, while most of SQL's values have microseconds.
func (f *Family[P, S, V]) AddTime(s S, t time.Time) error {
	b, class := timeKey(s, t)
	return f.addOne(s, class, b)
}

// addOne counts the key b of this class once. The class must be the sketch's class of keys.
func (f *Family[P, S, V]) addOne(s S, class key.Class, b []byte) error {
	if err := s.self().SetKeyClass(class); err != nil {
		return err
	}
	return f.AddKey(s, b, 1)
}

// CountString returns the number of occurrences of a VARCHAR, as CountValue does.
func (f *Family[P, S, V]) CountString(s S, v string) (uint64, error) {
	return f.countOne(s, key.Text, []byte(v))
}

// CountUint64 returns the number of occurrences of an integer, as CountValue does.
func (f *Family[P, S, V]) CountUint64(s S, v uint64) (uint64, error) {
	return f.countOne(s, key.Int, key.AppendUint64(nil, v))
}

// CountTime returns the number of occurrences of an instant, by the key of AddTime.
func (f *Family[P, S, V]) CountTime(s S, t time.Time) (uint64, error) {
	b, class := timeKey(s, t)
	return f.countOne(s, class, b)
}

// timeKey returns the key of an instant in a sketch, and its class. In a sketch of DATE keys it is a
// TIMESTAMP.
func timeKey(s Sketch, t time.Time) ([]byte, key.Class) {
	class := key.TimestampTZ
	if c := s.self().class; c == key.Timestamp || c == key.Date {
		class = key.Timestamp
	}
	return key.AppendGoTime(nil, t), class
}

// countOne is CountValue of a key by its class and bytes.
func (f *Family[P, S, V]) countOne(s S, class key.Class, b []byte) (uint64, error) {
	base := s.self()
	if base.class == key.None {
		return 0, nil
	}
	if class != base.class {
		var err error
		if b, err = key.Convert(nil, class, base.class, b); err != nil {
			return 0, err
		}
	}
	return f.Count(s, b), nil
}

// Found reports whether a key that was counted is there.
func Found(n uint64, err error) (bool, error) { return n > 0, err }
