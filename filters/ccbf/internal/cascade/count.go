package cascade

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// The positions of a key are j_i = h1 + (i+1)*h2 without wrapping, modulo the layer's size. Each takes one
// addition and one conditional subtraction. The loops over many keys are for the counters that sketches
// have by default. Other counters are counted key by key.

// Count returns the count of the key with hashes h1 and h2: the least of its k counters. If positions of
// the key meet, it may be lower (meeting.go). It is never above the total. O(k * layers).
func (d *Counters) Count(h1, h2 uint64) uint64 {
	n := d.Least(h1, h2)
	if n > d.Meet {
		n = d.Apart(h1, h2, n)
	}
	return min(n, d.Full)
}

// Least returns the least of the k counters of a key.
func (d *Counters) Least(h1, h2 uint64) uint64 {
	l := &d.Layers[0]
	step := l.mod(h2)
	return d.leastFrom(next(l.mod(h1), step, l.Size), step)
}

// leastFrom is Least for a key whose first position is j. step is the distance of its positions.
func (d *Counters) leastFrom(j, step uint64) uint64 {
	l, least := &d.Layers[0], ^uint64(0)
	for range d.Shape.K {
		c := uint64(0)
		// This is the default width in mode standard.
		if l.Width == 8 {
			c = uint64(l.data[j])
		} else {
			c = l.Load(j)
		}
		if c&l.Flag != 0 {
			c = d.Value(j)
		}
		if least = min(least, c); least == 0 {
			return 0
		}
		j = next(j, step, l.Size)
	}
	return least
}

// next returns the position after j, among size positions.
func next(j, step, size uint64) uint64 { return wrap(j+step, size) }

// wrap returns j modulo size for a j below 2*size. It has no branch, because hashes make it unpredictable
// and a misprediction costs more than a store.
func wrap(j, size uint64) uint64 {
	j -= size
	return j + size&uint64(int64(j)>>63)
}

// Counts writes the count of each key to dst. Key i has the hashes h1[i] and h2[i].
func (d *Counters) Counts(dst, h1, h2 []uint64) {
	if d.byFours() {
		d.countFours(dst, h1, h2)
		d.limit(dst, h1, h2)
		return
	}
	for i := range h1 {
		dst[i] = d.Count(h1[i], h2[i])
	}
}

// limit turns the least counters in dst into counts: it applies the bounds Meet and Full.
func (d *Counters) limit(dst, h1, h2 []uint64) {
	for i, n := range dst {
		if n > d.Meet {
			n = d.Apart(h1[i], h2[i], n)
		}
		dst[i] = min(n, d.Full)
	}
}

// Counts of keys that have four counters of 4 bits, the default. The only branch on a counter is for keys
// with flags. These are counted later and together, so that a misprediction does not discard the work on
// the keys after it.

// byFours reports whether countFours applies to these counters.
func (d *Counters) byFours() bool { return d.Shape.K == 4 && d.Layers[0].Width == 4 }

// countFours writes the least counter of each key to dst. Counts then applies the limits Meet and Full.
func (d *Counters) countFours(dst, h1, h2 []uint64) {
	var s counterStarts
	var left [keyBatch / 8]uint8
	l := &d.Layers[0]
	var second []byte
	if d.Shape.Layers > 1 && d.Layers[1].Width == 8 {
		second = d.Layers[1].data[:d.Layers[1].Size]
	}
	for len(h1) > 0 {
		n := min(keyBatch, len(h1))
		s.find(l, h1[:n], h2[:n])
		simd.LeastFours(dst[:n], left[:], s.at[:n], s.step[:n], l.data, second, l.Size)
		for i, which := range left[:(n+7)/8] {
			for ; which != 0; which &= which - 1 {
				key := 8*i + bits.TrailingZeros8(which)
				dst[key] = d.leastFrom(uint64(s.at[key]), uint64(s.step[key]))
			}
		}
		dst, h1, h2 = dst[n:], h1[n:], h2[n:]
	}
}

// keyBatch is the number of keys that are counted together.
const keyBatch = 256

// counterStarts has, for a batch of keys, the position of the first counter and the step to the next one.
type counterStarts struct{ at, step [keyBatch]uint32 }

// find computes the starts of at most a batch of keys in a layer of fewer than 2^32 counters.
func (s *counterStarts) find(l *Layer, h1, h2 []uint64) {
	for i, h := range h1 {
		step := l.mod(h2[i])
		s.at[i], s.step[i] = uint32(next(l.mod(h), step, l.Size)), uint32(step)
	}
}
