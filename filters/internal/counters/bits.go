package counters

import "encoding/binary"

// Bits are numbered from the least significant bit of the first byte on.

// load returns 64 bits from bit pos on. Bits beyond the end of b are 0.
func load(b []byte, pos uint) uint64 {
	if i := pos / 8; i+9 <= uint(len(b)) {
		q := b[i : i+9 : i+9]
		s := pos & 7
		// The shift by 64-s takes two steps, because s may be 0.
		return binary.LittleEndian.Uint64(q)>>s | uint64(q[8])<<1<<(63-s)
	}
	return loadTail(b, pos)
}

// loadTail is load near the end of b.
func loadTail(b []byte, pos uint) uint64 {
	var q [16]byte
	if i := pos / 8; i < uint(len(b)) {
		copy(q[:9], b[i:])
	}
	return load(q[:], pos&7)
}

// mask returns a number with the low n bits set, n at most 64.
func mask(n uint) uint64 { return 1<<n - 1 }
