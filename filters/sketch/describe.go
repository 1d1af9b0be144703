package sketch

import (
	"fmt"
	"strconv"
)

// Describe returns a few words about a BLOB, for people who look at a table: "ccbf exact, 12,345 cells,
// 14 KB". It returns false for a BLOB that is not a sketch of these families. It does not check the
// body, so the words of a damaged sketch may be wrong.
func Describe(families []Family, blob []byte) (string, bool) {
	b, err := Parse(blob)
	if err != nil {
		return "", false
	}
	for _, f := range families {
		if f.ID != b.Family || f.Describe == nil {
			continue
		}
		words, err := f.Describe(blob)
		if err != nil {
			return "", false
		}
		return fmt.Sprintf("%v %s, %s", f.ID, words, size(len(blob))), true
	}
	return "", false
}

// size formats a number of bytes with two significant digits.
func size(n int) string {
	v, unit := float64(n), 0
	for v >= 999.5 {
		v, unit = v/1000, unit+1
	}
	digits := 0
	if unit > 0 && v < 9.95 {
		digits = 1
	}
	return strconv.FormatFloat(v, 'f', digits, 64) + []string{" B", " KB", " MB", " GB", " TB", " PB", " EB"}[unit]
}

// Number formats a number with commas.
func Number(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Count formats a number of things: "1 cell", "2 cells".
func Count(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Number(n) + " " + thing + "s"
}

// Added formats a total: ", 5 added". It is empty if the total is not known.
func Added(total uint64, known bool) string {
	if !known {
		return ""
	}
	return ", " + Number(total) + " added"
}
