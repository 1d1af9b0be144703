package cascade

import "encoding/binary"

// Occupied has a bit for each counter of the first layer, 1 where it is not 0: for very many keys,
// as it stays in the caches where counters do not. It is nil where that would not be quicker.
func (d *Counters) Occupied() []uint64 {
	l := &d.Layers[0]
	if l.Width != 4 || d.Shape.K < 4 || d.far() {
		return nil
	}
	occupied := make([]uint64, (l.Size+63)/64)
	for i := range len(l.data) / 8 {
		w := binary.LittleEndian.Uint64(l.data[8*i:])
		w |= w >> 1
		w = (w | w>>2) & 0x1111111111111111 // a bit of each counter, and these together
		w = (w | w>>3) & 0x0303030303030303
		w = (w | w>>6) & 0x000f000f000f000f
		w = (w | w>>12) & 0x000000ff000000ff
		occupied[i/4] |= (w | w>>24) & 0xffff << (i % 4 * 16)
	}
	return occupied
}

// firstOf is first by Occupied.
//
//go:noinline
func (s *starts) firstOf(occupied []uint64, which []uint32) (some int) {
	for i, j := range s.at[:len(which)] {
		which[some] = uint32(i)
		some += bit(occupied, uint64(j))
	}
	return some
}

// nextOf is next by Occupied.
//
//go:noinline
func (s *starts) nextOf(occupied []uint64, size uint64, which []uint32) (some int) {
	for _, i := range which {
		j := next(uint64(s.at[i%keyBatch]), uint64(s.step[i%keyBatch]), size)
		s.at[i%keyBatch] = uint32(j)
		which[some] = i
		some += bit(occupied, j)
	}
	return some
}

// bit is bit j.
func bit(words []uint64, j uint64) int {
	b := 0
	if words[j/64]&(1<<(j%64)) != 0 { // the processor has this without a branch
		b = 1
	}
	return b
}
