package grid

import "strconv"

// mostWhole is the number up to which float64 has all whole numbers.
const mostWhole = 1 << 53

// fraction returns the shortest decimal of res as a fraction in lowest terms. It returns res and 1 if one
// of its parts is above 2^53. res is finite and above 0.
func fraction(res float64) (p, q float64) {
	var buf [32]byte
	mantissa, exponent := decimal(strconv.AppendFloat(buf[:0], res, 'e', -1, 64))
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

// decimal reads d.ddde±dd as a whole number and a power of ten.
func decimal(text []byte) (mantissa uint64, exponent int) {
	i, point := 0, 0
	for ; text[i] != 'e'; i++ {
		if text[i] == '.' {
			point = i + 1
			continue
		}
		mantissa = 10*mantissa + uint64(text[i]-'0')
	}
	exponent, _ = strconv.Atoi(string(text[i+1:])) // FormatFloat wrote it
	if point > 0 {
		exponent -= i - point
	}
	return mantissa, exponent
}
