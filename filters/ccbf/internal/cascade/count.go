package cascade

import (
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

// The positions of a key are j_i = h1 + (i+1)*h2 without wrapping, modulo the layer's size. Each takes one
// addition and one conditional subtraction. The loops over many keys are for the counters that sketches
// have by default. Other counters are counted key by key.

// Count returns the count of the key with hashes h1 and h2: the least of its k counters. If positions of
// the key meet, it may be lower (see apart). It is never above the total. O(k * layers).
func (d *Counters) Count(h1, h2 uint64) uint64 {
	l := &d.Layers[0]
	step := l.mod(h2)
	return d.limit(h1, h2, d.leastFrom(next(l.mod(h1), step, l.Size), step))
}

// limit turns the least counter of a key into its count: it applies the bounds of Limit.
func (d *Counters) limit(h1, h2, least uint64) uint64 {
	if least > d.meet {
		least = d.apart(h1, h2, least)
	}
	return min(least, d.Full)
}

// leastFrom returns the least counter of a key whose first position is j. step is the distance of its positions.
func (d *Counters) leastFrom(j, step uint64) uint64 {
	l, least := &d.Layers[0], ^uint64(0)
	for range d.Shape.K {
		c := l.Load(j)
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
func next(j, step, size uint64) uint64 { return simd.Wrap(j+step, size) }

// KeyBatch is the most keys that Counts takes.
const KeyBatch = 256

// byFours reports whether keys have four counters of 4 bits, the default.
func (d *Counters) byFours() bool { return d.Shape.K == 4 && d.Layers[0].Width == 4 }

// Counts writes the counts of at most KeyBatch keys to dst. Key i has the hashes h1[i] and h2[i].
//
// By fours, the only branch on a counter is for keys with flags. These are counted later and together, so that a
// misprediction does not discard the work on the keys after it.
func (d *Counters) Counts(dst, h1, h2 []uint64) {
	if !d.byFours() {
		for i := range h1 {
			dst[i] = d.Count(h1[i], h2[i])
		}
		return
	}
	var starts, steps [KeyBatch]uint32 // a layer of 4-bit counters has fewer than 2^32
	var left [KeyBatch / 8]uint8
	l, n := &d.Layers[0], len(h1)
	for i, h := range h1 {
		step := l.mod(h2[i])
		starts[i], steps[i] = uint32(next(l.mod(h), step, l.Size)), uint32(step)
	}
	var second []byte
	if d.Shape.Layers > 1 && d.Layers[1].Width == 8 {
		second = d.Layers[1].data[:d.Layers[1].Size]
	}
	simd.LeastFours(dst[:n], left[:], starts[:n], steps[:n], l.data, second, l.Size)
	for i, which := range left[:(n+7)/8] {
		for ; which != 0; which &= which - 1 {
			key := 8*i + bits.TrailingZeros8(which)
			dst[key] = d.leastFrom(uint64(starts[key]), uint64(steps[key]))
		}
	}
	for i, least := range dst[:n] {
		dst[i] = d.limit(h1[i], h2[i], least)
	}
}

// Positions of one key meet if two of them are the same counter, in the first layer or in a layer above
// where counters continue. Positions are h2 apart, an odd number. So they never meet in layers whose size
// is a power of two, or a large multiple of one. In layers of odd and of tiny sizes they may.
//
// Minimal increment raises every counter to a number, so meeting does no harm. In mode standard a counter
// is a sum, and a key that meets it twice adds its count twice. The sum stays like this, because sums can
// be added, subtracted and folded without a look at keys. A count corrects it instead: if n positions end
// in the same counter, each has added at least the count. So the key has at most the n-th part of what
// they hold together.

// meeting returns the largest count with no digit in a layer where two positions of one key may fall on
// the same counter. It is 0 if the first layer is such a layer, and the largest uint64 if none is.
func (s *Shape) meeting() uint64 {
	for x := range s.Layers {
		// The positions of a key that are i < k steps apart differ by i*h2. For an odd h2, the size
		// divides i*h2 only if i has at least as many factors 2 as the size.
		if m := s.Size[x]; m&-m < uint64(s.K) {
			return 1<<s.ShiftOf(x) - 1
		}
	}
	return ^uint64(0)
}

// meeting is a set of positions of one key that fall on the same counter.
type meeting struct {
	at     uint64 // the index of the shared counter in the current layer.
	n      uint64 // number of positions in the set.
	hi, lo uint64 // sum of the positions' digits in the lower layers, a number of 128 bits.
}

// apart returns an upper bound of a key's count, for counters that are sums. It takes into account that
// several positions of the key share a counter. least is the least counter of the key. O(k^2 * layers).
func (d *Counters) apart(h1, h2, least uint64) uint64 {
	var room [MaxK]meeting
	l, meetings, shift := &d.Layers[0], room[:0], uint(0)
	j, step := l.mod(h1), l.mod(h2)
	for range d.Shape.K {
		j = next(j, step, l.Size)
		meetings = append(meetings, meeting{at: j, n: 1})
	}
	for x := range d.Shape.Layers {
		l = &d.Layers[x]
		joined := meetings[:0]
		for _, s := range meetings {
			s.at = l.mod(s.at)
			if i := slices.IndexFunc(joined, func(o meeting) bool { return o.at == s.at }); i >= 0 {
				joined[i] = joined[i].with(s)
			} else {
				joined = append(joined, s)
			}
		}
		meetings = joined[:0]
		for _, s := range joined {
			if v, known := d.digits(x, s.at, 0); known && s.n > 1 {
				// v<<shift is less than 2^63, and so are the lower digits of each of the s.n positions.
				// So the quotient fits in 64 bits.
				sum := s.with(meeting{lo: v << shift})
				part, _ := bits.Div64(sum.hi, sum.lo, s.n)
				least = min(least, part)
			}
			// If the counter has a flag, its value continues in the layer above, and this digit joins the
			// lower ones.
			if c := l.Load(s.at); c&l.Flag != 0 {
				meetings = append(meetings, s.with(meeting{lo: c & l.Mask << shift}))
			}
		}
		shift += l.Width - 1
	}
	return least
}

// with returns s with the positions and the digits of o.
func (s meeting) with(o meeting) meeting {
	lo, carry := bits.Add64(s.lo, o.lo, 0)
	return meeting{s.at, s.n + o.n, s.hi + o.hi + carry, lo}
}
