// Package args reads arguments of SQL functions: numbers and keys of any type, and the STRUCT of
// options.
package args

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// isNumber reports whether values of a type are numbers.
func isNumber(t duck.Type) bool {
	switch classes[t.ID()] {
	case key.Int, key.Real, key.Float, key.Decimal:
		return true
	}
	return false
}

// int128 returns value i of an integer type, or of a DECIMAL without its scale.
func int128(v *duck.Vector, i int) (lo uint64, hi int64) {
	signed := func(n int64) (uint64, int64) { return uint64(n), n >> 63 }
	switch v.Type().Stored() {
	case duck.TinyIntID:
		return signed(int64(duck.Slice[int8](v)[i]))
	case duck.SmallIntID:
		return signed(int64(duck.Slice[int16](v)[i]))
	case duck.IntegerID:
		return signed(int64(duck.Slice[int32](v)[i]))
	case duck.BigIntID:
		return signed(duck.Slice[int64](v)[i])
	case duck.UTinyIntID:
		return uint64(duck.Slice[uint8](v)[i]), 0
	case duck.USmallIntID:
		return uint64(duck.Slice[uint16](v)[i]), 0
	case duck.UIntegerID:
		return uint64(duck.Slice[uint32](v)[i]), 0
	case duck.UBigIntID:
		return duck.Slice[uint64](v)[i], 0
	}
	w := duck.Slice[[2]uint64](v)[i] // HUGEINT, UHUGEINT and wide DECIMAL have 128 bits, the low word first
	return w[0], int64(w[1])
}

// float returns value i of a numeric vector as the nearest float64.
func float(v *duck.Vector, i int) float64 {
	switch v.Type().ID() {
	case duck.FloatID:
		return float64(duck.Slice[float32](v)[i])
	case duck.DoubleID:
		return duck.Slice[float64](v)[i]
	}
	f, _ := strconv.ParseFloat(text(v, i), 64) // the nearest float64, as SQL's own cast
	return f
}

// text returns value i of a numeric vector as SQL writes it, for errors.
func text(v *duck.Vector, i int) string {
	switch v.Type().ID() {
	case duck.FloatID, duck.DoubleID:
		return strconv.FormatFloat(float(v, i), 'g', -1, 64)
	}
	lo, hi := int128(v, i)
	n := new(big.Int)
	if v.Type().ID() == duck.UHugeIntID {
		n.SetUint64(uint64(hi))
	} else {
		n.SetInt64(hi)
	}
	n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(lo))
	if v.Type().ID() != duck.DecimalID {
		return n.String()
	}
	_, scale := v.Type().Decimal()
	return new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).FloatString(int(scale))
}

// whole128 returns value i of a numeric vector as an integer of 128 bits. ok is false if it is no
// whole number. For FLOAT, DOUBLE, DECIMAL and UHUGEINT it is also false for some numbers below
// -2^63 or above 2^64-1.
func whole128(v *duck.Vector, i int) (lo uint64, hi int64, ok bool) {
	switch v.Type().ID() {
	case duck.FloatID, duck.DoubleID:
		f := float(v, i)
		if f < -1<<63 || f >= 1<<64 || f != math.Trunc(f) {
			return 0, 0, false
		}
		if f < 0 {
			return uint64(int64(f)), -1, true
		}
		return uint64(f), 0, true
	case duck.DecimalID:
		if _, scale := v.Type().Decimal(); scale > 0 {
			r, ok := new(big.Rat).SetString(text(v, i))
			if !ok || !r.IsInt() || !r.Num().IsInt64() && !r.Num().IsUint64() {
				return 0, 0, false
			}
			if n := r.Num(); n.Sign() < 0 {
				return uint64(n.Int64()), -1, true
			}
			return r.Num().Uint64(), 0, true
		}
	}
	lo, hi = int128(v, i)
	return lo, hi, hi >= 0 || v.Type().ID() != duck.UHugeIntID
}

// whole returns value i of a numeric vector if it is a whole number from 0 to 2^64-1.
func whole(v *duck.Vector, i int) (uint64, bool) {
	lo, hi, ok := whole128(v, i)
	return lo, ok && hi == 0
}

// wholeInt64 returns value i of a numeric vector if it is a whole number from -2^63 to 2^63-1.
func wholeInt64(v *duck.Vector, i int) (int64, bool) {
	lo, hi, ok := whole128(v, i)
	return int64(lo), ok && int64(lo)>>63 == hi
}

// Signed reads row i of an argument that must be a whole number.
func Signed(name string, v *duck.Vector, i int) (int64, error) {
	if !isNumber(v.Type()) {
		return 0, fmt.Errorf("%s is %s, must be a number", name, v.Type())
	}
	n, ok := wholeInt64(v, i)
	if !ok {
		return 0, fmt.Errorf("%s is %s, must be a whole number from -2^63 to 2^63-1", name, text(v, i))
	}
	return n, nil
}

// Count reads row i of an argument that must be a whole number from least to most.
func Count(name string, v *duck.Vector, i int, least, most uint64) (uint64, error) {
	if !isNumber(v.Type()) {
		return 0, fmt.Errorf("%s is %s, must be a number", name, v.Type())
	}
	n, ok := whole(v, i)
	if !ok || n < least || n > most {
		end := strconv.FormatUint(most, 10)
		switch {
		case most == math.MaxUint64:
			end = "2^64-1"
		case most > 1<<32 && most&(most-1) == 0:
			end = fmt.Sprintf("2^%d", bits.TrailingZeros64(most))
		}
		return 0, fmt.Errorf("%s is %s, must be a whole number from %d to %s", name, text(v, i), least, end)
	}
	return n, nil
}
