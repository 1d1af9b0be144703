package counters

import "math/bits"

// LogBits is how many bits counters take without anything that tells one from
// the next: the sum of ceil(log2(c+1)), the paper's bound (figure 10).
func LogBits(counters []uint64) (n uint64) {
	for _, v := range counters {
		n += uint64(bits.Len64(v))
	}
	return n
}

// EliasBits is how many bits counters take in the Elias delta code of one more
// than they are, without the directory.
func EliasBits(counters []uint64) uint64 { return StepsBits(elias, counters) }

// StepsBits is likewise for a steps code, any list of widths up to 63.
func StepsBits(code []uint8, counters []uint64) (n uint64) {
	for _, v := range counters {
		n += uint64(steps(code).size(v))
	}
	return n
}

// StepCodes are the codes that Steps chooses from.
func StepCodes() [][]uint8 {
	codes := make([][]uint8, len(stepCodes))
	for i, s := range stepCodes {
		codes[i] = append(codes[i], s...)
	}
	return codes
}

// Parts are the bits of a string-array index by what they are for (figure 14).
// The lookup table is not among them: there is one, of 160 Kbit, for all.
type Parts struct {
	Groups   uint64 // where groups begin: the paper's first coarse offsets
	Chunks   uint64 // where chunks begin in them, and which have an offset vector
	Lengths  uint64 // codes of counters' lengths in chunks
	Vectors  uint64 // offset vectors of chunks
	Counters uint64 // the counters
	Slack    uint64
}

// Base is the base array: counters and slack.
func (p Parts) Base() uint64 { return p.Counters + p.Slack }

// Total is all parts.
func (p Parts) Total() uint64 { return p.Base() + p.Groups + p.Chunks + p.Lengths + p.Vectors }

// PartsOf takes an array apart; false where it is no Index.
func PartsOf(a Array) (Parts, bool) {
	x, ok := a.(*index)
	if !ok {
		return Parts{}, false
	}
	p := Parts{
		Groups: uint64(x.groups) * 32,
		Chunks: uint64(x.groups) * (indexRecord*8 - 32),
	}
	var buf [chunkLen]uint64
	for c := range uint((x.n + chunkLen - 1) / chunkLen) {
		pos, vector := x.chunk(c)
		size := uint64(x.readChunk(c, &buf) - pos)
		head := uint64(chunkLen * x.p[1])
		if vector {
			head = vectorBits
			p.Vectors += head
		} else {
			p.Lengths += head
		}
		p.Counters += size - head
	}
	p.Slack = uint64(x.Bytes())*8 - p.Total()
	return p, true
}
