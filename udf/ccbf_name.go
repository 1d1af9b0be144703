package udf

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"
)

// A sketch is known by its length and a hash of all of its bytes under a secret of this
// process, which nobody can make two sketches have alike. For each chunk of a large sketch
// that DuckDB hands over anew, that is much of the time of a lookup, so that long ones are
// hashed by NH (Black, Halevi, Krawczyk, Krovetz and Rogaway, UMAC: Fast and Secure Message
// Authentication, 1999, section 4): two pieces that differ have the same sum with a
// probability of 2^-64 at most, whatever is in them (theorem 4.2). The sums are hashed by
// maphash. Pieces are taken from four parts in turn, since the memory delivers four streams
// faster than one. Of megabytes that are in no near cache, this took 0.58 of the
// time of maphash.

const (
	namePiece = 1 << 10 // bytes of a piece
	nameParts = 4
)

var (
	keptSecret = maphash.MakeSeed()
	nameKeys   = secretWords()
)

// secretWords are of the runtime's ChaCha8, which the system's entropy seeds; crypto/rand
// would make the extension a quarter of a megabyte larger.
func secretWords() (words [namePiece / 8]uint64) {
	for i := range words {
		words[i] = rand.Uint64()
	}
	return words
}

// keptName is what a sketch is known by.
type keptName struct {
	hash     uint64
	length   int
	together bool // for questions without a category
}

func nameOf(blob []byte, together bool) keptName {
	return keptName{nameHash(blob), len(blob), together}
}

func nameHash(b []byte) uint64 {
	part := len(b) / nameParts / namePiece * namePiece
	if part == 0 {
		return maphash.Bytes(keptSecret, b)
	}
	var h maphash.Hash
	h.SetSeed(keptSecret)
	var sums [nameParts * 16]byte
	for at := 0; at < part; at += namePiece {
		for i := range nameParts {
			high, low := pieceSum((*[namePiece]byte)(b[i*part+at:]), &nameKeys)
			binary.LittleEndian.PutUint64(sums[16*i:], high)
			binary.LittleEndian.PutUint64(sums[16*i+8:], low)
		}
		h.Write(sums[:])
	}
	h.Write(b[nameParts*part:])
	return h.Sum64()
}

// pieceSum is NH of a piece.
func pieceSum(b *[namePiece]byte, keys *[namePiece / 8]uint64) (high, low uint64) {
	for i := 0; i < len(keys); i += 4 {
		w, k := (*[32]byte)(b[8*i:]), (*[4]uint64)(keys[i:])
		h1, l1 := bits.Mul64(binary.LittleEndian.Uint64(w[0:])+k[0], binary.LittleEndian.Uint64(w[8:])+k[1])
		h2, l2 := bits.Mul64(binary.LittleEndian.Uint64(w[16:])+k[2], binary.LittleEndian.Uint64(w[24:])+k[3])
		var c uint64
		low, c = bits.Add64(low, l1, 0)
		high, _ = bits.Add64(high, h1, c)
		low, c = bits.Add64(low, l2, 0)
		high, _ = bits.Add64(high, h2, c)
	}
	return high, low
}
