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

// put writes the n lower bits of v from bit pos on, where n is at most 64. All other bits of v must be 0.
// It reads and writes 9 bytes, which must all be in b.
func put(b []byte, pos uint, v uint64, n uint) {
	s := pos & 7
	q := b[pos/8:][:9:9]
	x := binary.LittleEndian.Uint64(q)
	binary.LittleEndian.PutUint64(q, x&^(mask(n)<<s)|v<<s)
	if s+n > 64 {
		q[8] = q[8]&^byte(mask(s+n-64)) | byte(v>>(64-s))
	}
}

// pad is the number of bytes that must follow those that put writes to.
const pad = 9

// writer writes bits one after the other, and changes no other bits.
type writer struct {
	b    []byte
	at   uint   // the byte of b at which acc will be written.
	acc  uint64 // bits that are not in b yet.
	fill uint   // number of bits in acc, below 64.
}

// newWriter returns a writer that begins at bit pos of b.
func newWriter(b []byte, pos uint) writer {
	return writer{b, pos / 8, uint64(b[pos/8]) & mask(pos&7), pos & 7}
}

// write appends the n lower bits of v, where n is at most 64. All other bits of v must be 0.
func (w *writer) write(v uint64, n uint) {
	w.acc |= v << w.fill
	w.fill += n
	if w.fill >= 64 {
		binary.LittleEndian.PutUint64(w.b[w.at:], w.acc)
		w.at += 8
		w.fill -= 64
		w.acc = v >> (n - w.fill)
	}
}

// pos returns where the next bit goes.
func (w *writer) pos() uint { return w.at*8 + w.fill }

// flush writes the bits that are not in b yet. It returns the position after the last bit.
func (w *writer) flush() uint {
	put(w.b, w.at*8, w.acc, w.fill)
	return w.pos()
}

// move copies n bits from position from to position to, and the two stretches may overlap.
func move(b []byte, to, from, n uint) {
	if to > from {
		for n > 0 {
			k := min(n, 64)
			n -= k
			put(b, to+n, load(b, from+n)&mask(k), k)
		}
		return
	}
	for at := uint(0); at < n; at += 64 {
		k := min(n-at, 64)
		put(b, to+at, load(b, from+at)&mask(k), k)
	}
}
