// Package key turns values into bytes and bytes into hashes. Both are part of
// the BLOB format (docs/FORMAT.md): they never change within a hash version.
package key

import (
	"encoding/binary"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
	"github.com/twmb/murmur3"
)

// Hash is MurmurHash3 x64 128 of a key's bytes with the seed in both halves of
// its state (see state), the second half made odd, so that the positions
// h1 + i*h2 of one key differ in every array whose size is a power of two.
func Hash(seed uint64, b []byte) (h1, h2 uint64) {
	// Numbers and cells are most keys, and short ones spend most of their time
	// on the way to the hash.
	switch len(b) {
	case 8:
		return HashFrom(Start(seed), binary.LittleEndian.Uint64(b))
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

// state is what the hash of a key below 16 bytes begins with: the seed, but not
// one that can be the key's length. Such a key may touch one half of the state
// only, and its length is taken from both, which would leave the other half at 0
// and make h2 follow from h1.
func state(seed uint64) uint64 {
	if seed-1 < 15 {
		return Mix(seed)
	}
	return seed
}

// emptySeed is the seed of the key of no bytes instead of 0, with which MurmurHash3 makes 0 of
// it: positions that are multiples of h2 would all be the first.
const emptySeed = 16

// Spread is the ratio between the steps of a key's positions in filters that promise a low rate of
// false positives: position i comes from h1 + Spread^i*h2, of which the highest bits count. With
// steps in arithmetic progression (double hashing) all positions of two keys coincide with a
// probability of about 1/m^2, however many they are. Kirsch and Mitzenmacher 2006, "Less Hashing,
// Same Performance", sections 4 and 5; Dillinger and Manolios 2004, "Bloom Filters in Probabilistic
// Verification", section 5. The number is a multiplier for congruential generators with good
// spectral figures: Steele and Vigna 2021, table 2.
const Spread = 0xd1342543de82ef95

// Hashes writes the Hash of every key to h1s and h2s, which are at least as
// long as keys: what the methods AddHashes, CountHashes and the like of all
// families take, a few hundred keys at once.
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

// hashBatch is how many keys are read before the first is hashed: reading alone waits
// for the memory of far more of them at once than with a hash after each.
const hashBatch = 128

// eights reads the keys up to the first that has not 8 bytes, and returns how many.
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

// HashCell is Hash of the 16 little-endian bytes of a cell, without a buffer.
func HashCell(seed uint64, x, y int64) (h1, h2 uint64) {
	h1, h2 = block(seed, seed, uint64(x), uint64(y))
	return finish(h1, h2, 16)
}

// HashSquare is HashCell of the square (x, y) of a level above the cells, from 1 to
// 255: Hash of the bytes that AppendCell makes of it.
func HashSquare(seed uint64, x, y int64, level uint8) (h1, h2 uint64) {
	h1, h2 = block(seed, seed, uint64(x), uint64(y))
	return finish(h1^levelTail(level), h2, 18)
}

// levelTail is what the bytes after a cell's change in the state of the hash.
func levelTail(level uint8) uint64 {
	return bits.RotateLeft64((tagLevel|uint64(level)<<8)*c1, 31) * c2
}

// block is the state of the hash after 16 bytes more.
func block(h1, h2, x, y uint64) (uint64, uint64) {
	h1 ^= bits.RotateLeft64(x*c1, 31) * c2
	h1 = (bits.RotateLeft64(h1, 27)+h2)*5 + 0x52dce729
	h2 ^= bits.RotateLeft64(y*c2, 33) * c1
	h2 = (bits.RotateLeft64(h2, 31)+h1)*5 + 0x38495ab5
	return h1, h2
}

// finish is the end of the hash of a key of n bytes.
func finish(h1, h2, n uint64) (uint64, uint64) { return simd.Finish(h1, h2, n) }

// Mix makes every bit of the result depend on every bit of h: the finalizer of
// MurmurHash3, for hashes that follow from a key's.
func Mix(h uint64) uint64 { return simd.Mix(h) }

// Tags that keep the parts of a spatial key apart (docs/FORMAT.md, ccbf): after
// the 16 bytes of the cell nothing, or a level, or a category, or both in this
// order.
const (
	tagCategory = 1
	tagLevel    = 2
)

// AppendCell appends the bytes of a cell, of the level above it (0: the cell
// itself) and of its category (nil: none; empty: an empty one).
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
