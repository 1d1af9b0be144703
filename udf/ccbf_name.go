package udf

import (
	"encoding/binary"
	"hash/maphash"
	"math/rand/v2"

	"github.com/ccbfsql/ccbfsql/internal/nh"
)

// A sketch is known by its length and a hash of all of its bytes under a secret of this
// process, which nobody can make two sketches have alike. For each chunk of a large sketch
// that DuckDB hands over anew, that is much of the time of a lookup, so that long ones are
// hashed by package nh. Its sums are hashed by maphash, which took three times as long of
// megabytes that are in no near cache.

var (
	keptSecret = maphash.MakeSeed()
	nameKeys   = secretWords()
)

// secretWords are of the runtime's ChaCha8, which the system's entropy seeds; crypto/rand
// would make the extension a quarter of a megabyte larger.
func secretWords() (words nh.Keys) {
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
	part := len(b) / nh.Parts / nh.Piece * nh.Piece
	if part == 0 {
		return maphash.Bytes(keptSecret, b)
	}
	var h maphash.Hash
	h.SetSeed(keptSecret)
	var sums [2 * nh.Parts]uint64
	var text [len(sums) * 8]byte
	for at := 0; at < part; at += nh.Piece {
		nh.Sums(&sums, b[at:], part, &nameKeys)
		for i, s := range sums {
			binary.LittleEndian.PutUint64(text[8*i:], s)
		}
		h.Write(text[:])
	}
	h.Write(b[nh.Parts*part:])
	return h.Sum64()
}
