package tree

import (
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Tables is a code as it is read.
type Tables struct {
	root   uint8
	steps  uint8
	bytes  []byte // it was read from
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
	t := &Tables{root: uint8(in.Read(rootBits)), steps: uint8(in.Read(orderBits)), bytes: b}
	if t.root != lowRoot && t.root != maxRoot || t.steps > bitio.MaxOrder {
		return nil, sketch.Invalidf("a tree of root level %d, steps of order %d", t.root, t.steps)
	}
	var c Code
	c.root = t.root
	for i := range tables {
		if i > splitTable && i != countTable && in.Read(1) == 1 {
			t.decode[i] = t.decode[i-1]
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
	d, ok := newDecoder(lengths[:], used)
	if !ok {
		return sketch.Invalidf("a table whose words do not add up")
	}
	t.decode[i] = d
	return nil
}
