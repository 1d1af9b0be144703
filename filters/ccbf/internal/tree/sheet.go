package tree

import (
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
