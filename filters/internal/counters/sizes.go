package counters

// Parts says how many bits of a string-array index each use takes (Cohen and Matias 2003, figure 14). It
// omits the head, and the lookup table: one table of 160 Kbit serves all indexes.
type Parts struct {
	Groups   uint64 // where groups begin, which the paper calls the first coarse offsets.
	Chunks   uint64 // where chunks begin in their groups, and which chunks have an offset vector.
	Lengths  uint64 // codes for the lengths of counters in chunks.
	Vectors  uint64 // offset vectors of chunks.
	Counters uint64 // the counters, with the bits that fill the last byte of each group.
}

// Total returns the sum of all parts.
func (p Parts) Total() uint64 { return p.Groups + p.Chunks + p.Lengths + p.Vectors + p.Counters }

// Parts returns the bits of a string-array index by their use.
func (v *View) Parts() Parts {
	groups := uint64(groupsOf(v.n))
	p := Parts{Groups: groups * 32, Chunks: groups * (indexRecord*8 - 32)}
	for c := range uint(v.n+chunkLen-1) / chunkLen {
		if _, vector := v.chunk(c); vector {
			p.Vectors += vectorBits
		} else {
			p.Lengths += uint64(chunkLen * v.p[1])
		}
	}
	p.Counters = uint64(len(v.body)-headSize)*8 - p.Total()
	return p
}
