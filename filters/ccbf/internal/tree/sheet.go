package tree

import (
	"bytes"
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Sheet answers from the bytes of a sheet, which must not change meanwhile.
type Sheet struct {
	t      *Tables
	leaves uint64
	total  uint64
	index  []entry
	data   []byte
	bytes  []byte // of all of it
	kept   []keptPacket
	room   *int64 // bytes that may be kept yet
}

// entry is what the index has of a packet.
type entry struct {
	first uint64 // key of its first tree
	total uint64 // points
	end   int    // of the packet, in the data
}

// Read makes s the sheet that AppendSheet wrote. It reads the index, not the
// trees: their bytes may still be damaged. Errors wrap sketch.ErrInvalid. O(packets).
func (s *Sheet) Read(t *Tables, r *sketch.Reader) error {
	*s = Sheet{t: t, index: s.index[:0]}
	start, length := *r, r.Len()
	s.leaves = r.Uvarint()
	packets := r.Uvarint()
	if err := r.Err(); err != nil {
		return err
	}
	// A packet has three numbers and a head.
	if packets > uint64(r.Len())/4 || s.leaves < packets || s.leaves > packets*maxPacket {
		return sketch.Invalidf("%d leaves in %d packets of %d bytes", s.leaves, packets, r.Len())
	}
	key, end := uint64(0), uint64(0)
	for i := range packets {
		step := r.Uvarint()
		e := entry{total: r.Uvarint()}
		size := r.Uvarint()
		if err := r.Err(); err != nil {
			return err
		}
		if step > ^uint64(0)>>(2*t.root) || step<<(2*t.root) > ^uint64(0)-key || step == 0 && i > 0 {
			return sketch.Invalidf("packet %d of %d begins beyond the last cell", i+1, packets)
		}
		if e.total == 0 || size == 0 || size >= 1<<(7*maxLengthBytes) {
			return sketch.Invalidf("packet %d of %d: %d points, %d bytes", i+1, packets, e.total, size)
		}
		key += step << (2 * t.root)
		end += size
		if end > uint64(r.Len()) {
			return sketch.Invalidf("packets of %d bytes and more, but %d follow", end, r.Len())
		}
		e.first, e.end = key, int(end)
		s.index = append(s.index, e)
		s.total = saturate.Add(s.total, e.total)
	}
	s.data = r.Bytes(end)
	s.bytes = start.Bytes(uint64(length - r.Len()))
	return r.Err()
}

// Leaves is how many leaves there are. Many can take few bytes, 80 of them one byte
// where all are alike: whoever wants All of them, or asks for the hotspots of several
// sheets, compares their number with the memory that there is first.
func (s *Sheet) Leaves() uint64 { return s.leaves }

// Total is the number of points, or the largest number where they are more.
func (s *Sheet) Total() uint64 { return s.total }

// All is all leaves; false where the bytes are damaged.
func (s *Sheet) All() (Squares, bool) {
	const atOnce = 1 << 20 // memory for no more than that on the bytes' word
	n := min(s.leaves, atOnce)
	all := Squares{make([]uint64, 0, n), make([]uint8, 0, n), make([]uint64, 0, n)}
	var b Packet
	for i := range s.index {
		if !s.decode(i, &b) || uint64(all.Len()+b.N) > s.leaves {
			return Squares{}, false
		}
		sum := uint64(0)
		for j := range b.N {
			sum = saturate.Add(sum, b.Counts[j])
		}
		if sum != s.index[i].total {
			return Squares{}, false
		}
		all.Keys = append(all.Keys, b.Keys[:b.N]...)
		all.Levels = append(all.Levels, b.Levels[:b.N]...)
		all.Counts = append(all.Counts, b.Counts[:b.N]...)
	}
	return all, uint64(all.Len()) == s.leaves
}

// above is the first packet that begins after a key.
func (s *Sheet) above(key uint64) int {
	low, high := 0, len(s.index)
	for low < high {
		if mid := int(uint(low+high) / 2); s.index[mid].first <= key {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// stretches is where the stretches of a packet are.
type stretches struct {
	t    *Tables
	buf  []byte // the packet
	n    int
	part [2]stretch
}

type stretch struct {
	first      uint64 // key of its first tree
	start, end uint   // its bits in the packet
}

// stretches reads the head of a packet; false where it is damaged.
func (s *Sheet) stretches(i int, h *stretches) bool {
	from := 0
	if i > 0 {
		from = s.index[i-1].end
	}
	h.t, h.buf = s.t, s.data[from:s.index[i].end]
	in := bitio.NewReader(h.buf)
	h.n = int(in.Read(stretchesBits)) + 1
	end := uint(len(h.buf))*8 - uint(in.Read(restBits))
	h.part[0].first = s.index[i].first
	if h.n > 1 {
		first := s.index[i].first
		step := in.ReadClass(uint(s.t.steps))
		if step >= (^uint64(0)-first)>>(2*s.t.root) {
			return false
		}
		first += (step + 1) << (2 * s.t.root)
		length := in.ReadClass(stretchOrder)
		if length > uint64(end) {
			return false
		}
		middle := in.Position() + uint(length)
		h.part[1] = stretch{first, middle, end}
		h.part[0].end = middle
	} else {
		h.part[0].end = end
	}
	h.part[0].start = in.Position()
	return h.part[0].start <= h.part[0].end && h.part[0].end <= end && !in.Overrun()
}

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

// Each calls f for the leaves of all sheets that meet an area, in order, until stop is
// set: f may be called a few times more. Leaves of several sheets that are the same square
// are one, with the points of all. Packets with damaged bytes have no leaves.
func Each(sheets []Sheet, a Area, b *Packet, stop *bool, f func(Leaf)) {
	least := uint64(0)
	if len(sheets) == 1 {
		sheets[0].Visit(a, b, &least, func(l Leaf, _ bool) {
			if f(l); *stop {
				least = ^uint64(0) // of the packets that are left
			}
		})
		return
	}
	all := merged(sheets, a, b)
	for i, key := range all.Keys {
		if *stop {
			return
		}
		f(Leaf{key, all.Counts[i], all.Level(i)})
	}
}

// merged is the leaves of sheets that meet an area, added up.
func merged(sheets []Sheet, a Area, b *Packet) Squares {
	var all Merger
	none := uint64(0)
	for i := range sheets {
		var s Squares
		sheets[i].Visit(a, b, &none, func(l Leaf, _ bool) { s.push(l.Key, l.Level, l.Count) })
		all.Add(s)
	}
	return all.Sum()
}

// Check reads all sheets of all parts, in a code, and returns the squares of each
// part. It is an error that wraps sketch.ErrInvalid where the bytes are damaged,
// where there are more than most leaves, or where they are not the bytes that these
// squares are written as: a tree has one spelling. O(leaves).
func Check(t *Tables, parts [][]Sheet, most uint64) ([]Squares, error) {
	leaves := uint64(0) // of a sheet fewer than 2^32 times maxPacket, of BLOBs in memory
	for _, sheets := range parts {
		for i := range sheets {
			leaves += sheets[i].leaves
		}
	}
	if leaves > most {
		return nil, sketch.Invalidf("a tree of %d leaves; at most %d fit here", leaves, most)
	}
	out, lists := make([]Squares, len(parts)), make([][]Squares, len(parts))
	for i, sheets := range parts {
		var m Merger
		for j := range sheets {
			s, ok := sheets[j].All()
			if !ok {
				return nil, sketch.Invalidf("the leaves of sheet %d of %d are damaged", j+1, len(sheets))
			}
			m.Add(s)
		}
		out[i] = m.Sum()
		lists[i] = out[i].Sheets()
		if len(lists[i]) != len(sheets) {
			return nil, sketch.Invalidf("the leaves of %d sheets fit %d", len(sheets), len(lists[i]))
		}
	}
	code := CodeFor(lists)
	if !bytes.Equal(code.appendFields(nil), t.bytes) {
		return nil, sketch.Invalidf("a code other than that of its leaves")
	}
	e := NewEncoder(code)
	var memory []byte
	for i, sheets := range lists {
		for j := range sheets {
			if memory = e.AppendSheet(memory[:0], &sheets[j]); !bytes.Equal(memory, parts[i][j].bytes) {
				return nil, sketch.Invalidf("sheet %d of %d is not written as its leaves are", j+1, len(sheets))
			}
		}
	}
	return out, nil
}
