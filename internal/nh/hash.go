package nh

import (
	"encoding/binary"
	"hash/maphash"
	"math/rand/v2"
)

// Memory of any length is known by a hash of all of its bytes under a secret of this process,
// which nobody can make two of different bytes have alike. All but short memory is summed in
// pieces. The sums are hashed by maphash, which alone took three times as long of three
// kilobytes, and of megabytes that are in no near cache.

var (
	secret = maphash.MakeSeed()
	keys   = secretWords()
)

// secretWords are of the runtime's ChaCha8, which the system's entropy seeds; crypto/rand
// would make the extension a quarter of a megabyte larger.
func secretWords() (words Keys) {
	for i := range words {
		words[i] = rand.Uint64()
	}
	return words
}

// Short is from how many bytes on the sums pay.
const Short = 512

// Hash is that of b.
func Hash(b []byte) uint64 {
	if len(b) < Short {
		return maphash.Bytes(secret, b)
	}
	return longHash(b)
}

func longHash(b []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(secret)
	write(&h, b)
	return h.Sum64()
}

// HashAll is a hash of several in their order, and of where each ends.
func HashAll(all [][]byte) uint64 {
	var h maphash.Hash
	h.SetSeed(secret)
	var length [8]byte
	for _, b := range all {
		binary.LittleEndian.PutUint64(length[:], uint64(len(b)))
		h.Write(length[:])
		write(&h, b)
	}
	return h.Sum64()
}

// write hashes what tells b from others of its length.
func write(h *maphash.Hash, b []byte) {
	if len(b) >= Short {
		part := len(b) / Parts / Piece * Piece
		for at := 0; at < part; at += Piece {
			writeSums(h, b[at:], part, Piece)
		}
		// What is left is four pieces that are shorter, and a rest.
		b = b[Parts*part:]
		if size := len(b) / Parts / Step * Step; size > 0 {
			writeSums(h, b, size, size)
			b = b[Parts*size:]
		}
	}
	h.Write(b)
}

// writeSums hashes the sums of four pieces.
func writeSums(h *maphash.Hash, b []byte, stride, size int) {
	var sums [2 * Parts]uint64
	Sums(&sums, b, stride, size, &keys)
	var text [len(sums) * 8]byte
	for i, s := range sums {
		binary.LittleEndian.PutUint64(text[8*i:], s)
	}
	h.Write(text[:])
}
