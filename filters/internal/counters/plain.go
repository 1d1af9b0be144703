package counters

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// plain keeps counters as little-endian words of the same size, in memory as in a
// BLOB. The words grow when a counter needs it; only Append makes them smaller.
type plain struct {
	n int
	words.Table
}

func newPlain(n int) *plain {
	return &plain{n, words.Make(0, n)}
}

func (p *plain) Encoding() Encoding { return Plain }
func (p *plain) Len() int           { return p.n }
func (p *plain) Bytes() int         { return len(p.B) }
func (p *plain) At(i int) uint64    { return p.Table.At(i) }

func (p *plain) Unpack(at int, dst []uint64) {
	checkRange(at, len(dst), p.n)
	p.Table.Unpack(at, dst)
}

func (p *plain) Set(i int, v uint64) {
	if v>>(8<<p.Shift) != 0 {
		p.widen(words.Shift(v))
	}
	p.Table.Set(i, v)
}

func (p *plain) Update(f func(at int, block []uint64)) {
	var block [blockLen]uint64
	for at := 0; at < p.n; at += blockLen {
		vs := block[:min(blockLen, p.n-at)]
		p.Table.Unpack(at, vs)
		f(at, vs)
		all := uint64(0)
		for _, v := range vs {
			all |= v
		}
		if shift := words.Shift(all); shift > p.Shift {
			p.widen(shift)
		}
		for k, v := range vs {
			p.Table.Set(at+k, v)
		}
	}
}

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

func (p *plain) widen(shift uint8) { p.Table = p.Resize(shift) }

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
