package ccbf

import (
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// cellSample is cells of a tree that is pruned while it is built, and their true counts, from
// which its error is measured in the end. A cell is in the sample if the upper bits of its hash are 0,
// so what is in it does not depend on when the cell came, or in which builder.
type cellSample struct {
	counts map[sampledCell]uint64
	most   int  // cells
	bits   uint // of a hash that are 0
	// lost says that there are points of unknown cells: a tree was added.
	lost bool
}

type sampledCell struct {
	cells.Label
	key uint64
}

const (
	// leastSampled and mostSampled are how many cells a sample has at most, for trees of few bytes and of
	// many. Where counts spread as much as they are high on average, the mean of 4,096 is within
	// 5% of that of all cells (3 sigma), and that of 256 within 19%.
	leastSampled = 1 << 8
	mostSampled  = 1 << 12
	// sampledBytes is about the memory of a cell.
	sampledBytes = 128
)

// sampleSize is how many cells the sample of a tree of so many bytes has at most.
func sampleSize(bytes uint64) int { return int(min(max(bytes/4, leastSampled), mostSampled)) }

// holds reports whether a cell is in the sample.
func (s *cellSample) holds(h *hasher, c *sampledCell) bool {
	first, _ := h.hash(cells.CellOf(c.X, c.Y, c.key), c.KeyCategory())
	return bits.LeadingZeros64(first) >= int(s.bits)
}

// add adds those cells of a list that are in the sample.
func (s *cellSample) add(c *Config, list cells.List) {
	h := c.hasher(0)
	for i := range list {
		for j, key := range list[i].Keys {
			s.addCell(&h, sampledCell{list[i].Label, key}, list[i].Counts[j])
		}
	}
}

func (s *cellSample) addCell(h *hasher, c sampledCell, count uint64) {
	if !s.holds(h, &c) {
		return
	}
	if s.counts == nil {
		s.counts = map[sampledCell]uint64{}
	}
	s.counts[c] = saturate.Add(s.counts[c], count)
	for len(s.counts) > s.most {
		s.bits++
		for c := range s.counts {
			if !s.holds(h, &c) {
				delete(s.counts, c)
			}
		}
	}
}

// merge adds another sample, which stays as it is.
func (s *cellSample) merge(c *Config, o *cellSample) {
	s.lost = s.lost || o.lost
	h := c.hasher(0)
	s.bits = max(s.bits, o.bits)
	for c := range s.counts {
		if !s.holds(&h, &c) {
			delete(s.counts, c)
		}
	}
	for c, n := range o.counts {
		s.addCell(&h, c, n)
	}
}

// clone is a copy.
func (s *cellSample) clone() cellSample {
	c := *s
	c.counts = make(map[sampledCell]uint64, len(s.counts))
	for cell, n := range s.counts {
		c.counts[cell] = n
	}
	return c
}

// accuracy is that of a tree of total points, by the cells of the sample.
func (s *cellSample) accuracy(t *leafList, leaves, total uint64) accuracy {
	if len(s.counts) == 0 {
		return accuracy{}
	}
	byLabel := map[cells.Label][]uint64{}
	for c := range s.counts {
		byLabel[c.Label] = append(byLabel[c.Label], c.key)
	}
	excess := uint64(0)
	for label, keys := range byLabel {
		slices.Sort(keys)
		squares := t.squares(label)
		for i, n := range squares.CountSorted(keys) {
			excess = saturate.Add(excess, n-s.counts[sampledCell{label, keys[i]}])
		}
	}
	// There are at least as many cells as leaves, and no more than points.
	number := min(max(uint64(len(s.counts))<<s.bits, leaves), total)
	mean := float64(excess) / float64(len(s.counts))
	return accuracy{known: true, sampled: true, cells: number, excess: uint64(min(mean*float64(number), 1<<62))}
}
