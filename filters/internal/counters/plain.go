package counters

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// plain keeps counters as little-endian words of the same size, in memory as in a
// BLOB. The words grow when a counter needs it; only Append makes them smaller.
type plain struct {
	n int
	plainView
}

// plainView is what reads such words. Their size follows from the number of
// bytes and the number of counters.
type plainView struct {
	shift uint8 // a word has 1 << shift bytes
	b     []byte
}

// shiftOf is the shift of the smallest word that holds v.
func shiftOf(v uint64) uint8 {
	return uint8(bits.Len(uint(max(bits.Len64(v)-1, 0)) / 8))
}

func newPlain(n int) *plain {
	return &plain{n, plainView{0, make([]byte, n)}}
}

func (p *plain) Encoding() Encoding { return Plain }
func (p *plain) Len() int           { return p.n }
func (p *plain) Bytes() int         { return len(p.b) }
func (p *plain) At(i int) uint64    { return p.at(i) }

func (p *plain) Unpack(at int, dst []uint64) {
	checkRange(at, len(dst), p.n)
	p.unpack(at, dst)
}

func (p *plain) Set(i int, v uint64) {
	if v>>(8<<p.shift) != 0 {
		p.widen(shiftOf(v))
	}
	p.set(i, v)
}

func (p *plain) Update(f func(at int, block []uint64)) {
	var block [blockLen]uint64
	for at := 0; at < p.n; at += blockLen {
		vs := block[:min(blockLen, p.n-at)]
		p.unpack(at, vs)
		f(at, vs)
		all := uint64(0)
		for _, v := range vs {
			all |= v
		}
		if shift := shiftOf(all); shift > p.shift {
			p.widen(shift)
		}
		for k, v := range vs {
			p.set(at+k, v)
		}
	}
}

func (p *plain) Append(dst []byte) []byte {
	shift := shiftOf(p.or())
	if shift == p.shift {
		return append(dst, p.b...)
	}
	return appendWords(dst, p, shift)
}

// appendWords appends the counters of src in words that hold them.
func appendWords(dst []byte, src Source, shift uint8) []byte {
	at, n := len(dst), src.Len()
	dst = slices.Grow(dst, n<<shift)[:at+n<<shift]
	w := plainView{shift, dst[at:]}
	each(src, func(g int, group []uint64) {
		for k, v := range group {
			w.set(g*blockLen+k, v)
		}
	})
	return dst
}

func (p *plain) widen(shift uint8) {
	w := plainView{shift, make([]byte, p.n<<shift)}
	p.resize(w)
	p.plainView = w
}

// resize copies the counters to words of another size, which hold them.
func (p *plain) resize(w plainView) {
	for i := range p.n {
		w.set(i, p.at(i))
	}
}

func openPlain(n int, body []byte) (plainView, error) {
	for shift := range uint8(4) {
		if len(body) == n<<shift {
			return plainView{shift, body}, nil
		}
	}
	return plainView{}, sketch.Invalidf("%d counters in %d bytes, not in words of 1, 2, 4 or 8", n, len(body))
}

func (p plainView) decode(n int) *plain {
	return &plain{n, plainView{p.shift, slices.Clone(p.b)}}
}

func (p plainView) check() error {
	if shift := shiftOf(p.or()); shift != p.shift {
		return sketch.Invalidf("counters of %d bytes where %d suffice", 1<<p.shift, 1<<shift)
	}
	return nil
}

func (p plainView) at(i int) uint64 {
	switch p.shift {
	case 0:
		return uint64(p.b[i])
	case 1:
		return uint64(binary.LittleEndian.Uint16(p.b[i*2 : i*2+2]))
	case 2:
		return uint64(binary.LittleEndian.Uint32(p.b[i*4 : i*4+4]))
	}
	return binary.LittleEndian.Uint64(p.b[i*8 : i*8+8])
}

// set makes word i v, which fits.
func (p plainView) set(i int, v uint64) {
	switch p.shift {
	case 0:
		p.b[i] = byte(v)
	case 1:
		binary.LittleEndian.PutUint16(p.b[i*2:i*2+2], uint16(v))
	case 2:
		binary.LittleEndian.PutUint32(p.b[i*4:i*4+4], uint32(v))
	default:
		binary.LittleEndian.PutUint64(p.b[i*8:i*8+8], v)
	}
}

func (p plainView) unpack(at int, dst []uint64) {
	switch p.shift {
	case 0:
		for k, c := range p.b[at:][:len(dst)] {
			dst[k] = uint64(c)
		}
	default:
		for k := range dst {
			dst[k] = p.at(at + k)
		}
	}
}

// or is a number as long as the longest counter.
func (p plainView) or() uint64 {
	var all uint64
	rest := p.b
	for ; len(rest) >= 8; rest = rest[8:] {
		all |= binary.LittleEndian.Uint64(rest)
	}
	for i, c := range rest {
		all |= uint64(c) << (8 * i)
	}
	for lane := 32; lane >= 8<<p.shift; lane /= 2 {
		all |= all >> lane
	}
	return all & (^uint64(0) >> (64 - 8<<p.shift))
}
