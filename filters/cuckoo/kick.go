package cuckoo

import (
	"math/bits"
	"slices"
)

// savedBucket is the earlier content of a bucket.
type savedBucket struct {
	i uint64
	content
}

// journal is a list of changed buckets, by which the changes are undone.
type journal []savedBucket

// note adds the content of bucket i to the journal u, before a change.
func (t *table) note(u *journal, i uint64) { *u = append(*u, savedBucket{i, t.load(i)}) }

// undo restores all buckets and empties the journal.
func (t *table) undo(u *journal) {
	for _, s := range slices.Backward(*u) {
		t.store(s.i, &s.content)
	}
	*u = (*u)[:0]
}

// kick puts the fingerprint fp into one of its buckets i and j, both of which are full. For that, a
// fingerprint of that bucket moves to its own other bucket: the one whose other bucket is the emptiest.
// If all other buckets are full, any of them moves, and kick goes on with the next bucket. The choice
// depends on fp and the content of the buckets, but not on the order in a bucket. It reports false if
// maxKicks moves were not enough; the caller must then undo the changes. Fan et al. 2014, algorithm 1, moves any fingerprint in each step.
func (t *table) kick(u *journal, i, j, fp uint64) bool {
	cur := fp & t.base
	salt := (cur + i + j + 1) * 0x9e3779b97f4a7c15 // does not change if i and j are exchanged
	if i, j = min(i, j), max(i, j); salt>>63 != 0 {
		i = j
	}
	if t.words {
		return t.kickWords(u, i, cur, salt)
	}
	for range t.maxKicks {
		p := t.read(i) // the bucket is full, so every fingerprint has f bits
		at, to, least := 0, uint64(0), ^uint64(0)
		for k, q := range p.slice() {
			next := t.other(i, q.v)
			if d := uint64(t.count(next))<<t.f | (q.v^salt>>32)&t.base; d < least {
				at, to, least = k, next, d
			}
		}
		out := p.all[at].v
		p.all[at].v = cur
		t.note(u, i)
		t.write(i, &p)
		if least>>t.f < uint64(t.b) {
			t.note(u, to)
			t.insert(to, fingerprint{out, uint8(t.f)})
			return true
		}
		i, cur, salt = to, out, nextSalt(salt)
	}
	return false
}

// nextSalt returns the salt of the next move.
func nextSalt(salt uint64) uint64 { return salt*0xff51afd7ed558ccd + 0x2545f4914f6cdd1d }

// kickWords is kick for buckets that are words. A filter that is nearly full spends most of its time here.
func (t *table) kickWords(u *journal, i, cur, salt uint64) bool {
	for range t.maxKicks {
		x := t.word(i) & t.mask
		at, to, room := t.chooseMove(i, x, salt>>32)
		out := x >> at & t.base
		t.note(u, i)
		t.setWord(i, x^(out^cur)<<at)
		if room {
			t.note(u, to)
			t.insert(to, fingerprint{out, uint8(t.f)})
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
