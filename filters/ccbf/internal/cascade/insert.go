package cascade

import (
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/internal/prefetch"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Insert counts n[i] occurrences (one each where n is nil) of the keys with
// hashes h1[i] and h2[i], in order: in all counters of a key where they are sums,
// otherwise by minimal increment (Cohen and Matias 2003, section 3.2).
func (d *Counters) Insert(sums bool, h1, h2, n []uint64) {
	var work work
	if !sums && len(h1) >= manyFours && d.raisesFours() {
		d.raiseFours(h1, h2, n)
		return
	}
	switch d.Layers[0].wordWidth() {
	case 4:
		work = choose(sums, addNibbles, raiseNibbles)
	case 8:
		work = choose(sums, addKeys[uint8], raiseKeys[uint8])
	case 16:
		work = choose(sums, addKeys[uint16], raiseKeys[uint16])
	case 32:
		work = choose(sums, addKeys[uint32], raiseKeys[uint32])
	default:
		for i := range h1 {
			w := uint64(1)
			if n != nil {
				w = n[i]
			}
			d.insertSlow(sums, h1[i], h2[i], w)
		}
		return
	}
	d.insertKeys(work, h1, h2, n)
}

// work counts keys by their positions, k each: n[i] occurrences, or one of each
// where n is nil.
type work func(d *Counters, at []uint32, n []uint64)

func choose(sums bool, add, raise work) work {
	if sums {
		return add
	}
	return raise
}

// insertSlow is insert for one key and any width.
func (d *Counters) insertSlow(sums bool, h1, h2, n uint64) {
	l := &d.Layers[0]
	j, step := l.mod(h1), l.mod(h2)
	if sums {
		for range d.Shape.K {
			j = next(j, step, l.Size)
			d.Add(0, j, n)
		}
		return
	}
	to := saturate.Add(d.Count(h1, h2), n)
	for range d.Shape.K {
		j = next(j, step, l.Size)
		if d.Value(j) < to {
			d.Raise(0, j, to)
		}
	}
}

// insertKeys computes the positions of a batch of keys, asks for their
// counters where those are far, and works on the batch before meanwhile.
func (d *Counters) insertKeys(work work, h1, h2, n []uint64) {
	var at [2][batchPositions]uint32
	k := d.Shape.K
	batch := batchPositions / k
	far := d.far()
	ahead := d.positions(at[0][:], h1[:min(batch, len(h1))], h2, far)
	for turn := 1; len(h1) > 0; turn ^= 1 {
		m := min(batch, len(h1))
		now := ahead
		rest := h1[m:]
		ahead = d.positions(at[turn][:], rest[:min(batch, len(rest))], h2[m:], far)
		work(d, now, n)
		h1, h2 = rest, h2[m:]
		if n != nil {
			n = n[m:]
		}
	}
}

// positions writes the k positions of every key to dst.
func (d *Counters) positions(dst []uint32, h1, h2 []uint64, far bool) []uint32 {
	l, k, size := &d.Layers[0], d.Shape.K, d.Layers[0].Size
	dst = dst[:len(h1)*k]
	out := dst
	h2 = h2[:len(h1)]
	if mask := size - 1; size&mask == 0 { // the same positions, for less
		for i, j := range h1 {
			step := h2[i]
			key := out[:k]
			for x := range key {
				j += step
				key[x] = uint32(j & mask)
			}
			out = out[k:]
		}
	} else {
		for i, h := range h1 {
			j, step := l.mod(h), l.mod(h2[i])
			key := out[:k]
			for x := range key {
				j = next(j, step, size)
				key[x] = uint32(j)
			}
			out = out[k:]
		}
	}
	if far {
		d.fetch(dst)
	}
	return dst
}

// fetch asks for the counters at positions.
func (d *Counters) fetch(at []uint32) {
	l := &d.Layers[0]
	var offsets [batchPositions]uint32
	for i, j := range at {
		offsets[i] = uint32(uint64(j) * uint64(l.Width) / 8)
	}
	prefetch.Offsets(unsafe.Pointer(unsafe.SliceData(l.data)), offsets[:len(at)])
}

// addKeys is work for sums.
func addKeys[W word](d *Counters, at []uint32, n []uint64) {
	l0, mask := counters[W](&d.Layers[0]), W(d.Layers[0].Mask)
	if n == nil {
		for _, j := range at {
			if c := l0[j] + 1; c&mask != 0 { // no carry
				l0[j] = c
			} else {
				d.Add(0, uint64(j), 1)
			}
		}
		return
	}
	k := d.Shape.K
	for i := 0; len(at) > 0; i++ {
		for _, j := range at[:k] {
			if c := uint64(l0[j]); n[i] <= uint64(mask)-c&uint64(mask) {
				l0[j] = W(c + n[i])
			} else {
				d.Add(0, uint64(j), n[i])
			}
		}
		at = at[k:]
	}
}

// raiseKeys is work for minimal increment.
func raiseKeys[W word](d *Counters, at []uint32, n []uint64) {
	l0, k, w := counters[W](&d.Layers[0]), d.Shape.K, uint64(1)
	mask, flag := W(d.Layers[0].Mask), W(d.Layers[0].Flag)
	for i := 0; len(at) > 0; i++ {
		if n != nil {
			w = n[i]
		}
		key := at[:k]
		at = at[k:]
		// A flagged counter is above all others, and as a number too.
		least, _ := lowestAt(l0, key)
		if least&flag != 0 || w > uint64(mask-least) {
			d.raiseKey(key, w)
			continue
		}
		raiseAt(l0, key, least+W(w))
	}
}

// raiseAt makes the counters at positions at least to; a function of its own as
// lowestAt.
//
//go:noinline
func raiseAt[W word](l0 []W, at []uint32, to W) {
	for _, j := range at {
		l0[j] = W(max(uint64(l0[j]), uint64(to))) // of bytes, max would have a branch
	}
}

// repeats reports whether two of a key's positions are one: they begin anew
// after as many as differ.
func repeats(at []uint32) bool {
	for _, j := range at[1:] {
		if j == at[0] {
			return true
		}
	}
	return false
}

// raiseKey is raiseKeys for one key, with carries, and for any width. Nearly
// always the layers above stay as they are, also where counters are flagged:
// then it is enough to add to the first. A counter that the key meets twice is
// raised once.
func (d *Counters) raiseKey(at []uint32, n uint64) {
	var values [MaxK]uint64
	l, least := &d.Layers[0], ^uint64(0)
	twice := repeats(at)
	for i, j := range at {
		values[i] = d.Value(uint64(j))
		least = min(least, values[i])
	}
	to := saturate.Add(least, n)
	carried := twice // values may have grown since they were read
	for i, j := range at {
		v := values[i]
		if carried {
			v = d.Value(uint64(j))
		}
		if v >= to {
			continue
		}
		if c := l.Load(uint64(j)); to-v <= l.Mask-c&l.Mask {
			l.store(uint64(j), c+to-v)
		} else {
			d.Raise(0, uint64(j), to)
			carried = true
		}
	}
}
