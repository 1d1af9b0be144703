package udf

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"

	"github.com/ccbfsql/ccbfsql/internal/nh"
)

// A sketch is known by its length and a hash of all of its bytes under a secret of this
// process, which nobody can make two sketches have alike. For each chunk of a large sketch
// that DuckDB hands over anew, that is much of the time of a lookup, so that all but short
// ones are hashed by package nh. Its sums are hashed by maphash, which alone took three times
// as long of three kilobytes, and of megabytes that are in no near cache.

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

// shortName is from how many bytes on the sums pay.
const shortName = 512

// keptName is what a sketch is known by.
type keptName struct {
	hash     uint64
	tag      uint64
	length   int
	together bool // for questions without a category
}

func nameOf(blob []byte, together bool) keptName {
	return keptName{nameHash(blob), tagOf(blob, together), len(blob), together}
}

// tagOf tells where to look for a sketch: a number above 0 of its checksum and length, which others
// may have too, but hardly any that nobody made for that.
func tagOf(blob []byte, together bool) uint64 {
	var first [tagged]byte
	n := 2 * uint64(len(blob))
	if together {
		n++
	}
	if len(blob) >= tagged {
		first = [tagged]byte(blob)
	} else {
		copy(first[:], blob)
	}
	high, low := bits.Mul64(binary.LittleEndian.Uint64(first[tagged-8:])^nameKeys[0], n^nameKeys[1])
	return high ^ low | 1
}

// tagged is how many bytes there are up to the end of the checksum.
const tagged = 10

func nameHash(b []byte) uint64 {
	if len(b) < shortName {
		return maphash.Bytes(keptSecret, b)
	}
	var h maphash.Hash
	h.SetSeed(keptSecret)
	part := len(b) / nh.Parts / nh.Piece * nh.Piece
	for at := 0; at < part; at += nh.Piece {
		writeSums(&h, b[at:], part, nh.Piece)
	}
	// What is left is four pieces that are shorter, and a rest.
	b = b[nh.Parts*part:]
	if size := len(b) / nh.Parts / nh.Step * nh.Step; size > 0 {
		writeSums(&h, b, size, size)
		b = b[nh.Parts*size:]
	}
	h.Write(b)
	return h.Sum64()
}

// writeSums hashes the sums of four pieces.
func writeSums(h *maphash.Hash, b []byte, stride, size int) {
	var sums [2 * nh.Parts]uint64
	nh.Sums(&sums, b, stride, size, &nameKeys)
	var text [len(sums) * 8]byte
	for i, s := range sums {
		binary.LittleEndian.PutUint64(text[8*i:], s)
	}
	h.Write(text[:])
}
