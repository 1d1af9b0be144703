// Package nh sums pieces of memory under a secret, so that two pieces that differ have the
// same sum with a probability of 2^-64 at most, whatever is in them, as long as who made
// them does not know the secret: it tells megabytes apart at the speed of the memory.
//
// A piece is pairs of words (a, b), and the secret one of words (k, l) for each. The sum is
// of the products (a+k)(b+l): NH (Black, Halevi, Krawczyk, Krovetz and Rogaway, UMAC: Fast
// and Secure Message Authentication, 1999, section 4), additions modulo 2^64 and 2^128
// (theorem 4.2). Processors that multiply without carries do so, in half of the time: then
// words are polynomials over GF(2), the sum of two is their exclusive or, and the
// bound is the same (CLNH: Lemire and Kaser, Faster 64-bit universal hashing using carry-less
// multiplications, 2015): pieces that differ in a have the same sum only where l is the one
// word, if any, with which (a^a')(b^l) makes up for the rest.
package nh

import (
	"encoding/binary"
	"math/bits"
)

const (
	// Piece is the most bytes of a piece.
	Piece = 1 << 10
	// Step is what the bytes of all pieces are a multiple of.
	Step = 64
	// Parts is how many pieces are summed at once: the memory delivers so many streams
	// faster than one.
	Parts = 4
)

// Keys are a secret, drawn at random.
type Keys [Piece / 8]uint64

// Sums writes the sums of four pieces of size bytes, which begin at 0, stride, 2*stride and
// 3*stride of b. They are the same for the same pieces within a process, and may differ
// between machines.
func Sums(dst *[2 * Parts]uint64, b []byte, stride, size int, keys *Keys) {
	if size <= 0 || size > Piece || size%Step != 0 || stride < 0 {
		panic("nh: a piece of a size that there is not")
	}
	_ = b[(Parts-1)*stride+size-1]
	if carryless {
		carrylessSums(dst, &b[0], stride, size, keys)
		return
	}
	for i := range Parts {
		dst[2*i], dst[2*i+1] = sum(b[i*stride:][:size], keys)
	}
}

// sum is NH of a piece.
func sum(b []byte, keys *Keys) (low, high uint64) {
	for i := 0; 8*i < len(b); i += 4 {
		w, k := (*[32]byte)(b[8*i:]), (*[4]uint64)(keys[i:])
		h1, l1 := bits.Mul64(binary.LittleEndian.Uint64(w[0:])+k[0], binary.LittleEndian.Uint64(w[8:])+k[1])
		h2, l2 := bits.Mul64(binary.LittleEndian.Uint64(w[16:])+k[2], binary.LittleEndian.Uint64(w[24:])+k[3])
		var c uint64
		low, c = bits.Add64(low, l1, 0)
		high, _ = bits.Add64(high, h1, c)
		low, c = bits.Add64(low, l2, 0)
		high, _ = bits.Add64(high, h2, c)
	}
	return low, high
}
