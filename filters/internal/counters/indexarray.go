package counters

import "math/bits"

// index is counters under a string-array index.
type index struct{ packed }

func newIndex(n int) *index { return &index{newPacked(indexCodec{}, n)} }

func (a *index) Encoding() Encoding { return Index }

func (a *index) At(i int) uint64 {
	if uint(i) >= uint(a.n) {
		panic(outOfRange(i, a.n))
	}
	return a.indexAt(uint(i))
}

// Set writes to the counter's own bits where they suffice, which is nearly
// always: a counter gets longer only when it doubles.
func (a *index) Set(i int, v uint64) {
	if uint(i) >= uint(a.n) {
		panic(outOfRange(i, a.n))
	}
	pos, n := a.find(uint(i))
	old := load(a.mem, pos) & mask(n)
	if uint(bits.Len64(v)) <= n {
		put(a.mem, pos, v, n)
	} else {
		a.grow(i, v)
	}
	if bits.Len64(v) != bits.Len64(old) {
		a.reweigh(old, v)
	}
}

// grow writes a counter's chunk anew and pushes the chunks behind it, up to
// the slack at the end of the group; where there is too little, other groups
// give of theirs.
func (a *index) grow(i int, v uint64) {
	g, k := i/blockLen, i/chunkLen%8
	var buf [chunkLen]uint64
	for {
		c := uint(i / chunkLen)
		pos, _ := a.chunk(c)
		after := a.readChunk(c, &buf)
		buf[i%chunkLen] = v
		chunk := buf[:min(chunkLen, a.n-int(c)*chunkLen)]
		size, vector := chunkSize(a.p, chunk)
		end := a.pos(g) + a.c.used(&a.store, g)
		// The new end of the group, which begins at a byte.
		need := end + size - (after - pos) - a.pos(g)
		if int(need+7)/8 > a.start(g+1)-a.start(g) {
			if !a.makeRoom(g, int(need+7)/8) {
				a.rebuild(g, maxChunk)
			}
			continue
		}
		move(a.mem, pos+size, after, end-after)
		a.moved += uint64(end-after) + uint64(size)
		last := min(7, (a.n-1-g*blockLen)/chunkLen)
		for ; last > k; last-- {
			at, long := a.chunk(uint(g*8 + last))
			a.setChunk(g, last, at+size-(after-pos)-a.pos(g), long)
		}
		a.setChunk(g, k, pos-a.pos(g), vector)
		w := newWriter(a.mem, pos)
		w.putChunk(a.p, chunk)
		w.flush()
		return
	}
}

// maxChunk is how many bytes the largest chunk takes.
const maxChunk = (vectorBits + chunkLen*64 + 7) / 8
