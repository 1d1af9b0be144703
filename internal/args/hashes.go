package args

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// AppendHashes appends the results of Hash for rows from..to-1, all of which have a key, for a sketch
// of the column's own class.
func (k *Keys) AppendHashes(h1s, h2s []uint64, from, to int, seed uint64) (a, b []uint64) {
	at := len(h1s)
	h1s, h2s = grow(h1s, to-from), grow(h2s, to-from)
	p, q := h1s[at:], h2s[at:]
	if keys := k.Words(from, to); keys != nil {
		key.HashUint64s(seed, keys, p, q)
		return h1s, h2s
	}
	v := k.col
	switch v.Type().ID() {
	case duck.VarcharID, duck.BlobID:
		for i := range p {
			p[i], q[i] = key.Hash(seed, v.Bytes(from+i))
		}
	default:
		for i := range p {
			k.own = AppendKey(k.own[:0], v, from+i)
			p[i], q[i] = key.Hash(seed, k.own)
		}
	}
	return h1s, h2s
}

// Words returns the keys of rows from..to-1, all of which have one, as numbers of 64 bits
// (key.HashUint64s). It returns nil if the bytes of a key are not those of such a number. The
// result is valid until the next call.
func (k *Keys) Words(from, to int) []uint64 {
	v := k.col
	switch v.Type().ID() {
	case duck.BigIntID, duck.TimeID, duck.TimestampID, duck.TimestampTZID, duck.TimeTZID:
		// The key is the value's own 64 bits.
		return duck.Slice[uint64](v)[from:to]
	case duck.IntegerID, duck.DateID:
		k.wide = widen(k.wide, duck.Slice[int32](v)[from:to])
	case duck.SmallIntID:
		k.wide = widen(k.wide, duck.Slice[int16](v)[from:to])
	case duck.TinyIntID:
		k.wide = widen(k.wide, duck.Slice[int8](v)[from:to])
	case duck.UIntegerID:
		k.wide = widen(k.wide, duck.Slice[uint32](v)[from:to])
	case duck.USmallIntID:
		k.wide = widen(k.wide, duck.Slice[uint16](v)[from:to])
	case duck.UTinyIntID:
		k.wide = widen(k.wide, duck.Slice[uint8](v)[from:to])
	case duck.DoubleID:
		k.wide = floatBits(k.wide, duck.Slice[float64](v)[from:to])
	case duck.FloatID:
		k.wide = floatBits(k.wide, duck.Slice[float32](v)[from:to])
	default:
		return nil
	}
	return k.wide
}

// widen returns whole numbers as keys, in dst's memory. Equal numbers of any width have equal keys.
func widen[T int8 | int16 | int32 | uint8 | uint16 | uint32](dst []uint64, values []T) []uint64 {
	dst = grow(dst[:0], len(values))
	for i, v := range values {
		dst[i] = uint64(int64(v))
	}
	return dst
}

// floatBits returns floating-point numbers as keys, in dst's memory.
func floatBits[T float32 | float64](dst []uint64, values []T) []uint64 {
	dst = grow(dst[:0], len(values))
	for i, v := range values {
		dst[i] = key.FloatBits(float64(v))
	}
	return dst
}

// grow returns s with n more elements of any value.
func grow(s []uint64, n int) []uint64 {
	return slices.Grow(s, n)[:len(s)+n]
}
