package cells

import (
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// Counter is the list of some hundred cells of the region (0, 0), without a category: made again
// and again, in memory of its own. The zero value is ready for Set.
type Counter struct {
	keys, other []uint64
	section     [1]Section
	once        bool // each cell has one point
	around      corners
}

// Set makes c the cells of at least one key.
func (c *Counter) Set(keys []uint64) {
	c.sort(keys)
	cells, counts := c.keys[:len(keys)], c.other[:len(keys)]
	at, last := 0, cells[0]
	for i, k := range cells {
		at += differ(last, k) // which keys come up again nobody foresees
		cells[at], counts[at], last = k, uint64(i+1), k
	}
	// A count is where the key's last one is, less where that of the key before is.
	before := uint64(0)
	for i, end := range counts[:at+1] {
		counts[i], before = end-before, end
	}
	cells, counts = cells[:at+1], counts[:at+1]
	c.once, c.around = len(cells) == len(keys), cornersAround(cells)
	c.section[0] = Section{Label: Label{None: true}, Run: Run{Keys: cells, Counts: counts}}
}

// Bounds is List.Bounds.
func (c *Counter) Bounds() grid.Rect { return c.around.rect(0, 0) }

// AppendBody is List.AppendBody.
func (c *Counter) AppendBody(dst []byte, limit uint64) ([]byte, bool) {
	body, keys, counts := len(dst), c.section[0].Keys, c.section[0].Counts
	if len(keys) <= BlockCells {
		if c.once {
			counts = nil
		}
		gapOrder, countOrder := bitio.RunOrders(keys, counts)
		dst, ok := appendPairs(appendFirst(dst, keys, c.around, gapOrder, countOrder), keys, counts, gapOrder, countOrder)
		if ok {
			return dst, uint64(len(dst)-body) <= limit
		}
	}
	return List(c.section[:]).AppendBody(dst[:body], c.Bounds(), limit)
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
