package counters

import "github.com/ccbfsql/ccbfsql/filters/internal/words"

// codedCodec stores the counters of a group one after the other in a prefix code: the Elias code or a
// steps code. p[0] is the number of the steps code. The record of a group only says where the group
// begins (section 4.5 of the paper).
type codedCodec struct{ e Encoding }

const codedRecord = 4

func (c codedCodec) record() int { return codedRecord }

func (c codedCodec) valid(p params) bool {
	return p == params{} || c.e == Steps && int(p[0]) < len(stepCodes) && p[1] == 0
}

// code returns the code with these parameters.
func (c codedCodec) code(p params) *steps {
	if c.e == Elias {
		return &elias
	}
	return &stepCodes[p[0]]
}

// choose returns the code in which all counters take the fewest bits. If there are several such codes, it
// takes the first.
func (c codedCodec) choose(src Source) choice {
	codes := stepCodes[:]
	if c.e == Elias {
		codes = []steps{elias}
	}
	best := choice{most: ^uint(0)}
	for i, n := range codeSizes(src, codes) {
		if n < best.most {
			best = choice{p: params{uint8(i)}, most: n}
		}
	}
	return best
}

// codeSizes returns, for each code, how many bits all counters take. It first tallies small counters,
// which are the most frequent.
func codeSizes(src Source, codes []steps) []uint {
	var tally [256]uint
	sizes := make([]uint, len(codes))
	for _, group := range words.Blocks(src) {
		for _, v := range group {
			if v < uint64(len(tally)) {
				tally[v]++
				continue
			}
			for i := range codes {
				sizes[i] += codes[i].size(v)
			}
		}
	}
	for v, n := range tally {
		for i := range codes {
			sizes[i] += n * codes[i].size(uint64(v))
		}
	}
	return sizes
}

func (c codedCodec) size(p params, group []uint64) (n uint) {
	s := c.code(p)
	for _, v := range group {
		n += s.size(v)
	}
	return n
}

func (c codedCodec) put(s *store, _ int, pos uint, group []uint64) uint {
	code, w := c.code(s.p), newWriter(s.mem, pos)
	for _, v := range group {
		code.put(&w, v)
	}
	return w.flush()
}

// find returns the bit position of counter i.
func (c codedCodec) find(s *store, i int) uint {
	return c.code(s.p).skip(s.mem, s.pos(i/blockLen), i%blockLen)
}

func (c codedCodec) at(s *store, i int) uint64 {
	v, _ := c.code(s.p).read(s.mem, c.find(s, i))
	return v
}

func (c codedCodec) unpack(s *store, at int, dst []uint64) {
	code := c.code(s.p)
	for len(dst) > 0 {
		pos := c.find(s, at)
		n := min(blockLen-at%blockLen, len(dst))
		for k := range n {
			dst[k], pos = code.read(s.mem, pos)
		}
		at, dst = at+n, dst[n:]
	}
}
