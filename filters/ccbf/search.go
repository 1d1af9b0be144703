package ccbf

import (
	"cmp"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// search walks the cells of a dense sketch inside a rectangle, and with levels
// the quads above them, from the largest down. What a quad holds is never more
// than it reads, so that what is below a quad that reads 0 is left out, and
// visit can leave out more.
type search struct {
	v        *View
	category []byte
	// visit is called with a quad, what it reads, and the least of that and of
	// what the quads above it read: never below the truth either. It reports
	// whether to go on to the quad's parts.
	visit func(level int, at grid.Cell, n, least uint64) bool
	// largestFirst is for those who look for the largest: of the parts of
	// searchBatch quads those that read most come first.
	largestFirst bool

	clips  [MaxLevels + 1]grid.Rect // the rectangle in quads of each level
	parts  [MaxLevels + 1][]reading
	reads  uint64 // lookups so far
	most   uint64 // that are allowed; 0 ends the search
	h1, h2 [4 * searchBatch]uint64
	counts [4 * searchBatch]uint64
}

// searchBatch is how many quads go down together, so that lookups need not wait
// for each other.
const searchBatch = 64

// reading is a quad and what it reads.
type reading struct {
	at       grid.Cell
	n, least uint64
}

// run searches a rectangle. It may look up View.AreaLimit quads.
func (s *search) run(clip grid.Rect) error {
	clip = clip.Intersect(s.v.Bounds)
	if clip.Empty() {
		return nil
	}
	top := int(s.v.Levels)
	for l := range top + 1 {
		s.clips[l] = clip.Quads(l)
	}
	s.most = s.v.left()
	all := s.clips[top]
	if n := all.Count(); n > s.most {
		return s.v.allow(n)
	}
	first := make([]reading, 0, 4*searchBatch)
	for y := all.MinY; y <= all.MaxY; y++ {
		for x := all.MinX; x <= all.MaxX && s.reads <= s.most; x++ {
			first = append(first, reading{at: grid.Cell{X: x, Y: y}, least: ^uint64(0)})
			if len(first) == cap(first) || x == all.MaxX && y == all.MaxY {
				s.down(top, first)
				first = first[:0]
			}
		}
	}
	return s.v.allow(s.reads)
}

// down reads quads, as many as a batch has parts, and goes on to the parts of
// those that visit wants. least is so far that of the quads above.
func (s *search) down(level int, quads []reading) {
	quads = s.read(level, quads)
	if s.largestFirst && level > 0 {
		slices.SortFunc(quads, func(a, b reading) int { return cmp.Compare(b.least, a.least) })
	}
	for len(quads) > 0 && s.reads <= s.most {
		parts := s.parts[level][:0]
		batch := quads[:min(searchBatch, len(quads))]
		quads = quads[len(batch):]
		for _, q := range batch {
			if s.visit(level, q.at, q.n, q.least) && level > 0 {
				parts = s.appendParts(parts, level-1, q)
			}
		}
		s.parts[level] = parts
		if len(parts) > 0 {
			s.down(level-1, parts)
		}
	}
}

// appendParts appends the parts of a quad, of the level below it, that meet the
// rectangle.
func (s *search) appendParts(dst []reading, level int, q reading) []reading {
	for i := range int64(4) {
		at := grid.Cell{X: 2*q.at.X + i&1, Y: 2*q.at.Y + i>>1}
		if s.clips[level].Contains(at) {
			dst = append(dst, reading{at: at, least: q.least})
		}
	}
	return dst
}

// read fills in what quads read and drops those that read 0.
func (s *search) read(level int, quads []reading) []reading {
	h := s.v.Config.hasher(uint8(level))
	for i, q := range quads {
		s.h1[i], s.h2[i] = h.hash(q.at, s.category)
	}
	n := len(quads)
	s.v.dense.Counts(s.counts[:n], s.h1[:n], s.h2[:n])
	s.reads += uint64(n)
	kept := quads[:0]
	for i, q := range quads {
		if q.n, q.least = s.counts[i], min(s.counts[i], q.least); q.least > 0 {
			kept = append(kept, q)
		}
	}
	return kept
}
