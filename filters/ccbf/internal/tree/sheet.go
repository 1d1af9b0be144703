package tree

import (
	"math"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Sheet reads a sheet (disjoint leaves in packets) from the bytes of a BLOB. They must not change
// meanwhile.
type Sheet struct {
	leaves  uint64
	total   uint64
	index   []entry
	data    []byte
	decoder *decoder
}

// entry describes a packet in the index of a sheet.
type entry struct {
	first   uint64        // key of its first tree
	total   uint64        // number of points in the packet.
	end     int           // where the packet ends in Sheet.data.
	decoded bool          // whether the packet was decoded before.
	kept    cells.Squares // its leaves; none if they are not kept.
}

// Read sets s to a sheet that AppendSheet wrote. Queries decode its packets by d. Read reads the index, not the
// trees, whose bytes may be damaged. Errors wrap sketch.ErrInvalid. O(packets).
func (s *Sheet) Read(r *sketch.Reader, d *decoder) error {
	*s = Sheet{leaves: r.Uvarint(), index: s.index[:0], decoder: d}
	packets, root := r.Uvarint(), d.root
	if err := r.Err(); err != nil {
		return err
	}
	// A packet has three numbers and a head, at least a byte each.
	if packets > uint64(r.Len())/4 || s.leaves < packets || s.leaves > min(packets*maxPacket, math.MaxInt32) {
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
		if step > ^uint64(0)>>(2*root) || step<<(2*root) > ^uint64(0)-key || step == 0 && i > 0 {
			return sketch.Invalidf("packet %d of %d begins beyond the last cell", i+1, packets)
		}
		if e.total == 0 || size == 0 || size >= 1<<(7*maxLengthBytes) {
			return sketch.Invalidf("packet %d of %d: %d points, %d bytes", i+1, packets, e.total, size)
		}
		key += step << (2 * root)
		end += size
		if end > uint64(r.Len()) {
			return sketch.Invalidf("packets of %d bytes and more, but %d follow", end, r.Len())
		}
		e.first, e.end = key, int(end)
		s.index = append(s.index, e)
		s.total = saturate.Add(s.total, e.total)
	}
	s.data = r.Bytes(end)
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
	e, d := &s.index[i], s.decoder
	if e.kept.Len() > 0 {
		return e.kept
	}
	if d.sheet == s && d.i == i {
		return d.leaves()
	}
	if !d.decode(s, i) {
		return cells.Squares{}
	}
	leaves := d.leaves()
	if n := cells.SquareBytes(leaves.Len()); e.decoded && n <= d.room {
		d.room -= n
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
	all := cells.Room(int(min(s.leaves, atOnce)))
	for i := range s.index {
		if !s.decoder.decode(s, i) || uint64(all.Len()+s.decoder.n) > s.leaves {
			return cells.Squares{}, false
		}
		leaves := s.decoder.leaves()
		if leaves.Total() != s.index[i].total {
			return cells.Squares{}, false
		}
		all.Append(leaves)
	}
	return all, uint64(all.Len()) == s.leaves
}

// decoder decodes the leaves of one packet into its memory. The sheets of a reader share it.
type decoder struct {
	Tables
	sheet *Sheet // the sheet of the packet that was decoded last; nil if there is none, or if it is damaged.
	i     int    // the index of this packet in its sheet.
	room  int64  // number of bytes that the sheets may still use to keep packets.

	in    bitio.Reader
	bad   bool   // whether the bytes are damaged
	after uint64 // the first key after the last tree; 0 at the end of the Z-order curve.

	keys   [maxPacket]uint64
	levels [maxPacket]uint8
	counts [maxPacket]uint64
	n      int
}

// leaves returns the leaves that were decoded last, in the memory of d.
func (d *decoder) leaves() cells.Squares {
	return cells.Squares{Keys: d.keys[:d.n], Levels: d.levels[:d.n], Counts: d.counts[:d.n]}
}

// decode reads packet i of a sheet; false if its bytes are damaged.
func (d *decoder) decode(s *Sheet, i int) bool {
	d.sheet, d.i, d.n = nil, i, 0
	from, first := 0, s.index[i].first
	if i > 0 {
		from = s.index[i-1].end
	}
	packet := s.data[from:s.index[i].end]
	d.in, d.bad, d.after = bitio.NewReader(packet), false, 0
	two := d.in.Read(stretchesBits) == 1
	end := uint(len(packet))*8 - uint(d.in.Read(restBits))
	if two {
		step, length := d.in.ReadClass(uint(d.steps)), d.in.ReadClass(stretchOrder)
		second := first + (step+1)<<(2*d.root)
		if step >= (^uint64(0)-first)>>(2*d.root) || length > uint64(end) ||
			!d.stretch(first, d.in.Position()+uint(length)) || d.after == 0 || second < d.after {
			return false
		}
		first = second
	}
	if !d.stretch(first, end) || i+1 < len(s.index) && (d.after == 0 || d.after > s.index[i+1].first) {
		return false
	}
	d.sheet = s
	return true
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
	symbol := d.symbol(rootTable)
	level := rootLevel(symbol, d.root)
	if level > cells.MaxLevel || symbol >= symbols {
		d.bad = true
		return
	}
	side := cells.LowBits(level)
	if gap {
		start := d.after + side
		gap := d.in.ReadClass(uint(d.orders[level]))
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

// symbol reads a symbol of a table.
func (d *decoder) symbol(table int) uint {
	t := &d.lookup[table]
	w := t.words[d.in.Peek()&t.mask]
	d.in.Skip(uint(w & 15))
	return uint(w >> 4)
}

// count reads the count of a leaf with several points.
func (d *decoder) count(level uint8) uint64 {
	symbol := d.symbol(countTableOf(level))
	n := uint64(symbol)
	if symbol >= direct {
		length := extraBits(int(symbol))
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
	i := d.n
	if i == maxPacket {
		d.bad = true
		return
	}
	d.keys[i], d.levels[i], d.counts[i] = key, level, n
	d.n = i + 1
}

// split reads a split square of a level, with all leaves inside. Its symbol has the kinds of its quarters,
// two bits each.
func (d *decoder) split(level uint8, key uint64) {
	symbol := d.symbol(splitTableOf(level))
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
