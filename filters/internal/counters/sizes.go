package counters

// Parts says how many bits of a string-array index each use takes (Cohen and Matias 2003, figure 14). It
// omits the lookup table: one table of 160 Kbit serves all arrays.
type Parts struct {
	Groups   uint64 // where groups begin, which the paper calls the first coarse offsets.
	Chunks   uint64 // where chunks begin in their groups, and which chunks have an offset vector.
	Lengths  uint64 // codes for the lengths of counters in chunks.
	Vectors  uint64 // offset vectors of chunks.
	Counters uint64 // the counters
	Slack    uint64 // bits that are free.
}

// Base returns the bits of the base array: counters and slack.
func (p Parts) Base() uint64 { return p.Counters + p.Slack }

// Total returns the sum of all parts.
func (p Parts) Total() uint64 { return p.Base() + p.Groups + p.Chunks + p.Lengths + p.Vectors }

// Parts returns the bits of the array by their use.
func (a *Array) Parts() Parts {
	p := Parts{
		Groups: uint64(a.groups) * 32,
		Chunks: uint64(a.groups) * (indexRecord*8 - 32),
	}
	var buf [chunkLen]uint64
	for c := range uint((a.n + chunkLen - 1) / chunkLen) {
		pos, vector := a.chunk(c)
		size := uint64(a.readChunk(c, &buf) - pos)
		head := uint64(chunkLen * a.p[1])
		if vector {
			head = vectorBits
			p.Vectors += head
		} else {
			p.Lengths += head
		}
		p.Counters += size - head
	}
	p.Slack = uint64(a.Bytes())*8 - p.Total()
	return p
}
