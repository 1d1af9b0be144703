package cells

import "slices"

// Counter makes lists of some hundred keys each, one after the other, in memory of its own. The
// zero value is ready.
type Counter struct {
	keys, other []uint64
	section     [1]Section
}

// Count is the list of the cells of at least one key of the region (0, 0), without a category. It
// is valid until the next call.
func (c *Counter) Count(keys []uint64) List {
	c.sort(keys)
	cells, counts := c.keys[:len(keys)], c.other[:len(keys)]
	at := 0
	for i, k := range cells {
		at += differ(cells[at], k) // which keys come up again nobody foresees
		cells[at], counts[at] = k, uint64(i+1)
	}
	// A count is where the key's last one is, less where that of the key before is.
	before := uint64(0)
	for i, end := range counts[:at+1] {
		counts[i], before = end-before, end
	}
	c.section[0] = Section{Label: Label{None: true}, Run: Run{Keys: cells[:at+1], Counts: counts[:at+1]}}
	return c.section[:]
}

// sort makes c.keys keys in their order; c.other is as long. Runs of five come out of a network
// and are merged two by two: with so few keys, branches that nobody foresees are what takes time.
func (c *Counter) sort(keys []uint64) {
	n := (len(keys) + MaxFew - 1) / MaxFew * MaxFew
	from, to := slices.Grow(c.keys[:0], n)[:n], slices.Grow(c.other[:0], n)[:n]
	for i := copy(from, keys); i < n; i++ {
		from[i] = 1<<64 - 1 // behind all others
	}
	for i := 0; i < n; i += MaxFew {
		k := (*[MaxFew]uint64)(from[i:])
		k[0], k[1], k[2], k[3], k[4] = inOrder(k[0], k[1], k[2], k[3], k[4])
	}
	for width := MaxFew; width < n; width *= 2 {
		i := 0
		for ; i+2*width <= n; i += 2 * width {
			mergeHalves(to[i:i+2*width], from[i:i+2*width])
		}
		if i+width < n {
			mergeKeys(to[i:n], from[i:i+width], from[i+width:n])
		} else {
			copy(to[i:], from[i:])
		}
		from, to = to, from
	}
	c.keys, c.other = from, to
}

// mergeHalves merges the sorted halves of from, which are equally long: the lower half of the
// result from their beginnings and, at the same time, the upper one from their ends.
func mergeHalves(to, from []uint64) {
	half := len(from) / 2
	to = to[:2*half]
	i, j, k, l := 0, half, half-1, 2*half-1
	for at := range half {
		x, y := from[i], from[j]
		left := 0
		if x <= y {
			left = 1
		}
		to[at] = min(x, y)
		i += left
		j += 1 - left
		x, y = from[k], from[l]
		right := 0
		if x <= y {
			right = 1
		}
		to[2*half-1-at] = max(x, y)
		l -= right
		k -= 1 - right
	}
}

// mergeKeys merges two sorted lists.
func mergeKeys(to, a, b []uint64) {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x, y := a[i], b[j]
		left := 0
		if x <= y {
			left = 1
		}
		to[i+j] = min(x, y)
		i += left
		j += 1 - left
	}
	n := i + j
	n += copy(to[n:], a[i:])
	copy(to[n:], b[j:])
}
