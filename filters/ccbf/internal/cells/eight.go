package cells

import (
	"encoding/binary"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// Eight is the list of up to eight cells of the region (0, 0), without a category and with a point
// each: many of them are encoded one after the other, where the processor can do so.
type Eight struct {
	// As varints the least coordinates, of either sign, and the widths of the bounds, and by how much
	// the first key is above that of the lowest corner; sizes has how many bytes each takes.
	varints [8]uint64
	bits    uint64    // of the code
	code    [2]uint64 // if it is no longer
	n       int
	sizes   [8]uint8
	order   uint64 // of the gaps
	_       [2]uint64
}

// Of varints.
const (
	boundsOfEight = 4
	placeOfEight  = 4
)

const (
	// MaxEight is how many points there may be.
	MaxEight = 8
	// EightsAtOnce is how many lists are encoded at most at once.
	EightsAtOnce = 64
)

// Eights are lists that are encoded together.
type Eights struct{ all [EightsAtOnce]Eight }

// Set makes list i that of words[begins[i]:begins[i+1]], of up to EightsAtOnce.
func (e *Eights) Set(words []uint64, begins []int) {
	n := len(begins) - 1
	if !haveEight || n < 1 || n > EightsAtOnce || len(words) == 0 {
		for i := range e.all {
			e.all[i].n = 0
		}
		return
	}
	for i, begin := range begins[:n] {
		_ = words[begin:begins[i+1]]
	}
	encodeEights(&e.all[0], &words[0], &begins[0], n)
}

// At is list i, nil where it is none of up to MaxEight cells, with a point each and not too far apart, or
// the processor cannot do so.
func (e *Eights) At(i int) *Eight {
	l := &e.all[i]
	if l.n == 0 || l.bits > 64*uint64(len(l.code)) || l.sizes[placeOfEight] > bitio.VarintRoom {
		return nil
	}
	return l
}

// BoundsRoom is how many bytes there must be for PutBounds.
const BoundsRoom = (boundsOfEight-1)*5 + bitio.VarintRoom

// PutBounds writes the least coordinates and the widths of List.Bounds as binary.AppendVarint and
// binary.AppendUvarint do, and returns behind how many bytes.
func (e *Eight) PutBounds(to []byte) int {
	at := 0
	for i, v := range e.varints[:boundsOfEight] {
		binary.LittleEndian.PutUint64(to[at:], v)
		at += int(e.sizes[i])
	}
	return at
}

// AppendBody is List.AppendBody.
func (e *Eight) AppendBody(dst []byte) []byte {
	at := len(dst)
	const most = 1 + bitio.VarintRoom + 2 + 16
	dst = slices.Grow(dst, most)[:at+most]
	dst[at] = byte(e.n)
	binary.LittleEndian.PutUint64(dst[at+1:], e.varints[placeOfEight])
	at += 1 + int(e.sizes[placeOfEight])
	binary.LittleEndian.PutUint16(dst[at:], uint16(e.order)) // that of the counts is 0
	binary.LittleEndian.PutUint64(dst[at+2:], e.code[0])
	binary.LittleEndian.PutUint64(dst[at+10:], e.code[1])
	return dst[:at+2+int(e.bits+7)/8]
}
