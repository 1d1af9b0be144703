package key

import (
	"encoding/binary"
	"math"
	"math/bits"
	"time"
)

// These tags precede the keys that are longer than 8 bytes. The forms of a class differ in length or in
// their tag, so no two values have the same bytes.
const (
	tagInt128  = 1 // then 16 bytes, a signed integer in two's complement
	tagUint128 = 2 // then 16 bytes, an unsigned integer
	tagNanos   = 3 // then 8 bytes, a time in nanoseconds
)

// AppendInt64 appends the key of an integer: 8 bytes. Class Int.
func AppendInt64(dst []byte, v int64) []byte {
	return binary.LittleEndian.AppendUint64(dst, uint64(v))
}

// AppendUint64 appends the key of an unsigned integer: AppendInt64's if it fits an int64, otherwise 17
// bytes. Class Int.
func AppendUint64(dst []byte, v uint64) []byte {
	return AppendInt128(dst, v, 0)
}

// AppendInt128 appends the key of the integer hi*2^64 + lo: AppendInt64's if it fits an int64,
// otherwise a tag and 16 bytes. Class Int.
func AppendInt128(dst []byte, lo uint64, hi int64) []byte {
	if int64(lo)>>63 == hi {
		return binary.LittleEndian.AppendUint64(dst, lo)
	}
	return append128(dst, tagInt128, lo, uint64(hi))
}

// AppendUint128 appends the key of the unsigned integer hi*2^64 + lo: AppendInt128's if it fits an
// int128, otherwise a tag and 16 bytes. Class Int.
func AppendUint128(dst []byte, lo, hi uint64) []byte {
	if hi <= math.MaxInt64 {
		return AppendInt128(dst, lo, int64(hi))
	}
	return append128(dst, tagUint128, lo, hi)
}

// append128 appends a tag and a number of 128 bits.
func append128(dst []byte, tag byte, lo, hi uint64) []byte {
	dst = append(dst, tag)
	dst = binary.LittleEndian.AppendUint64(dst, lo)
	return binary.LittleEndian.AppendUint64(dst, hi)
}

// AppendFloat64 appends the bits of a DOUBLE: those of IEEE 754 with one zero and one NaN. A FLOAT is
// widened first. Class Float, 8 bytes.
func AppendFloat64(dst []byte, v float64) []byte {
	bits := math.Float64bits(v)
	switch {
	case v == 0:
		bits = 0
	case v != v:
		bits = 0x7ff8000000000000
	}
	return binary.LittleEndian.AppendUint64(dst, bits)
}

// AppendBytes appends the key of a VARCHAR, an ENUM's text or a BLOB: its
// bytes. Classes Text and Blob.
func AppendBytes(dst, v []byte) []byte { return append(dst, v...) }

// AppendBool appends 8 bytes, 0 or 1. Class Bool.
func AppendBool(dst []byte, v bool) []byte {
	var n uint64
	if v {
		n = 1
	}
	return binary.LittleEndian.AppendUint64(dst, n)
}

// AppendDate appends the days since 1970-01-01 as 8 bytes. The infinities are math.MaxInt32 and
// -math.MaxInt32, as in DuckDB. Class Date.
func AppendDate(dst []byte, days int32) []byte { return AppendInt64(dst, int64(days)) }

// Unit is the unit of a time or timestamp: how many make a second.
type Unit int64

// The units of SQL's times.
const (
	Seconds Unit = 1
	Millis  Unit = 1e3
	Micros  Unit = 1e6
	Nanos   Unit = 1e9
)

// AppendTime appends a time of day: 8 bytes of microseconds, or a tag and 8 bytes of nanoseconds if
// these are no whole microseconds. Class Time.
func AppendTime(dst []byte, v int64, u Unit) []byte {
	if u > Micros {
		if per := int64(u / Micros); v%per == 0 {
			return AppendInt64(dst, v/per)
		}
		dst = append(dst, tagNanos)
		return AppendInt64(dst, v)
	}
	lo, hi := mulInt64(v, int64(Micros/u))
	return AppendInt128(dst, lo, hi)
}

// AppendTimeTZ appends the 64 bits of a TIME WITH TIME ZONE in DuckDB. Values are equal if their bits
// are. Class TimeTZ.
func AppendTimeTZ(dst []byte, packed uint64) []byte {
	return binary.LittleEndian.AppendUint64(dst, packed)
}

// AppendTimestamp appends an instant, v units since 1970-01-01. It is 8 bytes of microseconds, the same
// for equal instants in different units. If these are no whole microseconds, it is a tag and 8 bytes of
// nanoseconds. If microseconds do not fit 8 bytes, it is a tag and 16 bytes. The infinities are
// math.MaxInt64 and -math.MaxInt64 in every unit, as in DuckDB. Classes Timestamp and TimestampTZ.
func AppendTimestamp(dst []byte, v int64, u Unit) []byte {
	if v == math.MaxInt64 || v == -math.MaxInt64 {
		return AppendInt64(dst, v)
	}
	return AppendTime(dst, v, u)
}

// AppendGoTime is AppendTimestamp for an instant in Go. It is exact to the nanosecond, or to the
// microsecond if nanoseconds since 1970 do not fit 8 bytes. Class TimestampTZ.
func AppendGoTime(dst []byte, t time.Time) []byte {
	lo, hi := mulInt64(t.Unix(), int64(Nanos))
	lo, carry := bits.Add64(lo, uint64(t.Nanosecond()), 0)
	if hi += int64(carry); t.Nanosecond()%1000 != 0 && int64(lo)>>63 == hi {
		dst = append(dst, tagNanos)
		return AppendInt64(dst, int64(lo))
	}
	lo, hi = mulInt64(t.Unix(), int64(Micros))
	lo, carry = bits.Add64(lo, uint64(t.Nanosecond()/1000), 0)
	return AppendInt128(dst, lo, hi+int64(carry))
}

// mulInt64 returns the 128-bit product of v and a factor that is not negative.
func mulInt64(v, factor int64) (lo uint64, hi int64) {
	h, lo := bits.Mul64(uint64(v), uint64(factor))
	if v < 0 {
		h -= uint64(factor)
	}
	return lo, int64(h)
}

// AppendUUID appends the 16 bytes of a UUID in the order of its text: hi holds the first 16 hexadecimal
// digits. (DuckDB keeps the top bit of hi inverted.) Class UUID.
func AppendUUID(dst []byte, hi, lo uint64) []byte {
	dst = binary.BigEndian.AppendUint64(dst, hi)
	return binary.BigEndian.AppendUint64(dst, lo)
}

// AppendDecimal appends the key of (hi*2^64 + lo) / 10^scale. Trailing zeros of the fraction are
// removed, so 2.50 is 2.5. The key is the unscaled integer as AppendInt128 writes it, and one byte of
// scale. Class Decimal.
func AppendDecimal(dst []byte, lo uint64, hi int64, scale uint8) []byte {
	neg := hi < 0
	l, h := lo, uint64(hi)
	if neg {
		l, h = negate(l, h)
	}
	for scale > 0 {
		// Divide the 128-bit number by 10, in two steps of 64 bits.
		qh, r := h/10, h%10
		ql, r := bits.Div64(r, l, 10)
		if r != 0 {
			break
		}
		l, h = ql, qh
		scale--
	}
	if l|h == 0 {
		scale = 0
	}
	if neg {
		l, h = negate(l, h)
	}
	return append(AppendInt128(dst, l, int64(h)), scale)
}

// negate returns minus a number of 128 bits, in two's complement.
func negate(lo, hi uint64) (uint64, uint64) {
	lo, borrow := bits.Sub64(0, lo, 0)
	hi, _ = bits.Sub64(0, hi, borrow)
	return lo, hi
}

// AppendInterval appends the length of an interval in microseconds, as AppendInt128 writes it. A month
// has 30 days and a day 24 hours, as in SQL's equality of intervals. Class Interval.
func AppendInterval(dst []byte, months, days int32, micros int64) []byte {
	d := int64(months)*30 + int64(days)
	lo, hi := mulInt64(d, 86400*int64(Micros))
	lo, carry := bits.Add64(lo, uint64(micros), 0)
	h, _ := bits.Add64(uint64(hi), uint64(micros>>63), carry)
	return AppendInt128(dst, lo, int64(h))
}
