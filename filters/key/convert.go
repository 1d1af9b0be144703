package key

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"
)

// Convert appends to dst the key in class to of the value whose key in class from is b. It does so if
// that is the same value:
//
//   - a class to itself, and any class to None, the class of a sketch without keys: the same bytes;
//   - Int, Decimal, Float and Real among each other, if SQL's = is true for exactly one value of the
//     other class. That holds for whole numbers in both classes. A DECIMAL of few
//     digits equals the nearest DOUBLE or FLOAT, so the literal 0.1 finds 0.1. It is an error for a
//     DOUBLE beyond 2^53, which equals several integers, and for one as a DECIMAL;
//   - Text to Blob;
//   - Date to Timestamp at midnight, and Timestamp at midnight to Date;
//   - STRUCTs with the same number of fields, field by field. NULL stays NULL.
//
// Anything else is a *ClassError, which wraps ErrClass, and so are bytes that are no key of class from.
// After an error dst is unchanged.
func Convert(dst []byte, from, to Class, b []byte) ([]byte, error) {
	var ok bool
	var out []byte
	switch {
	case from == to || to == None || from == Text && to == Blob:
		return append(dst, b...), nil
	case !Fits(from, to):
		return dst, &ClassError{From: from, To: to}
	case from == Date:
		out, ok = dateToTimestamp(dst, b)
	case from == Timestamp:
		out, ok = timestampToDate(dst, b)
	case from.IsStruct():
		out, ok = convertStruct(dst, from, to, b)
	default:
		out, ok = convertNumber(dst, from, to, b)
	}
	if !ok {
		return dst, &ClassError{From: from, To: to, Value: Format(from, b)}
	}
	return out, nil
}

// Fits reports whether Convert converts keys of one class to the other, if their value is not lost.
func Fits(from, to Class) bool {
	return from == to || numeric(from) && numeric(to) || from == Text && to == Blob ||
		from == Date && to == Timestamp || from == Timestamp && to == Date ||
		from.IsStruct() && to.IsStruct() && slices.EqualFunc(from.Fields(), to.Fields(), Fits)
}

func numeric(c Class) bool { return c == Int || c == Decimal || isBinary(c) }

// isBinary reports whether the keys of a class are binary fractions.
func isBinary(c Class) bool { return c == Float || c == Real }

// exactBits returns how exact a class of floating-point numbers is. It holds all whole numbers up to
// 2^bits, and as many powers of ten as powers says.
func exactBits(c Class) (bits, powers int) {
	if c == Real {
		return 24, 11
	}
	return 53, 23
}

// exactParts reports whether a class, Float or Real, holds both a whole number and a power of ten.
func exactParts(c Class, v int64, power uint8) bool {
	bits, powers := exactBits(c)
	return -1<<bits <= v && v <= 1<<bits && int(power) < powers
}

// convertNumber appends the key in class to of the number whose key in class from is b. It returns false
// if no single key of that class is equal to it.
func convertNumber(dst []byte, from, to Class, b []byte) ([]byte, bool) {
	switch {
	case to == Decimal && from == Int:
		if v, ok := int64Of(b); ok {
			return AppendDecimal(dst, uint64(v), v>>63, 0), true
		}
		if v := number(from, b); v != nil {
			return appendBigDecimal(dst, v)
		}
		return dst, false
	case to == Decimal: // a binary float can be equal to several DECIMAL values in SQL
		return dst, false
	case to == Int && isBinary(from):
		v, ok := int64Of(b)
		f := math.Float64frombits(uint64(v))
		bits, _ := exactBits(from)
		if i := int64(f); ok && math.Abs(f) < math.Ldexp(1, bits) && float64(i) == f {
			return AppendInt64(dst, i), true
		}
		return dst, false
	case to == Int:
		v := number(from, b)
		if v == nil || !v.IsInt() {
			return dst, false
		}
		return appendBig(dst, v.Num())
	}
	f, ok := 0.0, false
	switch from {
	case Int:
		f, ok = intToFloat(b)
	case Decimal:
		f, ok = decimalToFloat(to, b)
	default:
		var v int64
		v, ok = int64Of(b)
		f = math.Float64frombits(uint64(v))
	}
	if !ok || to == Real && float64(float32(f)) != f && f == f {
		return dst, false
	}
	return AppendFloat64(dst, f), true
}

// intToFloat returns the DOUBLE that is equal to an integer, if there is one.
func intToFloat(b []byte) (f float64, ok bool) {
	if v, ok := int64Of(b); ok {
		f := float64(v)
		return f, f < 1<<63 && int64(f) == v
	}
	if v := number(Int, b); v != nil {
		return v.Float64()
	}
	return 0, false
}

// decimalToFloat returns the number of a class, Float or Real, to which SQL casts a DECIMAL. That is
// its digits over a power of ten, rounded once, if the class holds both exactly. SQL rounds other
// numbers twice. These convert only if they are whole numbers of the class.
func decimalToFloat(to Class, b []byte) (f float64, ok bool) {
	if len(b) == 9 {
		unscaled, scale := int64(binary.LittleEndian.Uint64(b)), b[8]
		if exactParts(to, unscaled, scale) {
			if to == Real {
				return float64(float32(unscaled) / float32(math.Pow10(int(scale)))), true
			}
			return float64(unscaled) / math.Pow10(int(scale)), true
		}
	}
	v := number(Decimal, b)
	if v == nil || !v.IsInt() {
		return 0, false
	}
	return v.Float64()
}

// number returns the exact value of a key of an Ordered class but text, instants in microseconds. It is nil
// for NaN, infinities and bytes that are no such key.
func number(c Class, b []byte) *big.Rat {
	switch c {
	case Float, Real:
		if len(b) == 8 {
			return new(big.Rat).SetFloat64(math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	case Decimal:
		if len(b) == 0 {
			return nil
		}
		if v := bigOf(b[:len(b)-1]); v != nil {
			scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(b[len(b)-1])), nil)
			return new(big.Rat).SetFrac(v, scale)
		}
	default:
		if c != Int && len(b) == 9 && b[0] == tagNanos {
			return big.NewRat(int64(binary.LittleEndian.Uint64(b[1:])), 1000)
		}
		if v := bigOf(b); v != nil {
			return new(big.Rat).SetInt(v)
		}
	}
	return nil
}

// int64Of returns the integer of a key of 8 bytes, and false for other bytes.
func int64Of(b []byte) (int64, bool) {
	if len(b) != 8 {
		return 0, false
	}
	return int64(binary.LittleEndian.Uint64(b)), true
}

// bigOf returns the integer of a key of AppendInt128 or AppendUint128, nil for other bytes.
func bigOf(b []byte) *big.Int {
	if v, ok := int64Of(b); ok {
		return big.NewInt(v)
	}
	if len(b) != 17 || b[0] != tagInt128 && b[0] != tagUint128 {
		return nil
	}
	lo, hi := binary.LittleEndian.Uint64(b[1:]), binary.LittleEndian.Uint64(b[9:])
	v := new(big.Int).SetUint64(hi)
	if b[0] == tagInt128 {
		v.SetInt64(int64(hi))
	}
	return v.Or(v.Lsh(v, 64), new(big.Int).SetUint64(lo))
}

// split returns v in two's complement of 128 bits.
func split(v *big.Int) (lo, hi uint64, ok bool) {
	abs := new(big.Int).Abs(v)
	if abs.BitLen() > 128 {
		return 0, 0, false
	}
	lo = abs.Uint64()
	hi = new(big.Int).Rsh(abs, 64).Uint64()
	if v.Sign() < 0 {
		if hi > 1<<63 || hi == 1<<63 && lo > 0 {
			return 0, 0, false
		}
		lo, hi = negate(lo, hi)
	}
	return lo, hi, true
}

// appendBig appends the key of an integer. It returns false if v does not fit into 128 bits.
func appendBig(dst []byte, v *big.Int) ([]byte, bool) {
	lo, hi, ok := split(v)
	switch {
	case !ok:
		return dst, false
	case v.Sign() < 0:
		return AppendInt128(dst, lo, int64(hi)), true
	}
	return AppendUint128(dst, lo, hi), true
}

// maxScale is the largest scale of a DECIMAL.
const maxScale = 38

// appendBigDecimal appends v if it has at most 38 digits after the point and an unscaled value of 127
// bits.
func appendBigDecimal(dst []byte, v *big.Rat) ([]byte, bool) {
	scale, exact := v.FloatPrec()
	if !exact || scale > maxScale {
		return dst, false
	}
	n := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	n.Mul(n, v.Num())
	n.Quo(n, v.Denom())
	lo, hi, ok := split(n)
	if !ok || n.Sign() >= 0 && hi > math.MaxInt64 {
		return dst, false
	}
	return AppendDecimal(dst, lo, int64(hi), uint8(scale)), true
}

const microsPerDay = 86400 * int64(Micros)

// dateToTimestamp appends the TIMESTAMP key of midnight of the day with DATE key b. Infinite dates stay
// infinite.
func dateToTimestamp(dst, b []byte) ([]byte, bool) {
	days, ok := int64Of(b)
	switch {
	case !ok || days != int64(int32(days)):
		return dst, false
	case days == math.MaxInt32:
		return AppendInt64(dst, math.MaxInt64), true
	case days == -math.MaxInt32:
		return AppendInt64(dst, -math.MaxInt64), true
	}
	lo, hi := mulInt64(days, microsPerDay)
	return AppendInt128(dst, lo, hi), true
}

// timestampToDate appends the DATE key of a TIMESTAMP with key b. It returns false if the time of day is
// not midnight.
func timestampToDate(dst, b []byte) ([]byte, bool) {
	micros, ok := int64Of(b)
	switch {
	case !ok:
		return dst, false
	case micros == math.MaxInt64:
		return AppendDate(dst, math.MaxInt32), true
	case micros == -math.MaxInt64:
		return AppendDate(dst, -math.MaxInt32), true
	}
	return AppendInt64(dst, micros/microsPerDay), micros%microsPerDay == 0
}

// DecimalFits reports whether SQL casts a DECIMAL to a class, Float or Real, by one division of numbers
// that the class holds. These are the casts of Convert. lo and hi are the unscaled integer.
func DecimalFits(to Class, lo uint64, hi int64, scale uint8) bool {
	return scale == 0 || hi == int64(lo)>>63 && exactParts(to, int64(lo), scale)
}
