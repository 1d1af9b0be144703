package tree

import "slices"

// Leaf is a square and how many points are known to be in it.
type Leaf struct {
	Key, Count uint64
	Level      uint8
}

// Find is the leaf that holds a cell; false where there is none, or its packet is
// damaged. b is memory for one packet.
func (s *Sheet) Find(key uint64, b *Packet) (Leaf, bool) {
	i := s.above(key) - 1
	if i < 0 {
		return Leaf{}, false
	}
	if kept := s.keep(i, 1, b); kept != nil {
		return kept.find(searchAbove(kept.Keys, key), key)
	}
	return s.descend(i, key, &b.head)
}

// find is the leaf that holds a cell, of those up to the one before i the last.
func (k *keptPacket) find(i int, key uint64) (Leaf, bool) {
	if i == 0 || key > k.last(i-1) {
		return Leaf{}, false
	}
	return Leaf{k.Keys[i-1], k.Counts[i-1], k.Levels[i-1]}, true
}

// descend reads packet i no further than the leaf that holds a cell.
func (s *Sheet) descend(i int, key uint64, h *stretches) (Leaf, bool) {
	if !s.stretches(i, h) {
		return Leaf{}, false
	}
	part := &h.part[0]
	if h.n > 1 && h.part[1].first <= key {
		part = &h.part[1]
	}
	d := trees{t: s.t}
	d.begin(h.buf, part)
	for d.next() && d.key <= key {
		if key <= d.last() {
			return d.down(key)
		}
		d.pass()
	}
	return Leaf{}, false
}

// last is the last key of the tree whose root was read.
func (d *trees) last() uint64 { return d.key | side2(d.level) }

// down is the leaf that holds a cell in the tree whose root was read.
func (d *trees) down(key uint64) (Leaf, bool) {
	level, what := d.level, d.what
	for what == split {
		symbol := d.quarters(level)
		level--
		for q := key >> (2 * level) & 3; q > 0; q-- {
			d.passQuarter(level, uint8(symbol&3))
			symbol >>= 2
		}
		what = uint8(symbol & 3)
	}
	l := Leaf{key &^ side2(level), 1, level}
	if what == more {
		l.Count = d.count(level)
	}
	if what == absent || d.bad || d.in.Position() > d.end {
		return Leaf{}, false
	}
	return l, true
}

// sweep is FindAll for cells in one stretch: each tree is gone down once for each of
// its cells, and passed over once.
func (d *trees) sweep(keys []uint64, out []Leaf) {
	clear(out)
	for j := 0; d.next(); {
		inside := d.in
		for ; j < len(keys) && keys[j] <= d.last(); j++ {
			if d.in = inside; keys[j] >= d.key {
				out[j], _ = d.down(keys[j])
			}
		}
		if j == len(keys) {
			return
		}
		d.in = inside
		d.pass()
	}
}

// FindAll is Find for many cells in Z-order: out[i] is the leaf that holds keys[i],
// of no points where there is none. A packet that holds several of them is read once.
func (s *Sheet) FindAll(keys []uint64, out []Leaf, b *Packet) {
	out = out[:len(keys)]
	i := -1
	for len(keys) > 0 {
		i = s.gallop(keys[0], i+1) - 1
		n := len(keys)
		if i+1 < len(s.index) {
			n = below(keys, s.index[i+1].first)
		}
		s.findIn(i, keys[:n], out[:n], b)
		keys, out = keys[n:], out[n:]
	}
}

// findIn is FindAll for cells that only packet i can hold.
func (s *Sheet) findIn(i int, keys []uint64, out []Leaf, b *Packet) {
	if i < 0 {
		clear(out)
		return
	}
	k := s.keep(i, len(keys), b)
	if k == nil && len(keys) < manyCells {
		h := &b.head
		if !s.stretches(i, h) {
			clear(out)
			return
		}
		d, n := trees{t: s.t}, len(keys)
		if h.n > 1 {
			n = below(keys, h.part[1].first)
		}
		if n > 0 {
			d.begin(h.buf, &h.part[0])
			d.sweep(keys[:n], out[:n])
		}
		if n < len(keys) {
			d.begin(h.buf, &h.part[1])
			d.sweep(keys[n:], out[n:])
		}
		return
	}
	if k == nil {
		if !s.decode(i, b) {
			clear(out)
			return
		}
		k = &keptPacket{Squares: b.squares()}
	}
	at := 0
	for j, key := range keys {
		at += below(k.Keys[at:], key+1)
		if key == ^uint64(0) {
			at = len(k.Keys)
		}
		out[j], _ = k.find(at, key)
	}
}

// gallop is above for a packet that is probably near from, where those before from
// begin at the key or before it.
func (s *Sheet) gallop(key uint64, from int) int {
	step := 1
	for from+step <= len(s.index) && s.index[from+step-1].first <= key {
		from += step
		step *= 2
	}
	n, _ := slices.BinarySearchFunc(s.index[from:min(from+step, len(s.index))], key, func(e entry, key uint64) int {
		if e.first <= key {
			return -1
		}
		return 1
	})
	return from + n
}

// below is how many of the keys, in order, are below one, which is probably near.
func below(keys []uint64, key uint64) int {
	low, step := 0, 1
	for low+step <= len(keys) && keys[low+step-1] < key {
		low += step
		step *= 2
	}
	n, _ := slices.BinarySearch(keys[low:min(low+step, len(keys))], key)
	return low + n
}

// manyCells is from how many cells in a packet on it is read as a whole.
const manyCells = 32

// squares are the leaves that were read, in the memory of the packet.
func (b *Packet) squares() Squares { return Squares{b.Keys[:b.N], b.Levels[:b.N], b.Counts[:b.N]} }

// keptPacket is what is known of a packet.
type keptPacket struct {
	Squares     // empty where it was not read
	asked   int // questions to it
}

// keepAfter is after how many questions to a packet it is kept: to read it whole
// takes about as long as so many.
const keepAfter = 4

// Keep makes s keep the leaves of packets that are asked for again and again, while
// *room lasts, which counts bytes: some 17 a leaf. Sheets can share it. A sheet that
// keeps packets answers one question at a time.
func (s *Sheet) Keep(room *int64) {
	const each = 96
	if need := int64(len(s.index)) * each; need <= *room {
		*room -= need
		s.room, s.kept = room, make([]keptPacket, len(s.index))
	}
}

// keep is packet i after n more questions to it; nil where it is not kept.
func (s *Sheet) keep(i, n int, b *Packet) *keptPacket {
	if s.kept == nil {
		return nil
	}
	k := &s.kept[i]
	if k.Keys != nil {
		return k
	}
	if k.asked += n; k.asked < keepAfter || *s.room < maxPacket*leafBytes || !s.decode(i, b) {
		return nil
	}
	*s.room -= int64(b.N) * leafBytes
	k.Squares = Squares{slices.Clone(b.Keys[:b.N]), slices.Clone(b.Levels[:b.N]), slices.Clone(b.Counts[:b.N])}
	return k
}

// leafBytes is the memory of a leaf that is kept.
const leafBytes = 17
