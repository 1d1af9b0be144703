package cascade

import "math/bits"

// Positions of one key meet if two of them are the same counter, in the first layer or in a layer above
// where counters continue. Positions are h2 apart, an odd number. So they never meet in layers whose size
// is a power of two, or a large multiple of one. In layers of odd and of tiny sizes they may.
//
// Minimal increment raises every counter to a number, so meeting does no harm. In mode standard a counter
// is a sum, and a key that meets it twice adds its count twice. The sum stays like this, because sums can
// be added, subtracted and folded without a look at keys. A count corrects it instead: if n positions end
// in the same counter, each has added at least the count. So the key has at most the n-th part of what
// they hold together.

// Meeting returns the largest count with no digit in a layer where two positions of one key may fall on
// the same counter. It is 0 if the first layer is such a layer, and the largest uint64 if none is.
func (s *Shape) Meeting() uint64 {
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
	n      uint64 // number of positions in the set; 0 if their counters have no flag, so end in a lower layer.
	hi, lo uint64 // sum of the positions' digits in the lower layers, a number of 128 bits.
}

// Apart returns an upper bound of a key's count, for counters that are sums. It takes into account that
// several positions of the key share a counter. least is the least counter of the key. O(k * layers).
func (d *Counters) Apart(h1, h2, least uint64) uint64 {
	if !d.meets(h2) {
		return least
	}
	var all [MaxK]meeting
	l, meetings, shift := &d.Layers[0], all[:d.Shape.K], uint(0)
	j, step := l.mod(h1), l.mod(h2)
	for i := range meetings {
		j = next(j, step, l.Size)
		meetings[i] = meeting{at: j, n: 1}
	}
	for x := range d.Shape.Layers {
		l = &d.Layers[x]
		meetings = l.join(meetings)
		for i := range meetings {
			s := &meetings[i]
			if s.n == 0 {
				continue
			}
			if v, known := d.digits(x, s.at); known && s.n > 1 {
				// v<<shift is less than 2^63, and so are the lower digits of each of the s.n positions.
				// So the quotient fits in 64 bits.
				lo, carry := bits.Add64(s.lo, v<<shift, 0)
				part, _ := bits.Div64(s.hi+carry, lo, s.n)
				least = min(least, part)
			}
			c := l.Load(s.at)
			if c&l.Flag == 0 {
				s.n = 0
				continue
			}
			// The counter has a flag. So its value continues in the layer above, and this digit joins the
			// lower ones.
			var carry uint64
			s.lo, carry = bits.Add64(s.lo, c&l.Mask<<shift, 0)
			s.hi += carry
		}
		shift += l.Width - 1
	}
	return least
}

// meets reports whether two positions of a key with hash h2 are the same in the last layer. Positions
// that are the same in any layer are so in the last one too.
func (d *Counters) meets(h2 uint64) bool {
	l := &d.Layers[d.Shape.Layers-1]
	j, step := uint64(0), l.mod(h2)
	for range d.Shape.K - 1 {
		if j = next(j, step, l.Size); j == 0 {
			return true
		}
	}
	return false
}

// join unites meetings whose counters in layer l are the same. Before, each has another counter of the
// layer below (in the first layer, each is one position). The counters of meetings are h2 apart, in
// order. So if meeting i has the counter of meeting 0, the following ones have the counters of meetings
// 1, 2 and so on.
func (l *Layer) join(meetings []meeting) []meeting {
	period := len(meetings)
	for i := range meetings {
		s := &meetings[i]
		s.at = l.mod(s.at)
		if i > 0 && s.at == meetings[0].at {
			period = min(period, i)
		}
		if i < period {
			continue
		}
		o := &meetings[i%period]
		if s.n == 0 {
			continue
		}
		// The counters of o ended in a layer below. So s takes its place.
		if o.n == 0 {
			*o = *s
			continue
		}
		var carry uint64
		o.lo, carry = bits.Add64(o.lo, s.lo, 0)
		o.hi += s.hi + carry
		o.n += s.n
	}
	return meetings[:period]
}
