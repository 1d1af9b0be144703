package counters

import (
	"github.com/ccbfsql/ccbfsql/filters/internal/words"
)

// In the encodings Elias and Steps, the counters of a group stand one after the other in a prefix code.
// p[0] is the number of the steps code. The record of a group only says where the group begins (section
// 4.5 of the paper).

const codedRecord = 4

// codesOf returns the codes among which an encoding chooses: the number of one is p[0].
func codesOf(e Encoding) []steps {
	if e == Elias {
		return eliasCodes
	}
	return stepCodes
}

// chooseCode returns the code in which all counters take the fewest bits. If there are several such codes, it
// returns the first. It first tallies small counters, which are the most frequent.
func chooseCode(src Source, codes []steps) (best params) {
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
	for i := range codes {
		for v, n := range tally {
			sizes[i] += n * codes[i].size(uint64(v))
		}
		if sizes[i] < sizes[best[0]] {
			best[0] = uint8(i)
		}
	}
	return best
}

func (v *View) unpackCoded(at int, dst []uint64) {
	code := &codesOf(v.e)[v.p[0]]
	for len(dst) > 0 {
		pos := code.skip(v.body, v.pos(at/blockLen), at%blockLen)
		n := min(blockLen-at%blockLen, len(dst))
		for k := range n {
			dst[k], pos = code.read(v.body, pos)
		}
		at, dst = at+n, dst[n:]
	}
}
