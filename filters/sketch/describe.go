package sketch

import (
	"fmt"
	"math"
	"strings"

	"github.com/dustin/go-humanize"
)

// Describe says in a few words what a BLOB is, for a person who looks at a
// table: "ccbf exact, 12,345 cells, 14 KB". It answers false for a BLOB that is
// no sketch of these families. The body is not checked: the words of a damaged
// sketch may be wrong.
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
		size := strings.ToUpper(humanize.Bytes(uint64(len(blob))))
		return fmt.Sprintf("%v %s, %s", f.ID, words, size), true
	}
	return "", false
}

// Number writes a number as Describe does, with commas.
func Number(n uint64) string {
	return humanize.Comma(int64(min(n, math.MaxInt64)))
}

// Count is a number of things: "1 cell", "2 cells".
func Count(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Number(n) + " " + thing + "s"
}

// Added are the words for a total, empty where it is not known.
func Added(total uint64, known bool) string {
	if !known {
		return ""
	}
	return ", " + Number(total) + " added"
}
