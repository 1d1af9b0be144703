package counters

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/words"
)

// Array has counters from 0 to 2^64-1, in a string-array index that can change. An index out of range
// panics. Methods that only read may run in parallel.
type Array struct {
	store
	// sum is the total length of all counters in bits. full is the value of sum at the last layout.
	sum, full uint
	// moved is the number of bits of counters that were moved so far. rebuilds is the number of layouts
	// so far.
	moved    uint64
	rebuilds int
}

// NewArray returns n counters, n from 1 to MaxLen, all 0.
func NewArray(n int) *Array {
	if n < 1 || n > MaxLen {
		panic(fmt.Sprintf("counters: %d counters", n))
	}
	a := new(Array)
	a.adopt(zeros(n), roomy)
	return a
}

// zeros is a Source with this number of counters, all 0.
type zeros int

func (z zeros) Len() int                 { return int(z) }
func (z zeros) Unpack(_ int, d []uint64) { clear(d) }

// adopt replaces the counters by those of src. It lays them out with new slack and new parameters.
func (a *Array) adopt(src Source, slack slack) {
	ch := indexCodec{}.choose(src)
	_, a.store = layout(nil, indexCodec{}, src, ch, slack)
	// The memory was allocated for the worst case. A copy frees the unused part.
	a.mem = append(make([]byte, 0, len(a.mem)+pad), a.mem[:len(a.mem)+pad]...)
	a.sum, a.full = ch.weight, ch.weight
}

// rebuild lays all counters out again, and leaves extra free bytes after group g.
func (a *Array) rebuild(g, extra int) {
	old := a.store
	a.adopt(reader{&old, indexCodec{}}, func(k, n int) int {
		if k == g {
			return roomy(k, n) + extra
		}
		return roomy(k, n)
	})
	a.rebuilds++
	a.moved += uint64(len(a.mem)) * 8
}

// reweigh updates sum after a counter changed from the value from to the value to. If half of the memory may be unused, it
// lays all counters out again. This costs no more than the changes since the last layout (section 4.4).
func (a *Array) reweigh(from, to uint64) {
	a.sum += uint(bits.Len64(to)) - uint(bits.Len64(from))
	if a.sum < a.full && a.full-a.sum > max(a.full, uint(a.n))/2 {
		a.rebuild(-1, 0)
	}
}

// Len returns the number of counters.
func (a *Array) Len() int { return a.n }

// Bytes returns the memory that the counters take now.
func (a *Array) Bytes() int { return cap(a.mem) }

// Unpack copies len(dst) counters to dst, beginning with counter at.
func (a *Array) Unpack(at int, dst []uint64) {
	checkRange(at, len(dst), a.n)
	indexCodec{}.unpack(&a.store, at, dst)
}

// Update calls f with all counters in order, in blocks of at most 64 that begin at at. f may change them,
// but must not use the array. O(Len), which is much cheaper than a call of Set for each. The new counters
// are first written with the old parameters, because their own are only known at the end.
func (a *Array) Update(f func(at int, block []uint64)) {
	t := newStore(indexCodec{}, a.n, a.p, make([]byte, a.base+maxGroup+pad, len(a.mem)+maxGroup+pad))
	end := t.base
	for at, group := range words.Blocks(reader{&a.store, indexCodec{}}) {
		g := at / blockLen
		f(at, group)
		t.mem = slices.Grow(t.mem, maxGroup)[:end+maxGroup+pad]
		t.setStart(g, end-t.base)
		end = int(indexCodec{}.put(&t, g, t.pos(g), group)+7) / 8
	}
	t.mem = t.mem[:end]
	a.adopt(reader{&t, indexCodec{}}, roomy)
}

// maxGroup is more than the bytes of a group.
const maxGroup = 1024

// At returns counter i. It allocates nothing.
func (a *Array) At(i int) uint64 {
	if uint(i) >= uint(a.n) {
		panic(outOfRange(i, a.n))
	}
	return a.indexAt(uint(i))
}

// Set sets counter i to v: amortised O(1). It nearly always writes to the counter's own bits, as a counter
// gets longer only when it doubles.
func (a *Array) Set(i int, v uint64) {
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

// grow sets counter i to v, which needs more bits than the counter has. It writes the chunk of the
// counter anew, and moves the later chunks of the group into the slack at the group's end. If there is
// too little slack, other groups give some of theirs.
func (a *Array) grow(i int, v uint64) {
	g, k := i/blockLen, i/chunkLen%8
	var buf [chunkLen]uint64
	for {
		c := uint(i / chunkLen)
		pos, _ := a.chunk(c)
		after := a.readChunk(c, &buf)
		buf[i%chunkLen] = v
		chunk := buf[:min(chunkLen, a.n-int(c)*chunkLen)]
		size, vector := chunkSize(a.p, chunk)
		end := a.pos(g) + a.used(g)
		// need is the number of bits of group g with the new chunk. A group begins at a whole byte.
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

// maxChunk is the bytes of the largest chunk.
const maxChunk = (vectorBits + chunkLen*64 + 7) / 8

// makeRoom moves groups so that group g may take need bytes. It searches the smallest window of 2, 4, 8,
// ... groups around g with enough slack left, and divides this slack. A wider window must have more left,
// so that it lasts in proportion to what moves. It returns false if even all groups together have too
// little.
func (a *Array) makeRoom(g, need int) bool {
	levels := bits.Len(uint(a.groups - 1))
	for level := 1; level <= levels; level++ {
		lo := g >> level << level
		hi := min(lo+1<<level, a.groups)
		taken := need - a.bytesOf(g)
		for k := lo; k < hi; k++ {
			taken += a.bytesOf(k)
		}
		free := a.start(hi) - a.start(lo) - taken
		// The window needs free bytes: from a quarter of the first slack at level 0 to half of it at the
		// highest level.
		if least := roomy(0, taken/(hi-lo)); free*4*levels >= (hi-lo)*least*(levels+level) {
			a.spread(lo, hi, g, need, free)
			return true
		}
	}
	return false
}

func (a *Array) bytesOf(g int) int { return int(a.used(g)+7) / 8 }

// spread divides the free bytes of the groups lo to hi-1 among these groups. Group grown gets room for
// need bytes. First it moves groups down, from the lowest on. Then it moves the others up, from the
// highest on. So no group is overwritten before it has moved.
func (a *Array) spread(lo, hi, grown, need, free int) {
	room := func(k int) int { // the bytes of group k with its new slack
		n := a.bytesOf(k)
		if k == grown {
			n = need
		}
		return n + free*(k-lo+1)/(hi-lo) - free*(k-lo)/(hi-lo)
	}
	end := a.start(hi)
	at := a.start(lo)
	for k := lo; k < hi; k++ {
		size := room(k)
		if at < a.start(k) {
			a.moveGroup(k, at)
		}
		at += size
	}
	at = end
	// Group lo stays where it is.
	for k := hi - 1; k > lo; k-- {
		at -= room(k)
		if at > a.start(k) {
			a.moveGroup(k, at)
		}
	}
}

// moveGroup moves group g to byte to of the base.
func (a *Array) moveGroup(g, to int) {
	n, from := a.bytesOf(g), a.start(g)
	base := a.mem[a.base:]
	copy(base[to:to+n], base[from:from+n])
	a.setStart(g, to)
	a.moved += uint64(n) * 8
}
