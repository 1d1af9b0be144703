package counters

// Words are the little-endian words, of 1 << shift bytes each, in which a
// Plain array keeps its counters, for loops over many of them; nil for another
// encoding. They may be read and written; a word keeps its size. Set and
// Update can put other words in their place.
func Words(a Array) (words []byte, shift uint8) {
	if p, ok := a.(*plain); ok {
		return p.b, p.shift
	}
	return nil, 0
}

// Words are those of a Plain body, to be read; nil for another encoding.
func (v *View) Words() (words []byte, shift uint8) {
	if v.e != Plain {
		return nil, 0
	}
	return v.plain.b, v.plain.shift
}
