package cbf

import (
	"math/bits"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/internal/simd"
)

const (
	// lines is the largest number of words that are prefetched together.
	lines = 1024
	// outOfCache is the number of bytes of a filter from which words are prefetched. The processor then does
	// not wait for the memory of one key after the other.
	outOfCache = 1 << 19
)

// batch returns the largest number of keys whose words are prefetched together.
func (f *filter) batch() int { return int(lines / f.k) }

// touch prefetches the words of at most batch() keys.
func (f *filter) touch(h1s, h2s []uint64) {
	if len(f.body) < outOfCache {
		return
	}
	var offsets [lines]uint32 // in the body, which has at most 2^30 bytes
	at := 0
	for j, h1 := range h1s {
		for i := range f.k {
			word, _ := bits.Mul64(hash(h1, h2s[j], i), f.words)
			offsets[at%lines] = uint32(8 * word)
			at++
		}
	}
	simd.Prefetch(unsafe.Pointer(&f.body[0]), offsets[:at])
}

// AddHashes adds many keys: ns[k] occurrences of the key (h1s[k], h2s[k]), or one of each if ns is nil.
// The result is the same as by Add for each key in order. The slices must be as long as h1s.
func (s *Sketch) AddHashes(h1s, h2s, ns []uint64) {
	s.MustBeMade()
	for len(h1s) > 0 {
		n := min(s.batch(), len(h1s))
		s.touch(h1s[:n], h2s[:n])
		for i, h1 := range h1s[:n] {
			times := uint64(1)
			if ns != nil {
				times = ns[i]
			}
			s.Add(h1, h2s[i], times)
		}
		if h1s, h2s = h1s[n:], h2s[n:]; ns != nil {
			ns = ns[n:]
		}
	}
}

// ContainsHashes writes to dst whether each key may be there, as Contains. dst and h2s must be as long
// as h1s.
func (f *filter) ContainsHashes(dst []bool, h1s, h2s []uint64) {
	f.MustBeMade()
	for len(h1s) > 0 {
		n := min(f.batch(), len(h1s))
		f.touch(h1s[:n], h2s[:n])
		for i, h1 := range h1s[:n] {
			dst[i] = f.Contains(h1, h2s[i])
		}
		dst, h1s, h2s = dst[n:], h1s[n:], h2s[n:]
	}
}
