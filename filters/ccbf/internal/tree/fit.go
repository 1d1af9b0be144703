package tree

import (
	"slices"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Pruned is a tree that fits its bytes.
type Pruned struct {
	// Tau is the threshold of squares up to the key UpTo, of which most trees have
	// all, and the next lower one that of those beyond.
	Tau    Tau
	UpTo   uint64
	Parts  []Squares
	Sheets [][]Squares // of each part
	Code   *Code
	// Excess is by how much the counts of all cells with points are too high
	// together, and Cells how many those are; 0 where that is not known, because
	// the squares were none of cells.
	Excess, Cells uint64
	memory        []Squares // of the parts
}

// Size is how many bytes the code and the sheets take, at most.
func (p *Pruned) Size() uint64 { return p.Code.Size() }

// Fit prunes parts, such as those of several categories, by one threshold: one on
// the scale for which code and sheets take at most limit bytes, and for the next
// lower one they do not. False where they never do. Where many squares have the same
// weight, as where most cells have one point, a step of the scale can be a tenth of
// the bytes and more: then those of the last step are split from the end of the curve
// on, up to what fits. The result depends on the points alone, not on the order in
// which they came. O(n) for n squares.
func Fit(parts []Squares, limit uint64) (*Pruned, bool) {
	f := fitters.Get().(*fitter)
	defer f.end()
	f.limit = limit
	for _, s := range parts {
		f.add(s)
	}
	ascend(&f.leaves)
	return f.fit(f.guess(sampled(parts)))
}

// Cut prunes squares to so many at most, where a threshold does, else to one.
func Cut(s Squares, squares int) Squares {
	f := fitters.Get().(*fitter)
	defer f.end()
	f.add(s)
	ascend(&f.leaves)
	out, _, _ := f.nodes[0].At(Tau(f.leastFor(float64(squares), 0, Taus-1, 1, 1)), ^uint64(0), Squares{})
	return out
}

// ascend makes numbers of leaves of changes.
func ascend(leaves *[Taus + 1]int) {
	for t := range Taus {
		leaves[t+1] += leaves[t]
	}
}

type fitter struct {
	limit  uint64
	nodes  []Nodes
	leaves [Taus + 1]int // that are left by each threshold
	spare  []*Pruned     // whose memory is free
	passes int           // over the leaves of a threshold
}

// fitters lends memory to one tree after the other.
var fitters = sync.Pool{New: func() any { return new(fitter) }}

// end gives back what is lent.
func (f *fitter) end() {
	for i := range f.nodes {
		f.nodes[i].s = Squares{}
	}
	for _, p := range f.spare {
		*p = Pruned{memory: p.memory}
	}
	*f = fitter{nodes: f.nodes[:0], spare: f.spare}
	fitters.Put(f)
}

// add adds a part.
func (f *fitter) add(s Squares) {
	n := len(f.nodes)
	f.nodes = slices.Grow(f.nodes, 1)[:n+1]
	f.nodes[n].build(s, &f.leaves)
}

// fit looks for a threshold that fits and whose next lower one does not, first at a
// guess.
func (f *fitter) fit(guess int) (*Pruned, bool) {
	var fits *Pruned
	above := uint64(0) // the size at the highest threshold that does not fit
	t := f.search(guess, false, func(t int) uint64 {
		p := f.at(Tau(t), ^uint64(0))
		if p.Size() <= f.limit {
			f.free(fits)
			fits = p
		} else {
			f.free(p)
			above = p.Size()
		}
		return p.Size()
	})
	if fits == nil {
		fits = f.at(Tau(t), ^uint64(0))
	} else if above > 0 {
		fits = f.fill(fits, above)
	}
	return f.whole(fits), fits.Size() <= f.limit
}

// free gives back the memory of a tree, if it is one.
func (f *fitter) free(p *Pruned) {
	if p != nil {
		f.spare = append(f.spare, p)
	}
}

// whole is a tree in memory of its own, no more than it needs.
func (f *fitter) whole(p *Pruned) *Pruned {
	out := *p
	out.memory, out.Parts, out.Sheets = nil, make([]Squares, len(p.Parts)), make([][]Squares, len(p.Parts))
	for i, s := range p.Parts {
		out.Parts[i] = Squares{slices.Clone(s.Keys), slices.Clone(s.Levels), slices.Clone(s.Counts)}
		switch {
		case f.nodes[i].nested:
			out.Sheets[i] = out.Parts[i].Sheets()
		case s.Len() > 0:
			out.Sheets[i] = []Squares{out.Parts[i]}
		}
	}
	f.free(p)
	return &out
}

// The places on the curve from which on the last step of the scale is taken.
const (
	places    = 64
	fillTries = 2
	fillShare = 32 // so small a part of the limit is not worth a try
)

// fill splits more of a tree, which would take above bytes at the next lower
// threshold, where that fits.
func (f *fitter) fill(fits *Pruned, above uint64) *Pruned {
	keys := f.nodes[0].s.Keys
	for i := range f.nodes {
		if k := f.nodes[i].s.Keys; len(k) > len(keys) {
			keys = k
		}
	}
	// Up to the place low too much is split; high fits. Sizes are taken to change
	// evenly from one to the other.
	low, high, below := 0, places, fits.Size()
	for range fillTries {
		if f.limit-below < f.limit/fillShare || high-low < 2 {
			break
		}
		step := (f.limit - below) * uint64(high-low) / (above - below)
		at := max(high-int(step), low+1)
		if at >= high {
			break
		}
		p := f.at(fits.Tau, keys[len(keys)*at/places])
		if p.Size() <= f.limit {
			f.free(fits)
			fits, high, below = p, at, p.Size()
		} else {
			f.free(p)
			low, above = at, p.Size()
		}
	}
	return fits
}

// quickTries is how often the bytes of a leaf say where to try next; then halves do.
const quickTries = 10

// search is a threshold at which size is at most the limit and at whose next lower
// one it is not, or the highest. It tries a guess, and then where the limit would
// be if the bytes of a leaf grew evenly from one threshold tried to the next.
// Where roughly is true, it ends where that is what is found, without a try.
func (f *fitter) search(t int, roughly bool, size func(t int) uint64) int {
	low, high := -1, Taus-1 // low does not fit; high does, if any does
	var below, above float64
	for tries := 0; low+1 < high; tries++ {
		t = min(max(t, low+1), high-1)
		n := size(t)
		each := float64(n) / float64(max(f.leaves[t], 1))
		if n <= f.limit {
			high, above = t, each
			if below == 0 {
				below = each
			}
		} else {
			low, below = t, each
			if above == 0 {
				above = each
			}
		}
		if t = (low + high) / 2; tries < quickTries {
			t = f.leastFor(float64(f.limit), low, high, below, above)
		}
		if roughly && t == high {
			break
		}
	}
	return high
}

// leastFor is the least threshold from low to high that leaves so many bytes at most,
// by the bytes of a leaf at both.
func (f *fitter) leastFor(limit float64, low, high int, below, above float64) int {
	from, to := low, high
	for from < to {
		mid := (from+to+Taus)/2 - Taus/2 // rounds down below 0 too
		each := below + float64((above-below)*(float64(mid-low)/float64(high-low)))
		if float64(f.leaves[max(mid, 0)])*each <= limit {
			to = mid
		} else {
			from = mid + 1
		}
	}
	return from
}

// Samples are stretches of squares from which the bytes of a leaf are known.
const (
	sampleParts  = 16
	sampleLeast  = 1 << 14 // fewer squares take no longer than their sample
	sampleFactor = 8       // as many squares are one in the sample
)

// sampled is a part of the squares of all parts: stretches that lie evenly in them.
func sampled(parts []Squares) Squares {
	var m Merger
	for _, s := range parts {
		if s.Len() < sampleLeast {
			continue
		}
		each := s.Len() / (sampleParts * sampleFactor)
		var out Squares
		for i := range sampleParts {
			from := s.Len() / sampleParts * i
			out.Keys = append(out.Keys, s.Keys[from:from+each]...)
			out.Counts = append(out.Counts, s.Counts[from:from+each]...)
			if s.Levels != nil {
				out.Levels = append(out.Levels, s.Levels[from:from+each]...)
			}
		}
		m.Add(out)
	}
	return m.Sum()
}

// guess is a threshold that is likely to fit, by a sample.
func (f *fitter) guess(sample Squares) int {
	t := f.leastFor(float64(f.limit), 0, Taus-1, 1, 1) // a leaf takes about a byte
	if sample.Len() == 0 {
		return t
	}
	g := fitters.Get().(*fitter)
	defer g.end()
	g.add(sample)
	ascend(&g.leaves)
	return f.search(t, true, func(t int) uint64 {
		p := g.at(Tau(t), ^uint64(0))
		g.free(p)
		tables := min(p.Code.tablesSize(), p.Size())
		return tables + uint64(float64(p.Size()-tables)/float64(max(g.leaves[t], 1))*float64(f.leaves[t]))
	})
}

// at is the tree pruned by a threshold, that of squares up to a key.
func (f *fitter) at(tau Tau, upTo uint64) *Pruned {
	f.passes++
	p := new(Pruned)
	if n := len(f.spare); n > 0 {
		p, f.spare = f.spare[n-1], f.spare[:n-1]
	}
	n := len(f.nodes)
	if len(p.memory) < n {
		p.memory = append(p.memory, make([]Squares, n-len(p.memory))...)
	}
	if len(p.Parts) != n {
		p.Parts, p.Sheets = make([]Squares, n), make([][]Squares, n)
	}
	p.Tau, p.UpTo, p.Excess, p.Cells = tau, upTo, 0, 0
	known := true
	for i := range f.nodes {
		n := &f.nodes[i]
		if p.memory[i].Len() < n.s.Len() {
			p.memory[i] = room(n.s.Len())
		}
		s, excess, cells := n.At(tau, upTo, p.memory[i])
		p.Parts[i] = s
		switch p.Sheets[i] = p.Sheets[i][:0]; {
		case n.nested:
			p.Sheets[i] = s.Sheets()
		case s.Len() > 0:
			p.Sheets[i] = append(p.Sheets[i], s)
		}
		known = known && n.cellsKnown()
		p.Excess, p.Cells = saturate.Add(p.Excess, excess), p.Cells+cells
	}
	if !known {
		p.Excess, p.Cells = 0, 0
	}
	p.Code = CodeFor(p.Sheets)
	return p
}
