package cuckoo

import (
	"encoding/binary"
	"math/bits"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// This file finds the buckets of a batch of keys, and looks the keys up.

const (
	// batchLen is the number of keys whose buckets are found together.
	batchLen = 128
	// outOfCache is the number of bytes of a table from which buckets are prefetched.
	outOfCache = 1 << 18
)

// batch holds the buckets and fingerprints of a batch of keys, and scratch memory.
type batch struct {
	i, j, fp     [batchLen]uint64
	lanes, words [batchLen]uint64
	keys         [batchLen]uint8
	offsets      [2 * batchLen]uint32 // byte offsets of buckets in the body, which has at most 2^30 bytes
}

// locate finds the buckets of a batch of keys.
func (t *table) locate(b *batch, h1s, h2s []uint64) {
	n := min(len(h1s), batchLen)
	h2s = h2s[:n]
	is, js, fps := b.i[:n], b.j[:n], b.fp[:n]
	for k, h1 := range h1s[:n] {
		i, fp := t.first(h1), t.fingerprintOf(h2s[k])
		is[k], js[k], fps[k] = i, t.other(i, fp), fp
	}
}

// prefetch prefetches the buckets of the first n fingerprints of a batch, which are added or counted next.
// That takes so many steps for a key that it would wait for one bucket after the other. Lookups do not.
func (t *table) prefetch(b *batch, n int) {
	if len(t.mem) < outOfCache {
		return
	}
	n = min(n, batchLen)
	js, offsets, w := b.j[:n], b.offsets[:2*n], uint64(t.bits)
	for k, i := range b.i[:n] {
		offsets[k], offsets[n+k] = uint32(i*w>>3), uint32(js[k]*w>>3)
	}
	simd.Prefetch(unsafe.Pointer(&t.mem[0]), offsets)
}

// fetch returns the 8 bytes from bit at on.
func fetch(mem []byte, at uint64) uint64 {
	return binary.LittleEndian.Uint64(mem[at>>3:at>>3+8:at>>3+8]) >> (at & 7)
}

// fetchTwo is fetch for two buckets. Most begin at a byte.
func (l *layout) fetchTwo(mem []byte, at, to uint64) (x, y uint64) {
	x, y = binary.LittleEndian.Uint64(mem[at>>3:at>>3+8]), binary.LittleEndian.Uint64(mem[to>>3:to>>3+8])
	if l.bits&7 != 0 {
		x, y = x>>(at&7), y>>(to&7)
	}
	return x, y
}

// foundBatch is found for the keys of a batch.
func (t *table) foundBatch(dst []bool, b *batch) {
	if !t.narrow {
		for k := range dst {
			dst[k] = t.found(b.i[k], b.j[k], b.fp[k])
		}
		return
	}
	if t.variable {
		t.foundVariable(dst, b)
		return
	}
	mem, w, ones, highs := t.mem, uint64(t.bits), t.ones, t.highs
	is, js, fps := b.i[:len(dst)], b.j[:len(dst)], b.fp[:len(dst)]
	for k, fp := range fps {
		pattern := fp * ones
		x, y := fetch(mem, is[k]*w)^pattern, fetch(mem, js[k]*w)^pattern
		dst[k] = ((x-ones)&^x|(y-ones)&^y)&highs != 0
	}
}

// foundVariable sets dst[k] to whether the table has key k of b, for narrow buckets of variable length.
func (t *table) foundVariable(dst []bool, b *batch) {
	mem, w := t.mem, uint64(t.bits)
	ones, highs, laneMask := t.ones, t.highs, t.laneMask
	is, js, fps := b.i[:len(dst)], b.j[:len(dst)], b.fp[:len(dst)]
	// Few absent keys match the low bits of a fingerprint in their buckets, so the branch p|q != 0 is
	// predictable. Which of the two buckets matches is not predictable, so masks select it.
	lanes, words, keys := b.lanes[:], b.words[:], b.keys[:]
	n := uint(0)
	for k, fp := range fps {
		x, y := fetch(mem, is[k]*w), fetch(mem, js[k]*w)
		pattern := fp & laneMask * ones
		p, q := x^pattern, y^pattern
		p, q = (p-ones)&^p&highs, (q-ones)&^q&highs
		dst[k] = false
		if p|q != 0 {
			_, none := bits.Sub64(p, 1, 0)
			second := -none // all ones where p is 0
			lanes[n%batchLen], words[n%batchLen], keys[n%batchLen] = p|q&second, x^(x^y)&second, uint8(k)
			n++
		}
	}
	lane, laneOf, below := t.lane&63, &t.laneOf, (t.codeShift-1)&63
	codes, fields := t.codeMask<<1|1, &t.field
	open := uint(0)
	for m := range min(n, batchLen) {
		k, v := keys[m], words[m]
		f := &fields[(v>>below&codes<<3|uint64(laneOf[bits.TrailingZeros64(lanes[m])&63]))&(32*MaxSlots-1)]
		differ := (v>>(f.start&63)^fps[k]>>lane)&f.mask | uint64(f.decoy)
		dst[k] = differ == 0
		if differ != 0 {
			keys[open%batchLen] = k
			open++
		}
	}
	// The last loop compares only the first matching lane of one bucket. It did not decide the keys in
	// keys[:open], so both of their buckets are searched in full.
	for _, k := range keys[:open] {
		dst[k] = t.found(is[k], js[k], fps[k])
	}
}
