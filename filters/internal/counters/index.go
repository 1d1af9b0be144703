package counters

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
	"github.com/ccbfsql/ccbfsql/filters/internal/words"
)

// doc.go describes the string-array index. A group's record is 16 bytes:
//
//	bits  0..31             where the group begins in the base, in bytes
//	bits 32..39             which of its 8 chunks have an offset vector
//	bits 40..51, 52..63 ... where chunks 1 to 7 begin in the group, in bits; the last 4 bits are 0
//
// In a chunk without an offset vector, every counter takes p[0] bits, and as many more as its length code
// says. A length code is a number of p[1] bits.
const (
	indexRecord = 16
	chunkLen    = 8
	flagsByte   = 4 // the byte of a record with the flags
	// An offset vector says where counters 1 to 7 begin, 9 bits each, and where the last one ends, 10
	// bits. With 8 counters of 64 bits a chunk has 585 bits. So 7 chunks end at 4,095 at most, the largest
	// number of 12 bits.
	offsetBits = 9
	vectorBits = 7*offsetBits + offsetBits + 1
)

// chunkOffset returns the byte of a record and the bit in it at which the offset of chunk k begins, k from
// 1 to 7.
func chunkOffset(k uint) (at, shift uint) {
	bit := 40 + 12*(k-1)
	return bit / 8, bit % 8
}

// maxCodeBits is the most bits of a length code. With 32 bits for a chunk and a shift of 7, the codes are
// in one word of memory.
const maxCodeBits = 4

// lookup has the sum of the lengths whose codes are in 12 bits, for every number of bits of a code.
var lookup = func() (t [maxCodeBits + 1][1 << 12]uint8) {
	for w := 1; w <= maxCodeBits; w++ {
		for x := range t[w] {
			for rest := x; rest > 0; rest >>= w {
				t[w][x] += uint8(rest & (1<<w - 1))
			}
		}
	}
	return t
}()

// chooseIndex returns the parameters with which all chunks take the fewest bits, with their codes or offset
// vectors. It returns the first of several. Two tallies suffice: the lengths of counters, and the length
// of the longest counter of each chunk.
func chooseIndex(src Source) (best params) {
	var lengths, longest [65]uint
	for _, group := range words.Blocks(src) {
		for chunk := range slices.Chunk(group, chunkLen) {
			all := uint64(0)
			for _, v := range chunk {
				all |= v
				lengths[bits.Len64(v)]++
			}
			lengths[0] += uint(chunkLen - len(chunk))
			longest[bits.Len64(all)]++
		}
	}
	chunks := uint((src.Len() + chunkLen - 1) / chunkLen)
	least := ^uint(0)
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
			if cost < least {
				best, least = params{uint8(base), uint8(w)}, cost
			}
		}
	}
	return best
}

// putIndex writes a group, and the rest of its record. The record already says where the group begins.
func putIndex(w *bitio.Writer, p params, record []byte, group []uint64) {
	k := uint(0)
	for chunk := range slices.Chunk(group, chunkLen) {
		if k > 0 {
			at, shift := chunkOffset(k)
			beside := binary.LittleEndian.Uint16(record[at:])
			binary.LittleEndian.PutUint16(record[at:], beside|uint16(w.Len())<<shift)
		}
		if putChunk(w, p, chunk) {
			record[flagsByte] |= 1 << k
		}
		k++
	}
}

// putChunk writes a chunk and reports whether it has an offset vector.
func putChunk(w *bitio.Writer, p params, chunk []uint64) (vector bool) {
	base, bitsOf := uint(p[0]), uint(p[1])
	all, codes := uint64(0), uint64(0)
	for j, v := range chunk {
		all |= v
		codes |= uint64(max(base, uint(bits.Len64(v)))-base) << (uint(j) * bitsOf)
	}
	if uint(bits.Len64(all)) >= base+1<<bitsOf {
		putVector(w, chunk)
		return true
	}
	w.Write(codes, chunkLen*bitsOf)
	for _, v := range chunk {
		w.WriteLong(v, base+uint(codes&mask(bitsOf)))
		codes >>= bitsOf
	}
	// The last chunk may be short. Missing counters are written as 0.
	for range chunkLen - len(chunk) {
		w.WriteLong(0, base)
	}
	return false
}

// putVector writes a chunk that has an offset vector.
func putVector(w *bitio.Writer, chunk []uint64) {
	end := 0
	for j := range uint(chunkLen) {
		if j < uint(len(chunk)) {
			end += bits.Len64(chunk[j])
		}
		w.Write(uint64(end), offsetBits+j/(chunkLen-1))
	}
	for _, v := range chunk {
		w.WriteLong(v, uint(bits.Len64(v)))
	}
}

// chunk returns the bit position of chunk c, counted over all groups, and whether the chunk has an offset
// vector.
func (v *View) chunk(c uint) (pos uint, vector bool) {
	record := v.body[headSize+c/8*indexRecord:][:indexRecord]
	pos = (uint(v.base) + uint(binary.LittleEndian.Uint32(record))) * 8
	k := c % 8
	if k > 0 {
		at, shift := chunkOffset(k)
		pos += uint(binary.LittleEndian.Uint16(record[at:])>>shift) & 0xfff
	}
	return pos, record[flagsByte]>>k&1 != 0
}

// indexAt returns counter i.
func (v *View) indexAt(i uint) uint64 {
	pos, vector := v.chunk(i / chunkLen)
	j := i % chunkLen
	if vector {
		return v.longAt(pos, j)
	}
	base, w := uint(v.p[0]), uint(v.p[1])
	codes := load(v.body, pos)
	t := &lookup[w]
	before := codes & mask(w*j)
	sum := uint(t[before&0xfff]) + uint(t[before>>12&0xfff]) + uint(t[before>>24&0xfff])
	return load(v.body, pos+chunkLen*w+base*j+sum) & mask(base+uint(codes>>(w*j)&mask(w)))
}

// longAt returns counter j of a chunk that has its offset vector at bit pos.
func (v *View) longAt(pos, j uint) uint64 {
	end := uint(load(v.body, pos+offsetBits*j) & mask(offsetBits+j/(chunkLen-1)))
	begin := uint(0)
	if j > 0 {
		begin = uint(load(v.body, pos+offsetBits*(j-1)) & mask(offsetBits))
	}
	// In a damaged BLOB end may be below begin. Then the difference wraps, and min bounds it.
	return load(v.body, pos+vectorBits+begin) & mask(min(end-begin, 64))
}
