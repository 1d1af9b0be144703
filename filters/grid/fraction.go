package grid

import (
	"strconv"
	"strings"
)

// mostWhole is the number up to which float64 has all whole numbers.
const mostWhole = 1 << 53

// fraction returns the shortest decimal of res as a fraction in lowest terms. It returns res and 1 if one
// of its parts is above 2^53. res is finite and above 0.
func fraction(res float64) (p, q float64) {
	mantissa, exponent := decimal(res)
	// res is mantissa * 10^exponent, and 10 is 2 * 5. The loops cancel factors 2 and 5.
	twos, fives := exponent, exponent
	for ; twos < 0 && mantissa%2 == 0; twos++ {
		mantissa /= 2
	}
	for ; fives < 0 && mantissa%5 == 0; fives++ {
		mantissa /= 5
	}
	over := uint64(1)
	for _, f := range [...]struct {
		n    int
		base uint64
	}{{twos, 2}, {fives, 5}} {
		for n := f.n; n > 0; n-- {
			if mantissa *= f.base; mantissa > mostWhole {
				return res, 1
			}
		}
		for n := f.n; n < 0; n++ {
			if over *= f.base; over > mostWhole {
				return res, 1
			}
		}
	}
	if mantissa > mostWhole {
		return res, 1
	}
	return float64(mantissa), float64(over)
}

// decimal returns the shortest decimal of res as a whole number and a power of ten.
func decimal(res float64) (mantissa uint64, exponent int) {
	digits, power, _ := strings.Cut(strconv.FormatFloat(res, 'e', -1, 64), "e")
	whole, fraction, _ := strings.Cut(digits, ".")
	mantissa, _ = strconv.ParseUint(whole+fraction, 10, 64) // at most 17 digits
	exponent, _ = strconv.Atoi(power)
	return mantissa, exponent - len(fraction)
}
