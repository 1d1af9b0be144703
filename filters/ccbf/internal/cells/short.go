package cells

import (
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// ShortCategory is a category of up to maxShort bytes as a value: how many there are in the
// lower half of the first word, then the bytes, then 0. DuckDB has short texts so.
type ShortCategory [2]uint64

const maxShort = 12

// longCategory stands for one that is longer, and is none that is short.
var longCategory = ShortCategory{1<<64 - 1, 1<<64 - 1}

// ShortInt is the category of the 8 bytes of an integer.
func ShortInt(v int64) ShortCategory { return ShortCategory{8 | uint64(v)<<32, uint64(v) >> 32} }

func shortOf(category []byte) (ShortCategory, bool) {
	if len(category) > maxShort {
		return longCategory, false
	}
	var text [4 + maxShort]byte
	binary.LittleEndian.PutUint32(text[:], uint32(len(category)))
	copy(text[4:], category)
	return ShortCategory{binary.LittleEndian.Uint64(text[:]), binary.LittleEndian.Uint64(text[8:])}, true
}

// categoryNumbers numbers categories: a hash table of the numbers of short ones, whose values
// lie side by side, so that both leave room in the caches.
type categoryNumbers struct {
	short []ShortCategory // of all, by number
	slots []uint32        // 1 and a number, 0 where there is none
	shift uint            // of a hash, to have a slot
	long  map[string]uint32
}

// slotFactors are secret: nobody can choose categories that share a slot.
var slotFactors = [2]uint64{rand.Uint64() | 1, rand.Uint64() | 1}

func (c *categoryNumbers) slot(s *ShortCategory) uint64 {
	h := (s[0] ^ s[1]*slotFactors[0]) * slotFactors[1]
	return (h ^ h>>29) * 0x9e37_79b9_7f4a_7c15 >> (c.shift & 63)
}

// add gives a category the next number, and returns that.
func (c *categoryNumbers) add(category []byte) uint32 {
	number := uint32(len(c.short))
	s, ok := shortOf(category)
	c.short = append(c.short, s)
	if !ok {
		if c.long == nil {
			c.long = make(map[string]uint32)
		}
		c.long[string(category)] = number
	}
	return number
}

// index makes the table of all that were added.
func (c *categoryNumbers) index() {
	n := bits.Len(uint(2*len(c.short) | 1)) // from a quarter to half of the slots are taken
	c.slots, c.shift = make([]uint32, 1<<n), uint(64-n)
	for number := range c.short {
		if c.short[number] == longCategory {
			continue
		}
		i := c.slot(&c.short[number])
		for c.slots[i] != 0 {
			i = (i + 1) & uint64(len(c.slots)-1)
		}
		c.slots[i] = uint32(number) + 1
	}
}

// number is the number of a category; NoCategory where it was not added.
func (c *categoryNumbers) number(category []byte) uint32 {
	if s, ok := shortOf(category); ok {
		var number [1]uint32
		c.numbers(number[:], []ShortCategory{s})
		return number[0]
	}
	if number, ok := c.long[string(category)]; ok {
		return number
	}
	return NoCategory
}

// numbers writes the numbers of categories, as many as there are in dst. It looks into the
// slots of all before it compares any: neither waits for the other.
func (c *categoryNumbers) numbers(dst []uint32, categories []ShortCategory) {
	categories = categories[:len(dst)]
	for i := range categories {
		dst[i] = c.slots[c.slot(&categories[i])] - 1
	}
	for i, number := range dst {
		if number != NoCategory && c.short[number] != categories[i] {
			dst[i] = c.behind(&categories[i])
		}
	}
}

// behind is the number of a category in a slot behind its first.
func (c *categoryNumbers) behind(category *ShortCategory) uint32 {
	for i := c.slot(category) + 1; ; i++ {
		number := c.slots[i&uint64(len(c.slots)-1)] - 1
		if number == NoCategory || c.short[number] == *category {
			return number
		}
	}
}
