package cascade

// RemoveKeys takes n out of the counters of keys with these hashes, or changes
// nothing and returns false where they hold too little.
func (d *Counters) RemoveKeys(hashes [][2]uint64, n uint64) bool {
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
func (d *Counters) removeKey(h1, h2, n uint64) bool {
	l := &d.Layers[0]
	j, step := l.mod(h1), l.mod(h2)
	for range d.Shape.K {
		j = next(j, step, l.Size)
		if d.Value(j) < n {
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
func (d *Counters) keep(k keptCounters, h1, h2 uint64) keptCounters {
	j, step := d.Layers[0].mod(h1), d.Layers[0].mod(h2)
	for range d.Shape.K {
		j = next(j, step, d.Layers[0].Size)
		for x := range d.Shape.Layers {
			l := &d.Layers[x]
			at := j % l.Size
			k = append(k, struct {
				layer int
				at, c uint64
			}{x, at, l.Load(at)})
		}
	}
	return k
}

func (d *Counters) restore(k keptCounters) {
	for _, kept := range k {
		d.Layers[kept.layer].store(kept.at, kept.c)
	}
}
