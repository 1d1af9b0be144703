package cells

import "math/bits"

// cellsRead is what is known of the cells of a section that were read.
type cellsRead struct {
	total   uint64
	corners corners
	wide    bool // some cell does not fit a word: nothing is known of the others
}

// decodeWords is decodeInto as words, whose keys have the bits of base.
func (b *blocks) decodeWords(dst []uint64, base uint64) (all cellsRead, ok bool) {
	q := lentBatch()
	defer batches.Put(q)
	at, last, blocks := 0, uint64(0), blockCount(b.cells)
	all.corners = cornersOf(b.first(0))
	for i := 0; i < blocks; i += together {
		n := min(together, blocks-i)
		q.readFrom(b, i, i+n)
		for j := range n {
			part := q.cells(j)
			if len(part.Keys) == 0 || at > 0 && part.Keys[0] <= last {
				return all, false
			}
			last = part.Keys[len(part.Keys)-1]
			most, chosen := b.pack(i+j, part, dst[at:], &all.total)
			if most > full || (last^base)>>wordKeys != 0 {
				return cellsRead{wide: true}, true
			}
			if !chosen {
				return all, false
			}
			at += len(part.Keys)
			all.corners = all.corners.around(part.Keys)
		}
	}
	return all, at == b.cells && b.end(blocks-1) == len(b.data)
}

// pack makes words of the cells of block i, adds what they count to total, and returns the most
// bits of a count, and chosen.
func (b *blocks) pack(i int, cells Run, dst []uint64, total *uint64) (most uint64, ok bool) {
	_, gapOrder, countOrder, _, _ := b.block(i)
	gaps, ns := &lengthParts[gapOrder], &lengthParts[countOrder]
	keys := cells.Keys
	counts, dst := cells.Counts[:len(keys)], dst[:len(keys)]
	ofGaps, ofCounts, sum := uint32(0), uint32(0), uint64(0)
	last := keys[0] - 1 // so that the first gap is none
	for j, k := range keys {
		n := counts[j]
		ofGaps += gaps[bits.Len64(k-last-1)&127]
		ofCounts += ns[bits.Len64(n-1)&127]
		dst[j] = k<<countBits | n
		most |= n
		sum += n
		last = k
	}
	*total += sum
	return most, best(gapOrder, ofGaps-gaps[0], len(counts)-1) && best(countOrder, ofCounts, len(counts))
}
