package bloom

import (
	"math/bits"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
)

const (
	// batchLen is the largest number of keys in a batch, lines the largest number of cache lines that
	// are prefetched together.
	batchLen = 128
	lines    = 1024
	// outOfCache is the number of bytes of a filter from which cache lines are prefetched. A smaller
	// filter gains nothing: the processor has other work while it waits for its cache.
	outOfCache = 4 << 20
)

// batch returns the largest number of keys in a batch: together they have at most lines positions, where
// lines is the constant.
func (f *filter) batch() int { return min(batchLen, lines/(int(f.n)+1)) }

// touch prefetches the memory of at most batch() keys if the filter is larger than the cache. It does not for
// the variant Blocks.
func (f *filter) touch(h1s, h2s []uint64) {
	if len(f.bits) < outOfCache || f.keys != nil || f.plan != nil {
		return
	}
	var offsets [lines]uint32
	at := 0
	h2s = h2s[:len(h1s)]
	for i, h1 := range h1s {
		h2 := h2s[i]
		step := h2
		for n := f.probes(h1, h2); n > 0; n-- {
			p, _ := bits.Mul64(h1+step, f.size)
			step *= key.Spread
			offsets[at%lines] = uint32(p / 8)
			at++
		}
	}
	simd.Prefetch(unsafe.Pointer(&f.bits[0]), offsets[:at])
}

// AddHashes adds many keys: ns[i] of the key (h1s[i], h2s[i]), or one of each if ns is nil. The result
// is the same as by Add for each key in order. The slices must be as long as h1s.
func (s *Sketch) AddHashes(h1s, h2s, ns []uint64) {
	keyed.GrowAll(&s.Base, len(h1s), ns)
	n := s.batch()
	for from := 0; from < len(h1s); from += n {
		to := min(from+n, len(h1s))
		s.touch(h1s[from:to], h2s[from:to])
		for i := from; i < to; i++ {
			if ns == nil || ns[i] > 0 {
				s.set(h1s[i], h2s[i])
			}
		}
	}
}

// ContainsHashes writes the Contains of every key to dst. h1s and h2s are as long as dst.
func (f *filter) ContainsHashes(dst []bool, h1s, h2s []uint64) {
	f.MustBeMade()
	for n := f.batch(); len(dst) > 0; {
		n = min(n, len(dst))
		f.touch(h1s[:n], h2s[:n])
		for i, h1 := range h1s[:n] {
			dst[i] = f.Contains(h1, h2s[i])
		}
		dst, h1s, h2s = dst[n:], h1s[n:], h2s[n:]
	}
}
