package udf

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/key"
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

// byBytes returns the number of b. Values are equal if their bytes are. It stores clone(b) for a new
// value.
func (d *distinct) byBytes(b []byte, clone func(b []byte) []byte) uint32 {
	h := maphash.Bytes(hashSeed, b)
	for i := h >> d.shift; ; i++ {
		s := &d.slots[i&uint64(len(d.slots)-1)]
		if *s == 0 {
			d.values = append(d.values, clone(b))
			*s = uint32(len(d.values))
			return *s - 1
		}
		if bytes.Equal(d.values[*s-1], b) {
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

// categoriesOf is the distinct categories of a chunk, and their keys in the class of one sketch.
type categoriesOf struct {
	distinct
	of    []uint32 // by row, the number of its category
	rows  []uint32 // by category, a row that has it
	arena []byte   // memory of the values

	now       uint32   // number of the present sketch, see begin.
	seen      []uint32 // by category, the value of now when it was last converted.
	converted [][]byte // by category, its key in the class of the sketch.
}

// reset numbers the categories of rows.
func (c *categoriesOf) reset(r *ccbfReader, rows []uint32) error {
	n := 0
	for _, row := range rows {
		n = max(n, int(row)+1)
	}
	c.distinct.reset(n)
	if len(c.of) < n {
		c.of = make([]uint32, n)
	}
	c.rows, c.arena = c.rows[:0], c.arena[:0]
	clone := func(b []byte) []byte {
		from := len(c.arena)
		c.arena = append(c.arena, b...)
		return c.arena[from:len(c.arena):len(c.arena)]
	}
	for _, row := range rows {
		b, err := r.category.Bytes(int(row), key.None)
		if err != nil {
			return err
		}
		k := c.byBytes(b, clone)
		if int(k) == len(c.rows) {
			c.rows = append(c.rows, row)
		}
		c.of[row] = k
	}
	for len(c.seen) < len(c.rows) {
		c.seen, c.converted = append(c.seen, 0), append(c.converted, nil)
	}
	return nil
}

// begin makes all conversions invalid, because another sketch follows.
func (c *categoriesOf) begin() {
	if c.now++; c.now == 0 {
		clear(c.seen)
		c.now = 1
	}
}

// bytesOf returns the key of category number k in this class, valid until the next call.
func (c *categoriesOf) bytesOf(r *ccbfReader, k uint32, class key.Class) ([]byte, error) {
	if class == r.category.Class || class == key.None {
		return c.values[k], nil
	}
	return r.category.Bytes(int(c.rows[k]), class)
}

// convert makes sure that converted has the category of this row, for the sketch with head h.
func (c *categoriesOf) convert(r *ccbfReader, h *ccbf.Head, row uint32) error {
	k := c.of[row]
	if c.seen[k] == c.now {
		return nil
	}
	b, err := c.bytesOf(r, k, h.Class())
	if err != nil {
		return err
	}
	c.seen[k], c.converted[k] = c.now, append(c.converted[k][:0:0], b...)
	if c.converted[k] == nil {
		c.converted[k] = []byte{} // an empty category is a category; nil would be none
	}
	return nil
}
