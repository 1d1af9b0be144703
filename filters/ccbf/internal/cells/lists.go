package cells

import (
	"math/bits"
	"slices"
)

const (
	// shortList is from how many words on, on average, sorted lists one behind the other
	// are merged as such.
	shortList = 512
	// bucketWords is about how many words are sorted at once: with what it takes to sort them
	// they stay in the first-level cache.
	bucketWords = 1 << 12
	// samples is how many words are looked at for each bucket to tell where it begins.
	samples = 8
)

// piled is one word for each cell of words in any order, in the memory of those; several
// where it counts too much for one.
func (s *sorter) piled(words []uint64) []uint64 {
	first, last := words[0], uint64(0)
	diff, descents := uint64(0), 0
	for _, w := range words {
		diff |= w ^ first
		if w < last {
			descents++
		}
		last = w
	}
	diff |= full
	if n := len(words); n >= packKeys && descents < n/shortList {
		return s.mergeLists(words, diff, descents+1)
	}
	s.other = slices.Grow(s.other[:0], len(words))
	sorted, sums := s.radix.SortBitsIn(words, s.other[:len(words)], diff&^full), s.other[:len(words)]
	if &sorted[0] == &sums[0] {
		sums = words
	}
	return words[:copy(words, addUpWords(sorted[:0], sorted, sums))]
}

// mergeLists is piled for n sorted lists, one behind the other, whose words differ in the
// bits of diff: of the words in one range after the other, which each list has side by side.
// So they are moved less far than by sorting all of them, and stay in the cache.
func (s *sorter) mergeLists(words []uint64, diff uint64, n int) []uint64 {
	at, end := make([]int32, 1, n), make([]int32, 0, n) // what is left of each list
	for i, w := range words[1:] {
		if w < words[i] {
			end = append(end, int32(i+1))
			at = append(at, int32(i+1))
		}
	}
	end = append(end, int32(len(words)))
	borders := bordersOf(words)
	s.out = slices.Grow(s.out[:0], len(words))
	out := s.out
	low := uint64(1)<<bits.Len64(diff) - 1
	from := words[0] &^ low // the range of this bucket begins
	for b := 0; b <= len(borders); b++ {
		last := words[0] | low
		if b < len(borders) {
			last = borders[b] - 1
		}
		n := 0
		for list, i := range at {
			rest := words[i:end[list]]
			s.words = slices.Grow(s.words[:n], len(rest))
			bucket := s.words[n : n+len(rest)]
			took := 0
			for took < len(bucket) && rest[took] <= last {
				bucket[took] = rest[took]
				took++
			}
			n += took
			at[list] += int32(took)
		}
		if n > 0 {
			s.other = slices.Grow(s.other[:0], n)
			bucket, other := s.words[:n], s.other[:n]
			sorted := s.radix.SortBitsIn(bucket, other, (1<<bits.Len64(from^last)-1)&^full)
			if &sorted[0] == &other[0] {
				other = bucket
			}
			out = addUpWords(out, sorted, other)
		}
		from = last + 1
	}
	s.out = out
	return words[:copy(words, out)]
}

// bordersOf are words at which buckets begin, but for the first; no cell has words on both
// sides of one.
func bordersOf(words []uint64) []uint64 {
	n := len(words) / bucketWords * samples
	sample := make([]uint64, n)
	for i := range sample {
		sample[i] = words[i*len(words)/n] &^ full
	}
	slices.Sort(sample)
	borders, last := sample[:0], uint64(0)
	for i := samples; i < n; i += samples {
		if w := sample[i]; w > last {
			borders = append(borders, w)
			last = w
		}
	}
	return borders
}

// addUpWords appends to dst, which has room, one word for each cell of sorted words, several
// where it counts too much for one. It may leave anything in words and in sums, which is as
// long; dst may be in the memory of words. What a cell counts is the difference of two sums
// over all words, so that no word waits for the one before.
func addUpWords(dst, words, sums []uint64) []uint64 {
	sums = sums[:len(words)]
	n, last, sum := 0, words[0]>>countBits, uint64(0)
	for _, w := range words {
		k := w >> countBits
		differ := k ^ last // a branch would be foreseen half of the time
		n += int((differ | -differ) >> 63)
		last = k
		sum += w & full
		words[n], sums[n] = k<<countBits, sum
	}
	sums = sums[:n+1]
	at := len(dst)
	dst = dst[:at+len(sums)]
	over, before := uint64(0), uint64(0)
	for i, sum := range sums {
		count := sum - before
		before = sum
		over |= count
		dst[at+i] = words[i] | count&full
	}
	if over <= full {
		return dst
	}
	// From the last to the first, each to where it comes to lie.
	count := func(i int) uint64 {
		if i == 0 {
			return sums[0]
		}
		return sums[i] - sums[i-1]
	}
	more := 0
	for i := range sums {
		more += int((count(i) - 1) / full)
	}
	dst = dst[:len(dst)+more]
	to := len(dst)
	for i := n; i >= 0; i-- {
		key := dst[at+i] &^ full
		for left := count(i); left > 0; left -= min(left, full) {
			to--
			dst[to] = key | min(left, full)
		}
	}
	return dst
}
