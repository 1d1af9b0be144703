package counters

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// appendWords appends the counters of src in the smallest words that hold them.
func appendWords(dst []byte, src Source) []byte {
	all := uint64(0)
	each(src, func(_ int, group []uint64) {
		for _, v := range group {
			all |= v
		}
	})
	shift := words.Shift(all)
	at, n := len(dst), src.Len()
	dst = slices.Grow(dst, n<<shift)[:at+n<<shift]
	w := words.Table{Shift: shift, B: dst[at:]}
	each(src, func(g int, group []uint64) {
		for k, v := range group {
			w.Set(g*blockLen+k, v)
		}
	})
	return dst
}

func openPlain(n int, body []byte) (words.Table, error) {
	for shift := range uint8(4) {
		if len(body) == n<<shift {
			return words.Table{Shift: shift, B: body}, nil
		}
	}
	return words.Table{}, sketch.Invalidf("%d counters in %d bytes, not in words of 1, 2, 4 or 8", n, len(body))
}

// checkPlain holds the words of a body against their counters: the smallest ones.
func checkPlain(t words.Table) error {
	if shift := words.Shift(t.Or()); shift != t.Shift {
		return sketch.Invalidf("counters of %d bytes where %d suffice", 1<<t.Shift, 1<<shift)
	}
	return nil
}

// Words are those of a Plain body, to be read; B is nil for another encoding.
func (v *View) Words() words.Table {
	if v.e != Plain {
		return words.Table{}
	}
	return v.plain
}
