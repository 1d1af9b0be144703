package ccbf

import "github.com/ccbfsql/ccbfsql/filters/grid"

// search walks the cells of a dense sketch inside a rectangle, and with levels
// the quads above them, from the largest down. What a quad holds is never more
// than it reads, so that what is below a quad that reads 0 is left out, and
// visit can leave out more.
type search struct {
	v        *View
	category []byte
	// visit is called with a quad, what it reads, and the least of that and of
	// what the quads above it read: never below the truth either. It reports
	// whether to go on to the quad's parts. The larger of them come first.
	visit func(level int, at grid.Cell, n, least uint64) bool

	clips [MaxLevels + 1]grid.Rect // the rectangle in quads of each level
	reads uint64                   // lookups so far
	most  uint64                   // that are allowed; 0 ends the search
}

// read is a quad and what it reads.
type read struct {
	at       grid.Cell
	n, least uint64
}

// run searches a rectangle. It may look up AreaLimit quads.
func (s *search) run(clip grid.Rect) error {
	clip = clip.Intersect(s.v.Bounds)
	if clip.Empty() {
		return nil
	}
	top := int(s.v.Levels)
	for l := range top + 1 {
		s.clips[l] = clip.Quads(l)
	}
	s.most = AreaLimit - s.v.covered
	all := s.clips[top]
	if n := all.Count(); n > s.most {
		return s.v.allow(n)
	}
	for y := all.MinY; y <= all.MaxY; y++ {
		for x := all.MinX; x <= all.MaxX && s.reads <= s.most; x++ {
			if q := s.read(top, grid.Cell{X: x, Y: y}, ^uint64(0)); q.least > 0 {
				s.below(top, q)
			}
		}
	}
	return s.v.allow(s.reads)
}

func (s *search) read(level int, at grid.Cell, above uint64) read {
	s.reads++
	n := s.v.level(level, at, s.category)
	return read{at, n, min(n, above)}
}

func (s *search) below(level int, q read) {
	if !s.visit(level, q.at, q.n, q.least) || level == 0 {
		return
	}
	level--
	var parts [4]read
	n := 0
	for i := range int64(4) {
		at := grid.Cell{X: 2*q.at.X + i&1, Y: 2*q.at.Y + i>>1}
		if !s.clips[level].Contains(at) {
			continue
		}
		p := s.read(level, at, q.least)
		if p.least == 0 {
			continue
		}
		j := n
		for ; j > 0 && parts[j-1].least < p.least; j-- {
			parts[j] = parts[j-1]
		}
		parts[j] = p
		n++
	}
	for _, p := range parts[:n] {
		if s.reads > s.most {
			return
		}
		s.below(level, p)
	}
}
