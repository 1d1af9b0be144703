package cuckoo

import (
	"math/bits"
	"slices"
)

// savedBits is the earlier value v of n bits, at most 64, from bit at on.
type savedBits struct {
	at, v uint64
	n     uint
}

// note saves the content of bucket i before a change.
func (s *Sketch) note(i uint64) {
	for k := uint(0); k < s.bits; k += 64 {
		at, n := i*uint64(s.bits)+uint64(k), min(64, s.bits-k)
		s.undos = append(s.undos, savedBits{at, s.get(at, n), n})
	}
}

// undo restores all buckets that were noted.
func (s *Sketch) undo() {
	for _, b := range slices.Backward(s.undos) {
		s.put(b.at, b.n, b.v)
	}
	s.undos = s.undos[:0]
}

// kick puts the fingerprint fp into one of its buckets i and j, both of which are full. For that, a
// fingerprint of that bucket moves to its own other bucket: the one whose other bucket is the emptiest.
// If all other buckets are full, any of them moves, and kick goes on with the next bucket. The choice
// depends on fp and the content of the buckets, but not on the order in a bucket. It reports false if
// MaxKicks moves were not enough; the caller must then undo the changes. Fan et al. 2014, algorithm 1,
// moves any fingerprint in each step.
func (s *Sketch) kick(i, j, fp uint64) bool {
	cur := fp & s.base
	salt := (cur + i + j + 1) * 0x9e3779b97f4a7c15 // does not change if i and j are exchanged
	if i, j = min(i, j), max(i, j); salt>>63 != 0 {
		i = j
	}
	if s.narrow && !s.variable {
		return s.kickFixed(i, cur, salt)
	}
	for range s.params.MaxKicks {
		p := s.read(i)
		at, to, least := 0, uint64(0), ^uint64(0)
		for k, q := range p.slice() {
			next := s.other(i, q.v)
			if d := uint64(s.count(next))<<s.f | (q.v^salt>>32)&s.base; d < least {
				at, to, least = k, next, d
			}
		}
		out := p.all[at]
		p.all[at].v = cur
		s.note(i)
		s.write(i, &p)
		if least>>s.f < uint64(s.b) {
			s.note(to)
			s.insert(to, out)
			return true
		}
		i, cur, salt = to, out.v, nextSalt(salt)
	}
	return false
}

// nextSalt returns the salt of the next move.
func nextSalt(salt uint64) uint64 { return salt*0xff51afd7ed558ccd + 0x2545f4914f6cdd1d }

// kickFixed is kick for narrow buckets of fixed length. A filter that is nearly full spends most of its
// time here.
func (s *Sketch) kickFixed(i, cur, salt uint64) bool {
	for range s.params.MaxKicks {
		x := s.word(i) & s.mask
		at, to, room := s.chooseMove(i, x, salt>>32)
		out := x >> at & s.base
		s.note(i)
		s.setWord(i, x^(out^cur)<<at)
		if room {
			s.note(to)
			s.insert(to, fingerprint{out, uint8(s.f)})
			return true
		}
		i, cur, salt = to, out, nextSalt(salt)
	}
	return false
}

// chooseMove selects the fingerprint that moves out of full bucket i, whose word is x. It returns its
// position in the word, the bucket it moves to, and whether that has room. The choice cannot be
// predicted, so there is no branch.
func (t *table) chooseMove(i, x, salt uint64) (at uint, to uint64, room bool) {
	var others [MaxSlots]uint64
	l := t.layout
	f := l.f & 63
	v := x
	for k := range l.b {
		others[k%MaxSlots] = t.other(i, v)
		v >>= f
	}
	least := ^uint64(0)
	v = x
	for k := range l.b {
		// The bit of the lowest empty slot grows with the number of fingerprints. A full bucket gives 64.
		y := l.anyZero(fetch(t.mem, others[k%MaxSlots]*uint64(l.bits)))
		d := (uint64(bits.TrailingZeros64(y))<<f|(v^salt)&l.base)*MaxSlots + uint64(k)
		_, less := bits.Sub64(d, least, 0)
		least ^= (least ^ d) & -less
		v >>= f
	}
	k := least % MaxSlots
	return uint(k) * f, others[k], least/MaxSlots>>f < 64
}
