package grid

import (
	"math/big"
	"strconv"
)

// mostWhole is the number up to which float64 has all whole numbers.
const mostWhole = 1 << 53

// fraction returns the shortest decimal of res as a fraction in lowest terms. It returns res and 1 if one
// of its parts is above 2^53. res is finite and above 0.
func fraction(res float64) (p, q float64) {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(res, 'e', -1, 64)) // a Rat is in lowest terms
	most := big.NewInt(mostWhole)
	if r.Num().Cmp(most) > 0 || r.Denom().Cmp(most) > 0 {
		return res, 1
	}
	return float64(r.Num().Uint64()), float64(r.Denom().Uint64())
}
