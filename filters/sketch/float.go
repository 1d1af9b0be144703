package sketch

import (
	"encoding/binary"
	"math"
)

// A number with a fraction is mostly a short decimal one: 0.001, 2.5. It is written as a mantissa m and
// a number of decimal places: m * 2^placesBits + places. The number is the float64 nearest to m /
// 10^places. No two decimals of up to 15 digits have the same float64. m and 10^places are float64s
// themselves, so one division, which IEEE 754 rounds correctly, restores the number.
const (
	placesBits  = 5
	maxMantissa = 1_000_000_000_000_000 // 10^15
	// inFull stands before the 8 bytes of a number that is no short decimal. No decimal has this value.
	inFull = 1<<placesBits - 1
)

// powers holds the powers of ten that a float64 holds exactly.
var powers = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// AppendFloat appends a number in its only spelling.
func AppendFloat(dst []byte, v float64) []byte {
	if u, ok := decimal(v); ok {
		return binary.AppendUvarint(dst, u)
	}
	return binary.LittleEndian.AppendUint64(append(dst, inFull), math.Float64bits(v))
}

// decimal returns v as m * 2^placesBits + places, with the fewest places. It returns false if v is no
// short decimal number.
func decimal(v float64) (uint64, bool) {
	if !(v >= 0 && v < maxMantissa) || math.Signbit(v) {
		return 0, false
	}
	for places, power := range powers {
		// Rounding changes the product by less than 1/4. So if a mantissa exists, m is that mantissa.
		m := math.Round(v * power)
		if m >= maxMantissa {
			break
		}
		if m/power == v {
			return uint64(m)<<placesBits | uint64(places), true
		}
	}
	return 0, false
}
