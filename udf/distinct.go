package udf

import (
	"math/bits"
	"unsafe"
)

// distinct numbers the distinct values of a chunk, in the order of their first rows.
type distinct struct {
	values [][]byte // by number, the value.
	slots  []uint32 // a hash table: the number of a value plus 1, or 0 if the slot is free.
	shift  uint     // a hash shifted right by it is an index of slots.
	sorted []uint32
}

// reset removes all values, and makes room for n new ones.
func (d *distinct) reset(n int) {
	d.values = d.values[:0]
	if size := 2 << bits.Len(uint(max(n, 1)-1)); len(d.slots) < size {
		d.slots = make([]uint32, size)
		d.shift = uint(65 - bits.Len(uint(size)))
	} else {
		clear(d.slots)
	}
}

// forget removes references to the values, which may be in memory of the chunk.
func (d *distinct) forget() {
	clear(d.values)
	d.values = d.values[:0]
}

// byAddress returns the number of b. Values are equal if they have the same address and length.
func (d *distinct) byAddress(b []byte) uint32 {
	h := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) * 0x9e37_79b9_7f4a_7c15
	for i := h >> d.shift; ; i++ {
		s := &d.slots[i&uint64(len(d.slots)-1)]
		if *s == 0 {
			d.values = append(d.values, b)
			*s = uint32(len(d.values))
			return *s - 1
		}
		if v := d.values[*s-1]; len(v) == len(b) && unsafe.SliceData(v) == unsafe.SliceData(b) {
			return *s - 1
		}
	}
}

// sortRows sorts rows by the numbers of their values: of[i] is the number for rows[i]. Rows with the same
// number keep their order. For each number, it appends the index behind its last row to ends.
func (d *distinct) sortRows(rows, of, ends []uint32) []uint32 {
	if len(d.values) == 1 {
		return append(ends, uint32(len(rows)))
	}
	for range d.values {
		ends = append(ends, 0)
	}
	for _, k := range of {
		ends[k]++
	}
	sum := uint32(0)
	for k, n := range ends {
		ends[k] = sum
		sum += n
	}
	d.sorted = append(d.sorted[:0], rows...)
	for i, k := range of {
		rows[ends[k]] = d.sorted[i]
		ends[k]++
	}
	return ends
}
