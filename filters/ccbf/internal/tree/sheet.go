package tree

import (
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Tables is a code as it is read.
type Tables struct {
	root   uint8
	used   [tables]bool
	decode [tables]decoder
	orders [MaxLevel + 1]uint8
}

// ReadCode reads what AppendCode wrote. Errors wrap sketch.ErrInvalid.
func ReadCode(r *sketch.Reader) (*Tables, error) {
	b := r.Bytes(r.Uvarint())
	if err := r.Err(); err != nil {
		return nil, err
	}
	in := bitio.NewReader(b)
	t := &Tables{root: uint8(in.Read(rootBits))}
	if t.root > maxRoot {
		return nil, sketch.Invalidf("a tree of root level %d", t.root)
	}
	var c Code
	c.root = t.root
	for i := range tables {
		if i > splitTable && i != countTable && in.Read(1) == 1 {
			t.used[i], t.decode[i] = t.used[i-1], t.decode[i-1]
			continue
		}
		if err := t.readTable(&in, i, &c); err != nil {
			return nil, err
		}
	}
	for level := t.root; level <= MaxLevel; level++ {
		if c.hasRoots(level) {
			t.orders[level] = uint8(in.Read(orderBits))
			if t.orders[level] > bitio.MaxOrder {
				return nil, sketch.Invalidf("gaps of order %d", t.orders[level])
			}
		}
	}
	if in.Overrun() {
		return nil, sketch.Invalidf("a code of %d bytes that needs more", len(b))
	}
	return t, nil
}

func (t *Tables) readTable(in *bitio.Reader, i int, c *Code) error {
	n := in.ReadClass(usedOrder)
	if n > symbols {
		return sketch.Invalidf("a table of %d symbols", n)
	}
	used := make([]uint16, 0, n)
	var lengths [symbols]uint8
	next := uint64(0)
	for range n {
		s := in.ReadClass(nextOrder)
		if s >= symbols || next+s >= symbols {
			return sketch.Invalidf("a table with a symbol beyond the last")
		}
		s += next
		used = append(used, uint16(s))
		next = s + 1
		if n > 1 {
			lengths[s] = uint8(in.Read(lengthBits))
		}
	}
	if i == rootTable {
		c.used[i] = used
	}
	if n > 0 {
		d, ok := newDecoder(lengths[:], used)
		if !ok {
			return sketch.Invalidf("a table whose words do not add up")
		}
		t.used[i], t.decode[i] = true, d
	}
	return nil
}

// Sheet answers from the bytes of a sheet, which must not change meanwhile.
type Sheet struct {
	t      *Tables
	leaves uint64
	total  uint64
	index  []entry
	data   []byte
}

// Read makes s the sheet that AppendSheet wrote. It reads the index, not the
// trees: their bytes may still be damaged. Errors wrap sketch.ErrInvalid. O(blocks).
func (s *Sheet) Read(t *Tables, r *sketch.Reader) error {
	s.t, s.total, s.index = t, 0, s.index[:0]
	s.leaves = r.Uvarint()
	blocks := r.Uvarint()
	if err := r.Err(); err != nil {
		return err
	}
	// A block has four numbers.
	if blocks > uint64(r.Len())/4 || s.leaves < blocks || s.leaves > blocks*maxBlock {
		return sketch.Invalidf("%d leaves in %d blocks of %d bytes", s.leaves, blocks, r.Len())
	}
	key, end := uint64(0), uint64(0)
	for i := range blocks {
		step := r.Uvarint()
		e := entry{total: r.Uvarint(), trees: r.Uvarint()}
		size := r.Uvarint()
		if err := r.Err(); err != nil {
			return err
		}
		if step > ^uint64(0)>>(2*t.root) || step<<(2*t.root) > ^uint64(0)-key || step == 0 && i > 0 {
			return sketch.Invalidf("block %d of %d begins beyond the last cell", i+1, blocks)
		}
		if e.trees == 0 || e.trees > blockLeaves || e.total < e.trees || size > uint64(r.Len()) {
			return sketch.Invalidf("block %d of %d: %d trees, %d points, %d bytes", i+1, blocks, e.trees, e.total, size)
		}
		key += step << (2 * t.root)
		end += size
		if end > uint64(r.Len()) {
			return sketch.Invalidf("blocks of %d bytes and more, but %d follow", end, r.Len())
		}
		e.first, e.end = key, int(end)
		s.index = append(s.index, e)
		s.total = saturate.Add(s.total, e.total)
	}
	s.data = r.Bytes(end)
	return r.Err()
}

// Leaves and Total are how many leaves there are and how many points.
func (s *Sheet) Leaves() uint64 { return s.leaves }

// Total is the number of points, or the largest number where they are more.
func (s *Sheet) Total() uint64 { return s.total }

// Block is the leaves of a block, read.
type Block struct {
	Keys   [maxBlock]uint64
	Levels [maxBlock]uint8
	Counts [maxBlock]uint64
	N      int
}

// decode reads block i; false where its bytes are damaged.
func (s *Sheet) decode(i int, b *Block) bool {
	from := 0
	if i > 0 {
		from = s.index[i-1].end
	}
	e := &s.index[i]
	d := blockReader{t: s.t, in: bitio.NewReader(s.data[from:e.end]), b: b, ok: true}
	b.N = 0
	after := e.first
	for tree := range e.trees {
		symbol := d.symbol(rootTable)
		level := s.t.root
		if symbol > 0 {
			level += uint8(symbol-1) / 2
		}
		if !d.ok || level > MaxLevel {
			return false
		}
		key := e.first
		if tree > 0 {
			side := side2(level)
			start := after + side
			gap := d.in.ReadClass(uint(s.t.orders[level]))
			if start < after || gap > ^uint64(0)>>(2*level) {
				return false
			}
			start &^= side
			if key = start + gap<<(2*level); key < start {
				return false
			}
		} else if key&side2(level) != 0 {
			return false
		}
		if symbol == 0 {
			d.split(level, key)
		} else {
			d.leaf(key, level, (symbol-1)%2 != 0)
		}
		after = key + side2(level) + 1
		if !d.ok || after == 0 && tree+1 < e.trees {
			return false
		}
	}
	if i+1 < len(s.index) && (after == 0 || after > s.index[i+1].first) {
		return false
	}
	return !d.in.Overrun()
}

// blockReader reads the trees of a block.
type blockReader struct {
	t  *Tables
	in bitio.Reader
	b  *Block
	ok bool
}

func (d *blockReader) symbol(table int) int {
	t := &d.t.decode[table]
	if len(t.words) == 0 {
		d.ok = d.ok && d.t.used[table]
		return int(t.alone)
	}
	w := t.words[d.in.Peek()&t.mask]
	d.in.Skip(uint(w & 15))
	return int(w >> 4)
}

func (d *blockReader) leaf(key uint64, level uint8, several bool) {
	n := uint64(1)
	if several {
		symbol := d.symbol(countTableOf(level))
		n = uint64(symbol)
		if symbol >= direct {
			length := uint(symbol - direct + 3)
			if length > 63 {
				d.ok = false
				return
			}
			n = d.in.Read(length) | 1<<length
		}
		if n += 2; n < 2 {
			d.ok = false
			return
		}
	}
	if d.b.N == maxBlock {
		d.ok = false
		return
	}
	d.b.Keys[d.b.N], d.b.Levels[d.b.N], d.b.Counts[d.b.N] = key, level, n
	d.b.N++
}

func (d *blockReader) split(level uint8, key uint64) {
	if level == 0 {
		d.ok = false
		return
	}
	symbol := d.symbol(splitTableOf(level))
	if symbol == 0 || symbol > 255 {
		d.ok = false
	}
	for q := uint64(0); q < 4 && d.ok; q++ {
		at := key + q<<(2*(level-1))
		switch symbol >> (2 * q) & 3 {
		case one:
			d.leaf(at, level-1, false)
		case more:
			d.leaf(at, level-1, true)
		case split:
			d.split(level-1, at)
		}
	}
}

// All is all leaves; false where the bytes are damaged.
func (s *Sheet) All() (Squares, bool) {
	all := Squares{make([]uint64, 0, s.leaves), make([]uint8, 0, s.leaves), make([]uint64, 0, s.leaves)}
	var b Block
	for i := range s.index {
		if !s.decode(i, &b) {
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

// above is the first block that begins after a key.
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

// Leaf is the leaf that holds a cell, none where the cell has no points.
type Leaf struct {
	Key, Count uint64
	Level      uint8
}

// Find is the leaf that holds a cell; false where there is none. b is for the
// leaves of one block.
func (s *Sheet) Find(key uint64, b *Block) (Leaf, bool) {
	i := s.above(key) - 1
	if i < 0 || !s.decode(i, b) {
		return Leaf{}, false
	}
	low, high := 0, b.N
	for low < high {
		if mid := int(uint(low+high) / 2); b.Keys[mid] <= key {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == 0 || key > b.Keys[low-1]|side2(b.Levels[low-1]) {
		return Leaf{}, false
	}
	return Leaf{b.Keys[low-1], b.Counts[low-1], b.Levels[low-1]}, true
}
