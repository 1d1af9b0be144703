package ccbf

// removeKeys takes n out of the counters of keys with these hashes, or changes
// nothing and returns false where they hold too little.
func (d *dense) removeKeys(hashes [][2]uint64, n uint64) bool {
	var before keptCounters
	for _, h := range hashes {
		before = d.keep(before, h[0], h[1])
	}
	for _, h := range hashes {
		if !d.removeKey(h[0], h[1], n) {
			d.restore(before)
			return false
		}
	}
	return true
}

// removeKey takes n out of the counters of a key. It stops at one that holds
// less and returns false.
func (d *dense) removeKey(h1, h2, n uint64) bool {
	l := &d.layers[0]
	j, step := l.mod(h1), l.mod(h2)
	for range d.shape.k {
		j = next(j, step, l.size)
		if d.value(j) < n {
			return false
		}
		d.remove(0, j, n)
	}
	return true
}

// keptCounters are counters as they were.
type keptCounters []struct {
	layer int
	at, c uint64
}

// keep appends the counters of a key, in all layers.
func (d *dense) keep(k keptCounters, h1, h2 uint64) keptCounters {
	j, step := d.layers[0].mod(h1), d.layers[0].mod(h2)
	for range d.shape.k {
		j = next(j, step, d.layers[0].size)
		for x := range d.shape.layers {
			l := &d.layers[x]
			at := j % l.size
			k = append(k, struct {
				layer int
				at, c uint64
			}{x, at, l.load(at)})
		}
	}
	return k
}

func (d *dense) restore(k keptCounters) {
	for _, kept := range k {
		d.layers[kept.layer].store(kept.at, kept.c)
	}
}
