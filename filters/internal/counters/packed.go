package counters

import (
	"math/bits"
	"slices"
)

// packed is what arrays in groups have in common, whatever the codec.
type packed struct {
	store
	c codec
	// sum is how long the counters are together, in bits of the codec, and
	// full what that was when they were laid out.
	sum, full uint
	// What moved so far: bits of counters that were written elsewhere than
	// where they were, and how often everything was.
	moved    uint64
	rebuilds int
}

func newPacked(c codec, n int) packed {
	a := packed{c: c}
	a.adopt(zeros(n), roomy)
	return a
}

// zeros is a source of counters that are 0.
type zeros int

func (z zeros) Len() int                 { return int(z) }
func (z zeros) Unpack(_ int, d []uint64) { clear(d) }

// adopt makes the counters those of src, with new slack and new parameters.
func (a *packed) adopt(src Source, slack slack) {
	ch := a.c.choose(src)
	_, a.store = layout(nil, a.c, src, ch, slack)
	// What was made for the worst case is given back.
	a.mem = append(make([]byte, 0, len(a.mem)+pad), a.mem[:len(a.mem)+pad]...)
	a.sum, a.full = ch.weight, ch.weight
}

// rebuild lays everything out again, with extra bytes after group g.
func (a *packed) rebuild(g, extra int) {
	old := a.store
	a.adopt(reader{&old, a.c}, func(k, n int) int {
		if k == g {
			return roomy(k, n) + extra
		}
		return roomy(k, n)
	})
	a.rebuilds++
	a.moved += uint64(len(a.mem)) * 8
}

// reweigh follows a counter that changed from one value to another. Where so
// many became so small that half of the memory may be idle, it is given back;
// that takes as long as it took to get there (section 4.4).
func (a *packed) reweigh(from, to uint64) {
	a.sum += a.c.weight(a.p, to) - a.c.weight(a.p, from)
	if a.sum < a.full && a.full-a.sum > max(a.full, uint(a.n))/2 {
		a.rebuild(-1, 0)
	}
}

func (a *packed) Len() int   { return a.n }
func (a *packed) Bytes() int { return cap(a.mem) }

func (a *packed) Unpack(at int, dst []uint64) {
	checkRange(at, len(dst), a.n)
	a.c.unpack(&a.store, at, dst)
}

func (a *packed) Append(dst []byte) []byte { return encode(dst, a.c, reader{&a.store, a.c}) }

// Update writes the new counters one after the other with the old parameters
// first: only then is it known which ones suit them.
func (a *packed) Update(f func(at int, block []uint64)) {
	t := newStore(a.c, a.n, a.p, make([]byte, a.base+maxGroup+pad, len(a.mem)+maxGroup+pad))
	end := t.base
	each(reader{&a.store, a.c}, func(g int, group []uint64) {
		f(g*blockLen, group)
		t.mem = slices.Grow(t.mem, maxGroup)[:end+maxGroup+pad]
		t.setStart(g, end-t.base)
		end = int(a.c.put(&t, g, t.pos(g), group)+7) / 8
	})
	t.mem = t.mem[:end]
	a.adopt(reader{&t, a.c}, roomy)
}

// maxGroup is more bytes than a group takes in any codec.
const maxGroup = 1024

// makeRoom moves groups, so that group g may take need bytes. It looks for the
// smallest window of 2, 4, 8, ... groups around g with enough slack left, and
// shares out what slack there is; the wider the window, the more must be left,
// so that it lasts in proportion to what moves. False says that even all
// groups together have too little.
func (a *packed) makeRoom(g, need int) bool {
	levels := bits.Len(uint(a.groups - 1))
	for level := 1; level <= levels; level++ {
		lo := g >> level << level
		hi := min(lo+1<<level, a.groups)
		taken := need - a.bytesOf(g)
		for k := lo; k < hi; k++ {
			taken += a.bytesOf(k)
		}
		free := a.start(hi) - a.start(lo) - taken
		// From a quarter of the slack that there was to half of it.
		if least := roomy(0, taken/(hi-lo)); free*4*levels >= (hi-lo)*least*(levels+level) {
			a.spread(lo, hi, g, need, free)
			return true
		}
	}
	return false
}

func (a *packed) bytesOf(g int) int { return int(a.c.used(&a.store, g)+7) / 8 }

// spread shares the free bytes of a window out among its groups. Those that
// move down go first, from the lowest on, then those that move up, from the
// highest on: so none is written over before it has moved.
func (a *packed) spread(lo, hi, grown, need, free int) {
	room := func(k int) int { // bytes and slack of group k
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
	for k := hi - 1; k > lo; k-- { // the lowest one stays
		at -= room(k)
		if at > a.start(k) {
			a.moveGroup(k, at)
		}
	}
}

func (a *packed) moveGroup(g, to int) {
	n, from := a.bytesOf(g), a.start(g)
	base := a.mem[a.base:]
	copy(base[to:to+n], base[from:from+n])
	a.setStart(g, to)
	a.moved += uint64(n) * 8
}
