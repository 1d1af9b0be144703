package tree

import (
	"bytes"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Sheet reads a sheet (disjoint leaves in packets) from the bytes of a BLOB. They must not change
// meanwhile.
type Sheet struct {
	t      *Tables
	leaves uint64
	total  uint64
	index  []entry
	data   []byte
	bytes  []byte  // the whole sheet
	packet *Packet // memory for a decoded packet
}

// entry describes a packet in the index of a sheet.
type entry struct {
	first   uint64        // key of its first tree
	total   uint64        // number of points in the packet.
	end     int           // where the packet ends in Sheet.data.
	decoded bool          // whether the packet was decoded before.
	kept    cells.Squares // its leaves; none if they are not kept.
}

// Read sets s to a sheet that AppendSheet wrote. Queries decode packets into the memory of b. Read reads the
// index, not the trees, whose bytes may be damaged. Errors wrap sketch.ErrInvalid. O(packets).
func (s *Sheet) Read(t *Tables, r *sketch.Reader, b *Packet) error {
	clear(s.index) // forget the leaves of another sheet
	*s = Sheet{t: t, index: s.index[:0], packet: b}
	start, length := *r, r.Len()
	s.leaves = r.Uvarint()
	packets := r.Uvarint()
	if err := r.Err(); err != nil {
		return err
	}
	// A packet has three numbers and a head, at least a byte each.
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

// Packets implements form.Sheet.
func (s *Sheet) Packets() int { return len(s.index) }

// First implements form.Sheet. It returns the key of the first tree of packet i.
func (s *Sheet) First(i int) uint64 { return s.index[i].first }

// PacketTotal implements form.Sheet. The index has all totals.
func (s *Sheet) PacketTotal(i int) (uint64, bool) { return s.index[i].total, true }

// Total implements form.Sheet.
func (s *Sheet) Total() uint64 { return s.total }

// Number implements form.Sheet. A byte of code may stand for 80 leaves. So compare this number with the free
// memory before you call All, or visit several sheets.
func (s *Sheet) Number() int { return int(s.leaves) }

// Packet implements form.Sheet. It keeps the leaves of a packet that it decodes a second time, because decoding
// takes longer than most queries.
func (s *Sheet) Packet(i int) cells.Squares {
	e, b := &s.index[i], s.packet
	if e.kept.Len() > 0 {
		return e.kept
	}
	if b.sheet == s && b.i == i {
		return b.leaves()
	}
	if !s.decode(i, b) {
		return cells.Squares{}
	}
	leaves := b.leaves()
	if n := cells.SquareBytes(leaves.Len()); e.decoded && n <= b.room {
		b.room -= n
		e.kept = leaves.Clone()
	}
	e.decoded = true
	return leaves
}

// All returns all leaves; false if the bytes are damaged.
func (s *Sheet) All() (cells.Squares, bool) {
	// A damaged BLOB may state any number of leaves. So no more than this is allocated before leaves are
	// decoded.
	const atOnce = 1 << 20
	n := min(s.leaves, atOnce)
	all := cells.Squares{Keys: make([]uint64, 0, n), Levels: make([]uint8, 0, n), Counts: make([]uint64, 0, n)}
	var b Packet
	for i := range s.index {
		if !s.decode(i, &b) || uint64(all.Len()+b.n) > s.leaves {
			return cells.Squares{}, false
		}
		leaves := b.leaves()
		if leaves.Total() != s.index[i].total {
			return cells.Squares{}, false
		}
		all.Keys = append(all.Keys, leaves.Keys...)
		all.Levels = append(all.Levels, leaves.Levels...)
		all.Counts = append(all.Counts, leaves.Counts...)
	}
	return all, uint64(all.Len()) == s.leaves
}

// Packet is memory for the decoded leaves of one packet. The sheets of a reader share it.
type Packet struct {
	sheet *Sheet // the sheet of the packet that was decoded last; nil if there is none, or if it is damaged.
	i     int    // the index of this packet in its sheet.
	room  int64  // number of bytes that the sheets may still use to keep packets.

	keys   [maxPacket]uint64
	levels [maxPacket]uint8
	counts [maxPacket]uint64
	n      int
}

// leaves returns the leaves that were decoded last, in the memory of b.
func (b *Packet) leaves() cells.Squares {
	return cells.Squares{Keys: b.keys[:b.n], Levels: b.levels[:b.n], Counts: b.counts[:b.n]}
}

// decode reads packet i; false if its bytes are damaged.
func (s *Sheet) decode(i int, b *Packet) bool {
	b.sheet, b.i, b.n = nil, i, 0
	from, first := 0, s.index[i].first
	if i > 0 {
		from = s.index[i-1].end
	}
	packet := s.data[from:s.index[i].end]
	d := decoder{t: s.t, in: bitio.NewReader(packet), b: b}
	stretches := d.in.Read(stretchesBits) + 1
	end := uint(len(packet))*8 - uint(d.in.Read(restBits))
	if stretches == 1 {
		if !d.stretch(first, end) {
			return false
		}
	} else {
		step := d.in.ReadClass(uint(s.t.steps))
		if step >= (^uint64(0)-first)>>(2*s.t.root) {
			return false
		}
		second := first + (step+1)<<(2*s.t.root)
		length := d.in.ReadClass(stretchOrder)
		if length > uint64(end) || !d.stretch(first, d.in.Position()+uint(length)) ||
			d.after == 0 || second < d.after || !d.stretch(second, end) {
			return false
		}
	}
	if i+1 < len(s.index) && (d.after == 0 || d.after > s.index[i+1].first) {
		return false
	}
	b.sheet = s
	return true
}

// decoder reads the leaves of a packet.
type decoder struct {
	t   *Tables
	in  bitio.Reader
	b   *Packet
	bad bool // whether the bytes are damaged

	after uint64 // the first key after the last tree; 0 at the end of the Z-order curve.
}

// stretch reads the trees of a stretch, which ends at bit end of the packet. Its first tree is at key
// first. It returns false if the trees are damaged.
func (d *decoder) stretch(first uint64, end uint) bool {
	for begun := false; (!begun || d.in.Position() < end) && !d.bad; begun = true {
		d.tree(first, begun)
	}
	return !d.bad && d.in.Position() == end && !d.in.Overrun()
}

// tree reads a tree. gap says whether a gap comes before it. The first tree of a stretch has none, and is
// at key.
func (d *decoder) tree(key uint64, gap bool) {
	symbol := d.symbol(&d.t.decode[rootTable])
	level := d.t.root
	if symbol > 0 {
		level += uint8((symbol - 1) / 2 & 63)
	}
	if level > cells.MaxLevel || symbol >= symbols {
		d.bad = true
		return
	}
	side := cells.LowBits(level)
	if gap {
		start := d.after + side
		gap := d.in.ReadClass(uint(d.t.orders[level]))
		d.bad = start < d.after || gap > ^uint64(0)>>(2*level)
		start &^= side
		key = start + gap<<(2*level)
		d.bad = d.bad || key < start || d.after == 0
	}
	d.bad = d.bad || key&side != 0
	d.after = key + side + 1
	switch {
	case d.bad:
	case symbol == 0:
		d.split(level, key)
	default:
		d.leaf(key, level, (symbol-1)&1 == more-one)
	}
}

// symbol reads a symbol in the code of table t.
func (d *decoder) symbol(t *table) uint {
	w := t.words[d.in.Peek()&t.mask]
	d.in.Skip(uint(w & 15))
	return uint(w >> 4)
}

// count reads the count of a leaf with several points.
func (d *decoder) count(level uint8) uint64 {
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

// leaf adds a leaf. several says that it has several points, whose number is read.
func (d *decoder) leaf(key uint64, level uint8, several bool) {
	n := uint64(1)
	if several {
		n = d.count(level)
	}
	i := d.b.n
	if i == maxPacket {
		d.bad = true
		return
	}
	d.b.keys[i], d.b.levels[i], d.b.counts[i] = key, level, n
	d.b.n = i + 1
}

// split reads a split square of a level, with all leaves inside. Its symbol has the kinds of its quarters,
// two bits each.
func (d *decoder) split(level uint8, key uint64) {
	symbol := d.symbol(&d.t.decode[splitTableOf(level)])
	// Symbol 0 is a square without leaves, which is never written. The quarters of a square of level 1
	// are cells, which cannot be split.
	if symbol-1 > symbols-2 || level == 1 && symbol>>1&symbol&0x55 != 0 {
		d.bad = true
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

// Check reads all sheets of all parts in a code, and returns the squares of each part. The error wraps
// sketch.ErrInvalid if the bytes are damaged, or if there are more than most leaves. It does so too if
// these squares would be written as other bytes: a tree has only one valid encoding. O(leaves).
func Check(t *Tables, parts [][]Sheet, most uint64) ([]cells.Squares, error) {
	leaves := uint64(0) // no overflow: a sheet in memory has fewer than 2^32 packets
	for _, sheets := range parts {
		for i := range sheets {
			leaves += sheets[i].leaves
		}
	}
	if leaves > most {
		return nil, sketch.Invalidf("a tree of %d leaves; at most %d fit here", leaves, most)
	}
	out, lists := make([]cells.Squares, len(parts)), make([][]cells.Squares, len(parts))
	for i, sheets := range parts {
		var m cells.Merger
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
	if !bytes.Equal(code.fields(), t.bytes) {
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
