package counters

import (
	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

func openPlain(n int, body []byte) (words.Table, error) {
	for shift := range uint8(4) {
		if len(body) == n<<shift {
			return words.Table{Shift: shift, B: body}, nil
		}
	}
	return words.Table{}, sketch.Invalidf("%d counters in %d bytes, not in words of 1, 2, 4 or 8", n, len(body))
}

// checkPlain checks that the words of a body are the smallest ones for their counters.
func checkPlain(t words.Table) error {
	if shift := words.Shift(t.Or()); shift != t.Shift {
		return sketch.Invalidf("counters of %d bytes where %d suffice", 1<<t.Shift, 1<<shift)
	}
	return nil
}

// Words returns the counters of a Plain body, in the body's own memory: do not change them. For another
// encoding it returns the zero Table.
func (v *View) Words() words.Table {
	if v.e != Plain {
		return words.Table{}
	}
	return v.plain
}
