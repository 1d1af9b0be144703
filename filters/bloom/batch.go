package bloom

import (
	"math/bits"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
	"github.com/ccbfsql/ccbfsql/filters/key"
)

const (
	// batchLen is the largest number of keys in a batch, lines the largest number of cache lines that
	// are prefetched together.
	batchLen = 128
	lines    = 1024
	// outOfCache is the number of bytes of a filter from which cache lines are prefetched. A smaller
	// filter gains nothing: the processor has other work while it waits for its cache.
	outOfCache = 4 << 20
	// head is the number of positions of each key that are tested before the others. With half of the
	// bits set, two positions rule out three of four absent keys.
	head = 2
)

// batch returns the largest number of keys in a batch: together they have at most lines positions, where
// lines is the constant.
func (f *filter) batch() int { return min(batchLen, lines/(int(f.n)+1)) }

// touch prefetches the memory of positions from to to-1 of each key. There are at most batch() keys.
func (f *filter) touch(h1s, h2s []uint64, from, to uint64) {
	var offsets [lines]uint32
	at, first := 0, power(from)
	h2s = h2s[:len(h1s)]
	for i, h1 := range h1s {
		h2 := h2s[i]
		step := first * h2
		if f.plan != nil {
			list := f.plan.list(h1, h2)
			list = list[min(from, uint64(len(list))):min(to, uint64(len(list)))]
			for _, pr := range list {
				if pr.shift != dropped {
					offsets[at%lines] = uint32(pr.at(h1+step) / 8)
					at++
				}
				step *= key.Spread
			}
			continue
		}
		n := f.n
		if f.part {
			n = f.probes(h1, h2)
		}
		for n = min(n, to); n > from; n-- {
			p, _ := bits.Mul64(h1+step, f.size)
			step *= key.Spread
			offsets[at%lines] = uint32(p / 8)
			at++
		}
	}
	simd.Prefetch(unsafe.Pointer(&f.bits[0]), offsets[:at])
}

// containsBatch is ContainsHashes for at most batch() keys. most says whether most of them are expected
// to be contained. It returns whether they were. The first positions rule out most absent keys, so the
// memory of their other positions need not be prefetched.
func (f *filter) containsBatch(dst []bool, h1s, h2s []uint64, most bool) bool {
	h2s, dst = h2s[:len(h1s)], dst[:len(h1s)]
	if most {
		f.touch(h1s, h2s, 0, MaxK+1)
		n := 0
		for i, h1 := range h1s {
			dst[i] = f.Contains(h1, h2s[i])
			if dst[i] {
				n++
			}
		}
		return 2*n > len(h1s)
	}
	f.touch(h1s, h2s, 0, head)
	var a, b [batchLen]uint64
	var at [batchLen]uint8
	n := 0
	for i, h1 := range h1s {
		dst[i] = false
		a[n%batchLen], b[n%batchLen], at[n%batchLen] = h1, h2s[i], uint8(i)
		n += int(f.headSet(h1, h2s[i]))
	}
	f.touch(a[:n], b[:n], head, MaxK+1)
	for i, h1 := range a[:n] {
		dst[at[i]] = f.Contains(h1, b[i])
	}
	return 2*n > len(h1s)
}

// headSet returns 1 if the first head positions of a key are set. It has no branch on them.
func (f *filter) headSet(h1, h2 uint64) byte {
	set := byte(1)
	step := h2
	if f.plan != nil {
		list := f.plan.list(h1, h2)
		for _, pr := range list[:min(head, len(list))] {
			if pr.shift != dropped {
				p := pr.at(h1 + step)
				set &= f.bits[p/8] >> (p % 8)
			}
			step *= key.Spread
		}
		return set & 1
	}
	n := f.n
	if f.part && n < head {
		n = f.probes(h1, h2)
	}
	for n = min(n, head); n > 0; n-- {
		p, _ := bits.Mul64(h1+step, f.size)
		step *= key.Spread
		set &= f.bits[p/8] >> (p % 8)
	}
	return set & 1
}
