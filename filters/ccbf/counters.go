package ccbf

// dense is the dense form: one array of counters per layer over one body.
type dense struct {
	shape     shape
	body      []byte
	layers    [maxLayers]layer
	saturated bool // a counter of the last layer is at its ceiling
	// full is what a counter reads as that is at its ceiling, or continues in one
	// that is: what no key has more of. The total, or all that can be counted.
	full uint64
	// meet is the largest reading that has nothing of counters in which positions
	// of one key may meet, where those are to be told apart (meeting.go).
	meet uint64
}

// view lays a shape over a body, which must have shape.bytes() bytes.
func (d *dense) view(s shape, body []byte) {
	d.shape, d.body, d.saturated, d.full, d.meet = s, body, false, ^uint64(0), ^uint64(0)
	for x := range s.layers {
		n := s.layerBytes(x)
		d.layers[x] = newLayer(body[:n:n], s.width[x], s.size[x])
		body = body[n:]
	}
}

func newDense(s shape) *dense {
	d := &dense{}
	d.view(s, make([]byte, s.bytes()))
	return d
}

func (d *dense) clone() *dense {
	c := newDense(d.shape)
	copy(c.body, d.body)
	c.saturated = d.saturated
	return c
}

// value reconstructs counter j of the first layer (radix arithmetic: v0 + v1*2^(b0-1) +
// ... while flags are set). A counter at its ceiling holds an unknown number.
func (d *dense) value(j uint64) uint64 { return d.valueFrom(0, j) }

// valueFrom is value, counted from layer x on; j is an index of layer x.
func (d *dense) valueFrom(x int, j uint64) uint64 {
	v, known := d.digits(x, j)
	if !known {
		return d.fullFrom(x)
	}
	return v
}

// digits is valueFrom; false where a counter is at its ceiling.
func (d *dense) digits(x int, j uint64) (v uint64, known bool) {
	for shift := uint(0); ; x++ {
		l := &d.layers[x]
		c := l.load(j)
		v += (c & l.mask) << shift
		if c&l.flag == 0 {
			return v, true
		}
		if x == d.shape.layers-1 {
			return 0, false
		}
		shift += l.width - 1
		j = d.layers[x+1].mod(j)
	}
}

// fullFrom is full, counted from layer x on: rounded up.
func (d *dense) fullFrom(x int) uint64 {
	if x == 0 {
		return d.full
	}
	shift := d.shape.shiftOf(x)
	return min(d.full>>shift+1, ^uint64(0)>>shift)
}

// add counts n more in counter j of layer x and carries into the layers above.
func (d *dense) add(x int, j, n uint64) {
	for ; n != 0; x++ {
		l := &d.layers[x]
		c := l.load(j)
		if x == d.shape.layers-1 {
			if c&l.flag != 0 || n > l.mask-c&l.mask {
				l.store(j, l.flag|l.mask)
				d.saturated = true
				return
			}
			l.store(j, c+n)
			return
		}
		// c&mask + n may pass 2^64 only where n does nearly: add the parts.
		low := c&l.mask + n&l.mask
		carry := n>>(l.width-1) + low>>(l.width-1)
		c = c&l.flag | low&l.mask
		if carry != 0 {
			c |= l.flag
		}
		l.store(j, c)
		n = carry
		if n != 0 {
			j = d.layers[x+1].mod(j)
		}
	}
}

// remove counts n less in counter j of layer x, whose value must be at least
// n, and borrows from the layers above. A saturated counter stays: what it
// lost cannot be known.
func (d *dense) remove(x int, j, n uint64) {
	l := &d.layers[x]
	c := l.load(j)
	if x == d.shape.layers-1 {
		if c&l.flag == 0 {
			l.store(j, c-n)
		}
		return
	}
	if c&l.flag == 0 {
		l.store(j, c-n)
		return
	}
	v, up := c&l.mask, d.layers[x+1].mod(j)
	if v < n {
		borrow := (n - v + l.mask) >> (l.width - 1)
		d.remove(x+1, up, borrow)
		v += borrow << (l.width - 1)
	}
	c = l.flag | (v - n)
	if d.layers[x+1].load(up) == 0 {
		c &= l.mask
	}
	l.store(j, c)
}

// raise makes counter j of layer x at least v, upper digits by maximum: a
// digit shared with other flagged counters is raised only where it is below.
func (d *dense) raise(x int, j, v uint64) {
	l := &d.layers[x]
	c := l.load(j)
	if v <= l.mask {
		if c&l.flag == 0 && c < v {
			l.store(j, v)
		} else if c&l.flag != 0 && d.valueFrom(x, j) < v {
			l.store(j, l.flag|v)
		}
		return
	}
	if x == d.shape.layers-1 {
		l.store(j, l.flag|l.mask)
		d.saturated = true
		return
	}
	up, j2 := v>>(l.width-1), d.layers[x+1].mod(j)
	have := d.valueFrom(x+1, j2)
	digit := uint64(0)
	if have <= up {
		digit = v & l.mask
		if c&l.flag != 0 && have == up {
			digit = max(digit, c&l.mask)
		}
		d.raise(x+1, j2, up)
	} else if c&l.flag != 0 {
		digit = c & l.mask
	}
	l.store(j, l.flag|digit)
}

// fill is the share of the counters of the first layer that are not 0.
func (d *dense) fill() float64 {
	l, used := &d.layers[0], uint64(0)
	for j := range l.size {
		if l.load(j) != 0 {
			used++
		}
	}
	return float64(used) / float64(l.size)
}
