package key

import (
	"bytes"
	"cmp"
	"math"
)

// Compare orders two keys of a class by their values, as SQL does. It returns false for classes that
// are not Ordered, and for bytes that are not a key. NaN is the largest number. Text and BLOBs are in
// the order of their bytes.
func Compare(c Class, a, b []byte) (int, bool) {
	switch c {
	case Text, Blob:
		return bytes.Compare(a, b), true
	case Float, Real:
		x, ok := int64Of(a)
		y, two := int64Of(b)
		v, w := math.Float64frombits(uint64(x)), math.Float64frombits(uint64(y))
		order := cmp.Compare(v, w) // cmp.Compare orders NaN first; SQL orders it last
		if v != v || w != w {
			order = -order
		}
		return order, ok && two
	}
	if !c.Ordered() {
		return 0, false
	}
	if x, ok := int64Of(a); ok && c != Decimal {
		if y, ok := int64Of(b); ok {
			return cmp.Compare(x, y), true
		}
	}
	x, y := number(c, a), number(c, b)
	if x == nil || y == nil {
		return 0, false
	}
	return x.Cmp(y), true
}

// Ordered reports whether Compare orders keys of a class.
func (c Class) Ordered() bool {
	switch c {
	case Int, Float, Real, Text, Blob, Date, Time, Timestamp, TimestampTZ, Decimal, Interval:
		return true
	}
	return false
}
