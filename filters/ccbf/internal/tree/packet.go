package tree

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// Packet is memory for the leaves of a packet.
type Packet struct {
	Keys   [maxPacket]uint64
	Levels [maxPacket]uint8
	Counts [maxPacket]uint64
	N      int

	head      stretches
	low, high uint64 // the leaves of the packet from one key to the other were read
}

// decode reads packet i; false where its bytes are damaged.
func (s *Sheet) decode(i int, b *Packet) bool { return s.decodeIn(i, 0, ^uint64(0), b) }

// decodeIn reads the stretches of packet i that have leaves from one key to another;
// false where their bytes are damaged.
func (s *Sheet) decodeIn(i int, low, high uint64, b *Packet) bool {
	b.N, b.low, b.high = 0, 0, ^uint64(0)
	h := &b.head
	if !s.stretches(i, h) {
		return false
	}
	parts := h.part[:h.n]
	if h.n > 1 && high < parts[1].first {
		parts, b.high = parts[:1], parts[1].first-1
	} else if h.n > 1 && low >= parts[1].first {
		parts, b.low = parts[1:], parts[1].first
	}
	d := packetReader{trees: trees{t: s.t}, b: b}
	after := parts[0].first
	for j := range parts {
		part := &parts[j]
		if part.first < after || j > 0 && after == 0 {
			return false
		}
		d.begin(h.buf, part)
		for d.next() {
			if d.what == split {
				d.split(d.level, d.key)
			} else {
				d.leaf(d.key, d.level, d.what == more)
			}
		}
		if !d.whole() {
			return false
		}
		after = d.after
	}
	return i+1 == len(s.index) || after != 0 && after <= s.index[i+1].first
}

// trees reads where the trees of a stretch are; what is in each is read by others.
type trees struct {
	t     *Tables
	in    bitio.Reader
	end   uint // of the stretch
	begun bool
	bad   bool // the bytes are damaged
	// How many trees and split squares there can be yet: damaged bytes may say
	// that there are any number of them.
	roots, splits int

	key   uint64 // of the tree
	after uint64 // the key after it, 0 at the end of the curve
	level uint8
	what  uint8 // split, or what a leaf is
}

// begin begins a stretch of a packet.
func (d *trees) begin(packet []byte, part *stretch) {
	d.in = bitio.NewReader(packet)
	d.in.Skip(part.start)
	d.end, d.key, d.begun = part.end, part.first, false
	d.roots, d.splits = maxPacket, maxPacket*maxRoot
}

// next reads the root of a tree; false where there is none left.
func (d *trees) next() bool {
	if d.begun && d.in.Position() >= d.end || d.bad {
		return false
	}
	if d.roots--; d.roots < 0 {
		d.bad = true
		return false
	}
	symbol := d.symbol(&d.t.decode[rootTable])
	d.level, d.what = d.t.root, split
	if symbol > 0 {
		d.level += uint8((symbol - 1) / 2 & 63)
		d.what = one + uint8(symbol-1)&1
	}
	if d.level > MaxLevel || symbol >= symbols {
		d.bad = true
		return false
	}
	side := side2(d.level)
	if d.begun {
		start := d.after + side
		gap := d.in.ReadClass(uint(d.t.orders[d.level]))
		d.bad = start < d.after || gap > ^uint64(0)>>(2*d.level)
		start &^= side
		d.key = start + gap<<(2*d.level)
		d.bad = d.bad || d.key < start || d.after == 0
	}
	d.begun = true
	d.bad = d.bad || d.key&side != 0
	d.after = d.key + side + 1
	return !d.bad
}

// whole says that a stretch was read to its end, and no further.
func (d *trees) whole() bool { return !d.bad && d.in.Position() == d.end }

func (d *trees) symbol(t *decoder) uint {
	w := t.words[d.in.Peek()&t.mask]
	d.in.Skip(uint(w & 15))
	return uint(w >> 4)
}

// count reads the count of a leaf of a level that has several points.
func (d *trees) count(level uint8) uint64 {
	symbol := d.symbol(&d.t.decode[countTableOf(level)])
	n := uint64(symbol)
	if symbol >= direct {
		length := symbol - direct + 3
		if length > 63 {
			d.bad = true
			return 0
		}
		n = d.in.Read(length) | 1<<length
	}
	n += 2
	d.bad = d.bad || n < 2
	return n
}

// quarters reads what the quarters of a square are that is split, two bits each.
func (d *trees) quarters(level uint8) uint {
	symbol := d.symbol(&d.t.decode[splitTableOf(level)])
	// Cells are not split.
	if symbol-1 > symbols-2 || level == 1 && symbol>>1&symbol&0x55 != 0 {
		d.bad = true
		return 0
	}
	return symbol
}

// pass passes over the tree whose root was read.
func (d *trees) pass() { d.passQuarter(d.level, d.what) }

// passQuarter passes over a square of a level. What is damaged is not noticed here.
//
// It is most of what a lookup does, and keeps in registers what bits come next, and
// what quarters are yet to pass: a byte for each square from the smallest up, as
// their symbols have them.
func (d *trees) passQuarter(level, what uint8) {
	if what < more {
		return
	}
	in := d.in
	w, used := in.Peek(), uint(0) // of the 57 bits in w
	todo, l := uint64(what), level+1
	for {
		for todo&0xff == 0 {
			if l > level {
				in.Skip(used)
				d.in = in
				return
			}
			todo >>= 8
			l++
		}
		skip := bits.TrailingZeros64(todo) &^ 1
		low := todo & 0xff >> skip
		todo = todo&^0xff | low>>2
		counts := 1
		t := &d.t.decode[countTableOf(l-1)]
		switch low & 3 {
		case one:
			continue
		case split:
			if used > 57-maxLength {
				in.Skip(used)
				w, used = in.Peek(), 0
			}
			split := &d.t.decode[splitTableOf(l-1)]
			e := uint64(split.words[w&split.mask])
			w >>= e & 15
			used += uint(e & 15)
			symbol := e >> 4 & 0xff
			if d.splits--; d.splits < 0 {
				d.bad = true
				return
			}
			if l != 2 {
				todo = todo<<8 | symbol
				l--
				continue
			}
			counts = bits.OnesCount64(symbol >> 1 & 0x55)
			t = &d.t.decode[countTable]
		}
		for ; counts > 0; counts-- {
			if used > 57-maxLength {
				in.Skip(used)
				w, used = in.Peek(), 0
			}
			e := uint(t.words[w&t.mask])
			w >>= e & 15
			used += e & 15
			if e >= direct<<4 {
				in.Skip(used + e>>4 - direct + 3)
				w, used = in.Peek(), 0
			}
		}
	}
}

// packetReader reads the leaves of a packet.
type packetReader struct {
	trees
	b *Packet
}

func (d *packetReader) leaf(key uint64, level uint8, several bool) {
	n := uint64(1)
	if several {
		n = d.count(level)
	}
	i := d.b.N
	if i == maxPacket {
		d.bad = true
		return
	}
	d.b.Keys[i], d.b.Levels[i], d.b.Counts[i] = key, level, n
	d.b.N = i + 1
}

func (d *packetReader) split(level uint8, key uint64) {
	symbol := d.quarters(level)
	if level == 1 {
		d.cells(symbol, key)
		return
	}
	level--
	for ; symbol != 0 && !d.bad; symbol >>= 2 {
		switch symbol & 3 {
		case one:
			d.leaf(key, level, false)
		case more:
			d.leaf(key, level, true)
		case split:
			d.split(level, key)
		}
		key += 1 << (2 * level)
	}
}

// cells reads the quarters of a square of level 1, most of what there is to read:
// their counts are in the same window, but for large ones.
func (d *packetReader) cells(symbol uint, key uint64) {
	t := &d.t.decode[countTable]
	i := d.b.N
	if i > maxPacket-4 {
		d.bad = true
		return
	}
	w, used := d.in.Peek(), uint(0) // 4 symbols of maxLength fit its 57 bits
	for ; symbol != 0; symbol >>= 2 {
		what := symbol & 3
		if what == absent {
			key++
			continue
		}
		n := uint64(1)
		if what == more {
			e := uint(t.words[w&t.mask])
			if e < direct<<4 {
				w >>= e & 15
				used += e & 15
				n = uint64(e>>4) + 2
			} else {
				d.in.Skip(used)
				n = d.count(0)
				w, used = d.in.Peek(), 0
			}
		}
		d.b.Keys[i], d.b.Levels[i], d.b.Counts[i] = key, 0, n
		i++
		key++
	}
	d.in.Skip(used)
	d.b.N = i
}
