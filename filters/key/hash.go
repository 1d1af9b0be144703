// Package key turns values into bytes and bytes into hashes. Both are part of the BLOB format
// (docs/FORMAT.md): they never change within a hash version.
package key

import (
	"encoding/binary"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
	"github.com/twmb/murmur3"
)

// Hash returns MurmurHash3 x64 128 of a key's bytes. The seed is in both halves of its state (see
// state). The second half of the result is made odd. So the positions h1 + i*h2 of one key differ in
// every array whose size is a power of two.
func Hash(seed uint64, b []byte) (h1, h2 uint64) {
	// Most keys are numbers (8 bytes) and cells (16 bytes). For these, calls of the general code would
	// take longer than the hash itself.
	switch len(b) {
	case 8:
		return hashFrom(start(seed), binary.LittleEndian.Uint64(b))
	case 16:
		return HashCell(seed, int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint64(b[8:])))
	}
	if len(b) < 16 {
		seed = state(seed)
	}
	if seed == 0 && len(b) == 0 {
		seed = emptySeed
	}
	h1, h2 = murmur3.SeedSum128(seed, seed, b)
	return h1, h2 | 1
}

// state returns the initial state of the hash of a key below 16 bytes. It is the seed, unless that can
// be the key's length. A key of less than 16 bytes may change one half of the state only, and its
// length is combined with both halves. The other half would then be 0 and h2 would follow from h1.
func state(seed uint64) uint64 {
	if seed-1 < 15 {
		return Mix(seed)
	}
	return seed
}

// emptySeed replaces the seed 0 for the key of no bytes. MurmurHash3 hashes that to 0 with the seed 0,
// and all positions, multiples of h2, would be the first one.
const emptySeed = 16

// Spread is the ratio between the steps of a key's positions in filters with a low rate of false
// positives. Position i comes from the highest bits of h1 + Spread^i*h2. With equal steps (double
// hashing), all positions of two keys coincide with a probability of about 1/m^2, whatever their
// number. Kirsch and Mitzenmacher 2006, "Less Hashing, Same Performance", sections 4 and 5; Dillinger
// and Manolios 2004, "Bloom Filters in Probabilistic Verification", section 5. The number is a
// multiplier for congruential generators with good spectral figures: Steele and Vigna 2021, table 2.
const Spread = 0xd1342543de82ef95

// Hashes writes the Hash of every key to h1s and h2s, which are at least as long as keys. The methods
// AddHashes, CountHashes and the like of all families take them, a few hundred keys at once.
func Hashes(seed uint64, keys [][]byte, h1s, h2s []uint64) {
	h1s = h1s[:len(keys)]
	h2s = h2s[:len(keys)]
	var vs [hashBatch]uint64
	for i := 0; i < len(keys); {
		if len(keys[i]) != 8 {
			h1s[i], h2s[i] = Hash(seed, keys[i])
			i++
			continue
		}
		n := eights(vs[:], keys[i:])
		HashUint64s(seed, vs[:n], h1s[i:], h2s[i:])
		i += n
	}
}

// hashBatch is the number of keys that are read before the first is hashed. Reads without a hash
// between them wait for the memory of many more keys at once.
const hashBatch = 128

// eights reads keys up to the first that has not 8 bytes, and returns their number.
func eights(dst []uint64, keys [][]byte) int {
	for i := range min(len(dst), len(keys)) {
		b := keys[i]
		if len(b) != 8 {
			return i
		}
		dst[i] = binary.LittleEndian.Uint64(b)
	}
	return min(len(dst), len(keys))
}

const (
	c1 = 0x87c37b91114253d5
	c2 = 0x4cf5ad432745937f
)

// HashCell is Hash for the 16 little-endian bytes of a cell, without a buffer.
func HashCell(seed uint64, x, y int64) (h1, h2 uint64) {
	h1, h2 = block(seed, seed, uint64(x), uint64(y))
	return simd.Finish(h1, h2, 16)
}

// HashSquare is Hash for the bytes that AppendCell writes for the square (x, y) of a level above the
// cells, from 1 to 255.
func HashSquare(seed uint64, x, y int64, level uint8) (h1, h2 uint64) {
	h1, h2 = block(seed, seed, uint64(x), uint64(y))
	return simd.Finish(h1^levelTail(level), h2, 18)
}

// levelTail returns by which bits the tag and the level, the two bytes after a cell, change h1 (xor).
func levelTail(level uint8) uint64 {
	return bits.RotateLeft64((tagLevel|uint64(level)<<8)*c1, 31) * c2
}

// block returns the state of the hash after 16 bytes more.
func block(h1, h2, x, y uint64) (uint64, uint64) {
	h1 ^= bits.RotateLeft64(x*c1, 31) * c2
	h1 = (bits.RotateLeft64(h1, 27)+h2)*5 + 0x52dce729
	h2 ^= bits.RotateLeft64(y*c2, 33) * c1
	h2 = (bits.RotateLeft64(h2, 31)+h1)*5 + 0x38495ab5
	return h1, h2
}

// Mix returns a number of which every bit depends on every bit of h, for hashes that are derived from a
// key's. It is the finalizer of MurmurHash3.
func Mix(h uint64) uint64 { return simd.Mix(h) }

// These tags keep the parts of a spatial key apart (docs/FORMAT.md, ccbf). After the 16 bytes of the
// cell comes nothing, a level, a category, or a level and a category.
const (
	tagCategory = 1
	tagLevel    = 2
)

// AppendCell appends the bytes of a cell, of its level and of its category. Level 0 is the cell itself.
// A nil category is none; an empty one is an empty text.
func AppendCell(dst []byte, x, y int64, level uint8, category []byte) []byte {
	dst = binary.LittleEndian.AppendUint64(dst, uint64(x))
	dst = binary.LittleEndian.AppendUint64(dst, uint64(y))
	if level > 0 {
		dst = append(dst, tagLevel, level)
	}
	if category != nil {
		dst = append(dst, tagCategory)
		dst = append(dst, category...)
	}
	return dst
}

// start returns the initial state of the hash of every key of 8 bytes.
func start(seed uint64) uint64 { return state(seed) ^ 8 }

// hashFrom is HashUint64 with the start of its seed. It is short enough to be inlined.
func hashFrom(start, v uint64) (h1, h2 uint64) {
	h1 = start ^ bits.RotateLeft64(v*c1, 31)*c2 + start
	h2 = simd.Mix(h1 + start)
	h1 = simd.Mix(h1) + h2
	return h1, h1 + h2 | 1
}

// HashUint64 is Hash for the 8 little-endian bytes of v, without a buffer. It is the hash of every key
// of 8 bytes.
func HashUint64(seed, v uint64) (h1, h2 uint64) { return hashFrom(start(seed), v) }

// HashUint64s writes HashUint64 of every value to h1s and h2s, which are at
// least as long as vs.
func HashUint64s(seed uint64, vs, h1s, h2s []uint64) {
	h1s = h1s[:len(vs)]
	h2s = h2s[:len(vs)]
	first := start(seed)
	for i, v := range vs {
		h1s[i], h2s[i] = hashFrom(first, v)
	}
}

// HashSquares replaces columns and rows of squares of a level, which are in h1s and h2s, by their
// HashSquare. At level 0 it is HashCell. h1s and h2s have the same length.
func HashSquares(seed uint64, level uint8, h1s, h2s []uint64) {
	h2s = h2s[:len(h1s)]
	n, tail := uint64(16), uint64(0)
	if level > 0 {
		n, tail = 18, levelTail(level)
	}
	for i, x := range h1s {
		h1, h2 := block(seed, seed, x, h2s[i])
		h1s[i], h2s[i] = h1^tail^n, h2^n
	}
	simd.FinishHashes(h1s, h2s)
}
