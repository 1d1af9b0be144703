package args

import (
	"encoding/binary"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// AppendHashes appends the results of Hash for rows from..to-1, all of which have a key, for a sketch
// of the column's own class.
func (k *Keys) AppendHashes(h1s, h2s []uint64, from, to int, seed uint64) (a, b []uint64) {
	if keys := k.Words(from, to); keys != nil {
		at, n := len(h1s), to-from
		h1s, h2s = slices.Grow(h1s, n)[:at+n], slices.Grow(h2s, n)[:at+n]
		key.HashUint64s(seed, keys, h1s[at:], h2s[at:])
		return h1s, h2s
	}
	for i := from; i < to; i++ {
		h1, h2, _ := k.Hash(i, k.Class, seed) // no error: the key is not converted
		h1s, h2s = append(h1s, h1), append(h2s, h2)
	}
	return h1s, h2s
}

// Words returns the keys of rows from..to-1, all of which have one, as numbers of 64 bits
// (key.HashUint64s). It returns nil if the bytes of a key are not those of such a number. The
// result is valid until the next call.
func (k *Keys) Words(from, to int) []uint64 {
	switch k.col.Type().ID() {
	case duck.BigIntID, duck.TimeID, duck.TimestampID, duck.TimestampTZID, duck.TimeTZID:
		// The key is the value's own 64 bits.
		return duck.Slice[uint64](k.col)[from:to]
	case duck.IntegerID, duck.SmallIntID, duck.TinyIntID, duck.UIntegerID, duck.USmallIntID, duck.UTinyIntID,
		duck.DateID, duck.DoubleID, duck.FloatID:
		k.wide = k.wide[:0]
		for i := from; i < to; i++ {
			k.own = AppendKey(k.own[:0], k.col, i)
			k.wide = append(k.wide, binary.LittleEndian.Uint64(k.own))
		}
		return k.wide
	}
	return nil
}
