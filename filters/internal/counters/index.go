package counters

import (
	"encoding/binary"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
)

// doc.go describes the string-array index. A group's record is two words:
//
//	bits  0..31 of the first   where the group begins in the base, in bytes
//	bits 32..39                which of its 8 chunks have an offset vector
//	bits 40..51, 52..63        where chunks 1 and 2 begin in the group, in bits
//	12 bits each of the second likewise chunks 3 to 7; the last 4 bits are 0
const (
	indexRecord = 16
	chunkLen    = 8
	flagsAt     = 32
	// An offset vector says where counters 1 to 7 begin, 9 bits each, and where the last one ends, 10
	// bits. With 8 counters of 64 bits a chunk has 585 bits. So 7 chunks end at 4,095 at most, the largest
	// number of 12 bits.
	offsetBits = 9
	vectorBits = 7*offsetBits + offsetBits + 1
)

// shifts has 8 bits for every chunk: the shift of its offset in the word of the record. Chunk 0 has no
// offset; its shift leads to the unused bits, which are 0.
const shifts uint64 = 0x30_24_18_0c_00_34_28_3c

// indexCodec is the codec of the string-array index. In a chunk without an offset vector, every counter
// takes p[0] bits, and as many more as its length code says. A length code is a number of p[1] bits.
type indexCodec struct{}

// maxCodeBits is the most bits of a length code. With 32 bits for a chunk and a shift of 7, the codes are
// in one word of memory.
const maxCodeBits = 4

// lookup has the sum of the lengths whose codes are in 12 bits, for every number of bits of a code. It has
// 8 tables, so that the compiler needs no bounds check.
var lookup = func() (t [8][1 << 12]uint8) {
	for w := 1; w <= maxCodeBits; w++ {
		for x := range t[w] {
			for rest := x; rest > 0; rest >>= w {
				t[w][x] += uint8(rest & (1<<w - 1))
			}
		}
	}
	return t
}()

func (indexCodec) record() int { return indexRecord }

func (indexCodec) valid(p params) bool {
	return p[1] <= maxCodeBits && int(p[0])+1<<p[1]-1 <= 64
}

// choose returns the parameters with which all chunks take the fewest bits, with their codes or offset
// vectors. It returns the first of several. Two tallies suffice: the lengths of counters, and the length
// of the longest counter of each chunk.
func (indexCodec) choose(src Source) choice {
	var lengths, longest [65]uint
	for _, group := range words.Blocks(src) {
		for at := 0; at < len(group); at += chunkLen {
			all := uint64(0)
			chunk := group[at:min(at+chunkLen, len(group))]
			for _, v := range chunk {
				all |= v
				lengths[bits.Len64(v)]++
			}
			lengths[0] += uint(chunkLen - len(chunk))
			longest[bits.Len64(all)]++
		}
	}
	chunks := uint((src.Len() + chunkLen - 1) / chunkLen)
	best := choice{most: ^uint(0)}
	for length, n := range lengths {
		best.weight += uint(length) * n
	}
	for w := uint(0); w <= maxCodeBits; w++ {
		for base := uint(0); base+1<<w-1 <= 64; base++ {
			long := uint(0) // how many chunks have an offset vector
			for _, n := range longest[base+1<<w:] {
				long += n
			}
			cost := (chunks-long)*chunkLen*w + long*vectorBits
			for length, n := range lengths {
				cost += n * max(base, uint(length))
			}
			if cost < best.most {
				best.p, best.most = params{uint8(base), uint8(w)}, cost
			}
		}
	}
	return best
}

// chunkSize returns how many bits a chunk takes with parameters p, and whether it has an offset vector.
func chunkSize(p params, chunk []uint64) (size uint, vector bool) {
	base, w := uint(p[0]), uint(p[1])
	all, plain := uint64(0), uint(0)
	for _, v := range chunk {
		all |= v
		n := uint(bits.Len64(v))
		plain += n
		size += max(base, n)
	}
	if uint(bits.Len64(all)) >= base+1<<w {
		return vectorBits + plain, true
	}
	return chunkLen*w + size + uint(chunkLen-len(chunk))*base, false
}

func (indexCodec) size(p params, group []uint64) (size uint) {
	for at := 0; at < len(group); at += chunkLen {
		n, _ := chunkSize(p, group[at:min(at+chunkLen, len(group))])
		size += n
	}
	return size
}

func (indexCodec) put(s *store, g int, pos uint, group []uint64) uint {
	w := newWriter(s.mem, pos)
	for at := 0; at < len(group); at += chunkLen {
		begin := w.pos() - pos
		vector := w.putChunk(s.p, group[at:min(at+chunkLen, len(group))])
		s.setChunk(g, at/chunkLen, begin, vector)
	}
	return w.flush()
}

// setChunk writes where chunk k of group g begins, and whether it has an offset vector.
func (s *store) setChunk(g, k int, offset uint, vector bool) {
	rec := s.rec(g)
	flag := uint64(0)
	if vector {
		flag = 1
	}
	w := binary.LittleEndian.Uint64(rec)
	binary.LittleEndian.PutUint64(rec, w&^(1<<(flagsAt+k))|flag<<(flagsAt+k))
	if k == 0 {
		return
	}
	if k > 2 {
		rec = rec[8:]
	}
	shift := shifts >> (8 * k) & 63
	w = binary.LittleEndian.Uint64(rec)
	binary.LittleEndian.PutUint64(rec, w&^(0xfff<<shift)|uint64(offset)<<shift)
}

// putChunk writes a chunk and reports whether it has an offset vector.
func (w *writer) putChunk(p params, chunk []uint64) (vector bool) {
	base, bitsOf := uint(p[0]), uint(p[1])
	all, codes := uint64(0), uint64(0)
	for j, v := range chunk {
		all |= v
		codes |= uint64(max(base, uint(bits.Len64(v)))-base) << (uint(j) * bitsOf)
	}
	if uint(bits.Len64(all)) >= base+1<<bitsOf {
		w.putVector(chunk)
		return true
	}
	w.write(codes, chunkLen*bitsOf)
	for _, v := range chunk {
		w.write(v, base+uint(codes&mask(bitsOf)))
		codes >>= bitsOf
	}
	// The last chunk may be short. Missing counters are written as 0.
	for range chunkLen - len(chunk) {
		w.write(0, base)
	}
	return false
}

// putVector writes a chunk that has an offset vector.
func (w *writer) putVector(chunk []uint64) {
	end := 0
	for j := range uint(chunkLen) {
		if j < uint(len(chunk)) {
			end += bits.Len64(chunk[j])
		}
		w.write(uint64(end), offsetBits+j/(chunkLen-1))
	}
	for _, v := range chunk {
		w.write(v, uint(bits.Len64(v)))
	}
}

// chunk returns the bit position of chunk c, counted over all groups, and whether the chunk has an offset
// vector.
func (s *store) chunk(c uint) (pos uint, vector bool) {
	k := c % 8
	rec := s.mem[headSize+c/8*indexRecord:][:indexRecord]
	first, w := binary.LittleEndian.Uint64(rec), binary.LittleEndian.Uint64(rec[8:])
	vector = first>>(flagsAt+k)&1 != 0
	if k-1 < 2 {
		w = first
	}
	offset := w >> (shifts >> (8 * k) & 63) & 0xfff
	return uint(s.base)*8 + uint(uint32(first))*8 + uint(offset), vector
}

// find returns the bit position pos and the length n of counter i.
func (s *store) find(i uint) (pos, n uint) {
	pos, vector := s.chunk(i / chunkLen)
	j := i % chunkLen
	codes := load(s.mem, pos)
	if vector {
		return s.findLong(pos, j)
	}
	base, w := uint(s.p[0]), uint(s.p[1])
	t := &lookup[w]
	before := codes & mask(w*j)
	sum := uint(t[before&0xfff]) + uint(t[before>>12&0xfff]) + uint(t[before>>24&0xfff])
	return pos + chunkLen*w + base*j + sum, base + uint(codes>>(w*j)&mask(w))
}

// findLong is find for counter j of a chunk that has its offset vector at bit pos.
func (s *store) findLong(pos, j uint) (at, n uint) {
	end := uint(load(s.mem, pos+offsetBits*j) & mask(offsetBits+j/(chunkLen-1)))
	begin := uint(0)
	if j > 0 {
		begin = uint(load(s.mem, pos+offsetBits*(j-1)) & mask(offsetBits))
	}
	// In a damaged BLOB end may be below begin. Then the difference wraps, and min bounds it.
	return pos + vectorBits + begin, min(end-begin, 64)
}

// indexAt returns counter i.
func (s *store) indexAt(i uint) uint64 {
	pos, n := s.find(i)
	return load(s.mem, pos) & mask(n)
}

// readChunk reads the counters of chunk c, and returns the bit position after the chunk.
func (s *store) readChunk(c uint, dst *[chunkLen]uint64) uint {
	pos, vector := s.chunk(c)
	if vector {
		return s.readVector(pos, dst)
	}
	base, w := uint(s.p[0]), uint(s.p[1])
	codes := load(s.mem, pos)
	pos += chunkLen * w
	for j := range dst {
		n := base + uint(codes&mask(w))
		codes >>= w
		if at := pos / 8; n <= 57 && at+8 <= uint(len(s.mem)) {
			dst[j] = binary.LittleEndian.Uint64(s.mem[at:at+8]) >> (pos & 7) & (1<<(n&63) - 1)
		} else {
			dst[j] = load(s.mem, pos) & mask(n)
		}
		pos += n
	}
	return pos
}

// readVector reads a chunk that has its offset vector at bit pos, and returns the bit position after the
// chunk.
func (s *store) readVector(pos uint, dst *[chunkLen]uint64) uint {
	end := uint(0)
	for j := range dst {
		at, n := s.findLong(pos, uint(j))
		dst[j] = load(s.mem, at) & mask(n)
		end = at + n
	}
	return end
}

// used returns how many bits group g takes.
func (s *store) used(g int) uint {
	var buf [chunkLen]uint64
	last := min((g+1)*8, (s.n+chunkLen-1)/chunkLen) - 1
	return s.readChunk(uint(last), &buf) - s.pos(g)
}

func (indexCodec) unpack(s *store, at int, dst []uint64) {
	var buf [chunkLen]uint64
	for len(dst) > 0 {
		if at%chunkLen == 0 && len(dst) >= chunkLen {
			s.readChunk(uint(at/chunkLen), (*[chunkLen]uint64)(dst))
			at, dst = at+chunkLen, dst[chunkLen:]
			continue
		}
		s.readChunk(uint(at/chunkLen), &buf)
		n := copy(dst, buf[at%chunkLen:])
		at, dst = at+n, dst[n:]
	}
}
