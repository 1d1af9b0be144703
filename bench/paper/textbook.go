package main

import "math"

// The structures of the CascadeCBF paper as textbooks have them, one key after
// the other, nothing done ahead: what throughput is measured against. Sizes are
// powers of two, for their positions to cost as little as can be.

// textbookCascade is two layers of 16-bit counters, the first with a flag that
// says that there is more in the second. Section 3.
type textbookCascade struct {
	first, second []uint16
	k             uint64
}

const textbookFlag = 1 << 15

func (t *textbookCascade) value(p uint64) uint64 {
	c := t.first[p]
	if c&textbookFlag == 0 {
		return uint64(c)
	}
	return uint64(c&^textbookFlag) + uint64(t.second[p&uint64(len(t.second)-1)])*textbookFlag
}

// increment carries into the second layer, whose counters stop.
func (t *textbookCascade) increment(p uint64) {
	if c := t.first[p]; c&^textbookFlag < textbookFlag-1 {
		t.first[p] = c + 1
		return
	}
	t.first[p] = textbookFlag
	if c := &t.second[p&uint64(len(t.second)-1)]; *c < math.MaxUint16 {
		*c++
	}
}

// standard raises all k counters of every key. Algorithm 1.
func (t *textbookCascade) standard(h hashes) {
	mask := uint64(len(t.first) - 1)
	for i, h1 := range h.h1 {
		for j := uint64(1); j <= t.k; j++ {
			t.increment((h1 + j*h.h2[i]) & mask)
		}
	}
}

// minimal raises those of every key that are at the minimum.
func (t *textbookCascade) minimal(h hashes) {
	mask := uint64(len(t.first) - 1)
	for i, h1 := range h.h1 {
		least := uint64(math.MaxUint64)
		for j := uint64(1); j <= t.k; j++ {
			least = min(least, t.value((h1+j*h.h2[i])&mask))
		}
		for j := uint64(1); j <= t.k; j++ {
			if p := (h1 + j*h.h2[i]) & mask; t.value(p) == least {
				t.increment(p)
			}
		}
	}
}

func (t *textbookCascade) count(h1, h2 uint64) uint64 {
	least := uint64(math.MaxUint64)
	for j := uint64(1); j <= t.k; j++ {
		least = min(least, t.value((h1+j*h2)&uint64(len(t.first)-1)))
	}
	return least
}

// textbookRows is k rows of 16-bit counters that stop, of which the least of a
// key are raised: a Count-Min Sketch with conservative updates, and where all
// rows are one and the same, a Spectral Bloom Filter of minimal increase.
type textbookRows struct {
	counters []uint16
	width    uint64 // of a row
	apart    uint64 // how far a row is from the one before; 0 where they are one
	k        uint64
}

func (t *textbookRows) add(h hashes) {
	mask := t.width - 1
	for i, h1 := range h.h1 {
		least := uint16(math.MaxUint16)
		for j := range t.k {
			least = min(least, t.counters[j*t.apart+(h1+(j+1)*h.h2[i])&mask])
		}
		if least == math.MaxUint16 {
			continue
		}
		for j := range t.k {
			c := &t.counters[j*t.apart+(h1+(j+1)*h.h2[i])&mask]
			*c = max(*c, least+1)
		}
	}
}

func (t *textbookRows) count(h1, h2 uint64) uint64 {
	least := uint16(math.MaxUint16)
	for j := range t.k {
		least = min(least, t.counters[j*t.apart+(h1+(j+1)*h2)&(t.width-1)])
	}
	return uint64(least)
}

func newTextbookCascade(counters int) *textbookCascade {
	return &textbookCascade{make([]uint16, counters), make([]uint16, counters/16), paperK}
}

func newTextbookSpectral(counters int) *textbookRows {
	return &textbookRows{make([]uint16, counters), uint64(counters), 0, paperK}
}

func newTextbookCountMin(counters int) *textbookRows {
	width := uint64(counters / paperK)
	return &textbookRows{make([]uint16, counters), width, width, paperK}
}
