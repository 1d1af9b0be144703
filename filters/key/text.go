package key

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"
	"unicode/utf8"
)

// AppendText appends a key of class c as SQL writes its value. A cast of the text to the class's type
// gives this key again. The key has lost the scale of a DECIMAL beyond its last digit. It has lost the
// months of an INTERVAL, which are 30 days. A TIMESTAMPTZ is in UTC. Dates and timestamps beyond those of
// SQL are numbers. Bytes that are not a key of the class are hexadecimal.
func AppendText(dst []byte, c Class, b []byte) []byte {
	n := len(dst)
	switch v, ok := int64Of(b); {
	case c == Text && utf8.Valid(b):
		return append(dst, b...)
	case c == Blob:
		return appendBlobText(dst, b)
	case c == Bool && ok:
		return strconv.AppendBool(dst, v != 0)
	case isBinary(c) && ok:
		bits := 64
		if c == Real {
			bits = 32
		}
		return appendFloatText(dst, math.Float64frombits(uint64(v)), bits)
	case c == Date && ok:
		if v == math.MaxInt32 || v == -math.MaxInt32 {
			return appendInfinity(dst, v)
		}
		if v == int64(int32(v)) {
			return appendDay(dst, time.Unix(v*secondsPerDay, 0).UTC())
		}
	case c == UUID && len(b) == 16:
		return fmt.Appendf(dst, "%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	case c == Interval:
		if v := bigOf(b); v != nil {
			return appendIntervalText(dst, v)
		}
	case c.IsStruct() && c.Known():
		if out, ok := appendStructText(dst, c, b); ok {
			return out
		}
	case c == TimeTZ && ok:
		return appendTimeTZ(dst, uint64(v))
	case c == Time || c == Timestamp || c == TimestampTZ:
		if dst = appendInstantText(dst, c, b); len(dst) > n {
			return dst
		}
	}
	switch c {
	case Int, Date, Timestamp:
		if v := bigOf(b); v != nil {
			return v.Append(dst, 10)
		}
	case Decimal:
		if v := number(c, b); v != nil {
			return append(dst, v.FloatString(int(b[len(b)-1]))...)
		}
	}
	return fmt.Appendf(dst, "%x", b)
}

// Format returns what AppendText appends.
func Format(c Class, b []byte) string { return string(AppendText(nil, c, b)) }

const secondsPerDay = 86400

// appendInfinity appends "infinity", or "-infinity" if v is negative.
func appendInfinity(dst []byte, v int64) []byte {
	if v < 0 {
		dst = append(dst, '-')
	}
	return append(dst, "infinity"...)
}

// appendFloatText appends the fewest digits that give this number, without an exponent from 0.0001 up
// to 10^16.
func appendFloatText(dst []byte, v float64, bits int) []byte {
	switch {
	case v != v:
		return append(dst, "nan"...)
	case math.IsInf(v, 0):
		if v < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "inf"...)
	}
	if a := math.Abs(v); a != 0 && (a < 1e-4 || a >= 1e16) {
		return strconv.AppendFloat(dst, v, 'e', -1, bits)
	}
	dst = strconv.AppendFloat(dst, v, 'f', -1, bits)
	if v == math.Trunc(v) {
		dst = append(dst, ".0"...)
	}
	return dst
}

// appendBlobText appends bytes. Those that are no plain text are \x and two digits.
func appendBlobText(dst, b []byte) []byte {
	const digits = "0123456789ABCDEF"
	for _, c := range b {
		if c < ' ' || c > '~' || c == '\\' || c == '\'' || c == '"' {
			dst = append(dst, '\\', 'x', digits[c>>4], digits[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

// appendDay appends a day. The year before 1 is 1 BC.
func appendDay(dst []byte, t time.Time) []byte {
	year, month, day := t.Date()
	before := year <= 0
	if before {
		year = 1 - year
	}
	dst = fmt.Appendf(dst, "%04d-%02d-%02d", year, month, day)
	if before {
		dst = append(dst, " (BC)"...)
	}
	return dst
}

// appendClock appends a time of day, without zeros at the end of its fraction.
func appendClock(dst []byte, v int64, u Unit) []byte {
	seconds, rest := int(v/int64(u)), int(v%int64(u))
	dst = fmt.Appendf(dst, "%02d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
	if rest == 0 {
		return dst
	}
	digits := 6
	if u == Nanos {
		digits = 9
	}
	dst = fmt.Appendf(dst, ".%0*d", digits, rest)
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// appendInstantText appends the text of a key of AppendTime or AppendTimestamp. It appends nothing for other bytes.
func appendInstantText(dst []byte, c Class, b []byte) []byte {
	unit := Micros
	if len(b) == 9 && b[0] == tagNanos {
		unit, b = Nanos, b[1:]
	}
	v, ok := int64Of(b)
	switch {
	case !ok:
		return dst
	case c == Time:
		if v < 0 {
			return dst
		}
		return appendClock(dst, v, unit)
	case unit == Micros && (v == math.MaxInt64 || v == -math.MaxInt64):
		return appendInfinity(dst, v)
	}
	perDay := secondsPerDay * int64(unit)
	day, rest := v/perDay, v%perDay
	if rest < 0 {
		day, rest = day-1, rest+perDay
	}
	dst = appendDay(dst, time.Unix(day*secondsPerDay, 0).UTC())
	dst = appendClock(append(dst, ' '), rest, unit)
	if c == TimestampTZ {
		dst = append(dst, "+00"...)
	}
	return dst
}

// appendTimeTZ appends the text of DuckDB's bits: 40 bits of microseconds, and 24 bits of how many
// seconds the offset is below the largest.
func appendTimeTZ(dst []byte, packed uint64) []byte {
	const largest = 16*3600 - 1
	dst = appendClock(dst, int64(packed>>24), Micros)
	offset := largest - int(packed&(1<<24-1))
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	dst = fmt.Appendf(dst, "%c%02d", sign, offset/3600)
	if offset%3600 != 0 {
		dst = fmt.Appendf(dst, ":%02d", offset/60%60)
	}
	if offset%60 != 0 {
		dst = fmt.Appendf(dst, ":%02d", offset%60)
	}
	return dst
}

// appendIntervalText appends microseconds as days and a time, each with its sign.
func appendIntervalText(dst []byte, micros *big.Int) []byte {
	days, rest := new(big.Int).QuoRem(micros, big.NewInt(microsPerDay), new(big.Int))
	if days.Sign() != 0 {
		dst = append(days.Append(dst, 10), " days"...)
		if rest.Sign() == 0 {
			return dst
		}
		dst = append(dst, ' ')
	}
	if rest.Sign() < 0 {
		dst = append(dst, '-')
	}
	return appendClock(dst, rest.Abs(rest).Int64(), Micros)
}
