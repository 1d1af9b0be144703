package cuckoo

import (
	"encoding/binary"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// This file finds and prefetches the buckets of a batch of keys, and looks the keys up.

const (
	// batchLen is the number of keys whose buckets are prefetched together.
	batchLen = 128
	// outOfCache is the number of bytes of a table from which buckets are prefetched.
	outOfCache = 1 << 18
)

// batch holds the buckets and fingerprints of a batch of keys.
type batch struct {
	i, j, fp [batchLen]uint64
	offsets  [2 * batchLen]uint32 // byte offsets of buckets in the body, which has at most 2^30 bytes
}

// locate finds the buckets of a batch of keys, and prefetches them.
func (t *table) locate(b *batch, h1s, h2s []uint64) {
	t.bothOf(b, h1s, h2s)
	t.fetchBoth(b, len(h1s))
}

// bothOf finds the buckets of a batch of keys.
func (t *table) bothOf(b *batch, h1s, h2s []uint64) {
	n := min(len(h1s), batchLen)
	h2s = h2s[:n]
	is, js, fps := b.i[:n], b.j[:n], b.fp[:n]
	for k, h1 := range h1s[:n] {
		i, fp := t.first(h1), t.fingerprintOf(h2s[k])
		is[k], js[k], fps[k] = i, t.other(i, fp), fp
	}
}

// locateOthers finds the other buckets of the first n fingerprints of a batch, and prefetches both.
func (t *table) locateOthers(b *batch, n int) {
	n = min(n, batchLen)
	is, js := b.i[:n], b.j[:n]
	for k, fp := range b.fp[:n] {
		js[k] = t.other(is[k], fp)
	}
	t.fetchBoth(b, n)
}

// fetchBoth prefetches the buckets of the first n fingerprints of a batch.
func (t *table) fetchBoth(b *batch, n int) {
	if len(t.mem) < outOfCache {
		return
	}
	n = min(n, batchLen)
	js := b.j[:n]
	w := uint64(t.bits)
	offsets := b.offsets[:2*n]
	for k, i := range b.i[:n] {
		offsets[k] = uint32(i * w >> 3)
		offsets[n+k] = uint32(js[k] * w >> 3)
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
	if !t.words {
		for k := range dst {
			dst[k] = t.found(b.i[k], b.j[k], b.fp[k])
		}
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
