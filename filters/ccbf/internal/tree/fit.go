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
	return f.fitParts(parts, limit)
}

// fitParts is Fit. Where there are many squares a sample says about which threshold it
// will be, so that the thresholds near it alone are looked at.
func (f *fitter) fitParts(parts []Squares, limit uint64) (*Pruned, bool) {
	f.limit = limit
	guess, each := f.guess(parts)
	if guess == 0 && onlyCells(parts) {
		if p := unpruned(parts); p.Size() <= f.limit {
			return p, true
		}
	}
	if guess >= 0 {
		f.build(parts, near(guess))
		if p, ok := f.fit(parts, each); p != nil {
			return p, ok
		}
	}
	f.build(parts, allTaus)
	return f.fit(parts, each)
}

// window is thresholds above low and up to high.
type window struct{ low, high int }

// allTaus is the window of all thresholds.
var allTaus = window{-1, Taus - 1}

// nearTaus is how far from the guess of a sample a threshold may be.
const nearTaus = 6

// near is the window of the thresholds near a guess.
func near(guess int) window { return window{max(guess-nearTaus, 0) - 1, min(guess+nearTaus, Taus-1)} }

// onlyCells reports whether all squares are cells.
func onlyCells(parts []Squares) bool {
	return !slices.ContainsFunc(parts, func(s Squares) bool { return s.Levels != nil })
}

type fitter struct {
	limit  uint64
	window window
	parts  []nodes
	leaves [Taus + 1]int // that are left by each threshold of the window
	// Memory for the parts, and for the leaves of two trials: which of these has no tree that fits.
	memory [3]Squares
	free   int
}

// fitters lends memory to one tree after the other.
var fitters = sync.Pool{New: func() any { return new(fitter) }}

// end gives back what is lent.
func (f *fitter) end() {
	*f = fitter{parts: f.parts[:0], memory: f.memory}
	fitters.Put(f)
}

// room is n squares of memory.
func room(s *Squares, n int) Squares {
	if len(s.Keys) < n {
		*s = Squares{make([]uint64, n), make([]uint8, n), make([]uint64, n)}
	}
	return Squares{s.Keys[:n], s.Levels[:n], s.Counts[:n]}
}

// total is how many squares there are in all parts.
func total(parts []Squares) (n int) {
	for i := range parts {
		n += parts[i].Len()
	}
	return n
}

// from is the squares from one on.
func (s *Squares) from(i int) Squares { return Squares{s.Keys[i:], s.Levels[i:], s.Counts[i:]} }

// build prepares all parts for the thresholds of a window.
func (f *fitter) build(parts []Squares, w window) {
	f.window, f.leaves = w, [Taus + 1]int{}
	f.parts = slices.Grow(f.parts[:0], len(parts))[:len(parts)]
	memory := room(&f.memory[2], total(parts))
	for i := range parts {
		n := &f.parts[i]
		n.build(&memory, &parts[i], Tau(max(w.low, 0)).Value(), Tau(w.high).limit(), &f.leaves)
		memory = memory.from(n.Len())
	}
	for t := range Taus {
		f.leaves[t+1] += f.leaves[t]
	}
}

// trial is a tree that may be it.
type trial struct {
	tau    Tau
	upTo   uint64
	code   *Code
	parts  []Squares
	sheets [][]Squares
	memory *Squares // of the fitter, for the parts
}

func (t *trial) size() uint64 { return t.code.Size() }

// try is the tree that is pruned by a threshold, that of squares up to a key.
func (f *fitter) try(tau Tau, upTo uint64) trial {
	t := trial{tau: tau, upTo: upTo, parts: make([]Squares, len(f.parts)), sheets: make([][]Squares, len(f.parts)), memory: &f.memory[f.free]}
	memory := room(t.memory, f.leaves[0])
	for i := range f.parts {
		leaves := memory
		f.parts[i].prune(&leaves, tau, upTo)
		memory, t.parts[i] = memory.from(leaves.Len()), leaves
		if f.parts[i].nested {
			t.sheets[i] = leaves.Sheets()
		}
		if leaves.Len() > 0 && len(t.sheets[i]) < 2 {
			t.sheets[i] = t.parts[i : i+1 : i+1]
		}
	}
	t.code = CodeFor(t.sheets)
	return t
}

// unpruned is the tree of all cells.
func unpruned(parts []Squares) *Pruned {
	p := &Pruned{UpTo: ^uint64(0), Parts: slices.Clone(parts), Sheets: make([][]Squares, len(parts)), Cells: uint64(total(parts))}
	for i := range parts {
		p.Sheets[i] = p.Parts[i].Sheets()
	}
	p.Code = CodeFor(p.Sheets)
	return p
}

// whole is the tree of a trial, in memory of its own: that of the fitter where it fills most of that.
func (t *trial) whole(of []Squares) *Pruned {
	p := &Pruned{Tau: t.tau, UpTo: t.upTo, Code: t.code, Parts: t.parts, Sheets: t.sheets}
	if len(t.memory.Keys) <= total(t.parts)/4*5 {
		*t.memory = Squares{}
	} else {
		for i := range p.Parts {
			s := &p.Parts[i]
			*s = Squares{slices.Clone(s.Keys), slices.Clone(s.Levels), slices.Clone(s.Counts)}
		}
	}
	if onlyCells(of) {
		p.Cells = uint64(total(of))
		for i := range of {
			p.Excess = saturate.Add(p.Excess, excess(of[i].Keys, &p.Parts[i]))
		}
	}
	return p
}

// fit looks for a threshold that fits and whose next lower one does not, by about how
// many bytes a leaf takes. There is none, and no tree, where it would not be in the
// window.
func (f *fitter) fit(parts []Squares, each float64) (*Pruned, bool) {
	var fits trial
	t, above, ok := f.search(each, func(t int) uint64 {
		p := f.try(Tau(t), ^uint64(0))
		if p.size() <= f.limit {
			fits = p
			f.free ^= 1
		}
		return p.size()
	})
	switch {
	case !ok:
		return nil, false
	case fits.code == nil:
		fits = f.try(Tau(t), ^uint64(0))
	case above > 0:
		fits = f.fill(parts, fits, above)
	}
	return fits.whole(parts), fits.size() <= f.limit
}

// The places on the curve from which on the last step of the scale is taken.
const (
	places    = 64
	fillTries = 2
	fillShare = 32 // so small a part of the limit is not worth a try
)

// fill splits more of a tree, which would take above bytes at the next lower
// threshold, where that fits.
func (f *fitter) fill(parts []Squares, fits trial, above uint64) trial {
	keys := parts[0].Keys
	for i := range parts {
		if k := parts[i].Keys; len(k) > len(keys) {
			keys = k
		}
	}
	// Up to the place low too much is split; high fits. Sizes are taken to change
	// evenly from one to the other.
	low, high, below := 0, places, fits.size()
	for range fillTries {
		if f.limit-below < f.limit/fillShare || high-low < 2 {
			break
		}
		step := (f.limit - below) * uint64(high-low) / (above - below)
		at := max(high-int(step), low+1)
		if at >= high {
			break
		}
		p := f.try(fits.tau, keys[len(keys)*at/places])
		if p.size() <= f.limit {
			fits, high, below = p, at, p.size()
			f.free ^= 1
		} else {
			low, above = at, p.size()
		}
	}
	return fits
}

const (
	// quickTries is how often the bytes of a leaf say where to try next; then halves do.
	quickTries = 10
	// From sureLeaves on the bytes of a leaf at a threshold, those of the next lower one
	// but for sureShare of them at most, say that it does not fit: its leaves are
	// smaller, and take more to say where they are. Not so where leaves are so much
	// alike that they take next to nothing.
	sureLeaves = 1 << 13
	sureShare  = 64
	sureBytes  = 0.5
)

// search is a threshold at which size is at most the limit and at whose next lower one
// it is not, and the size there, or the highest of all; false where it is not in the
// window. It tries where the limit would be at about so many bytes a leaf, and then
// if these grew evenly from one threshold tried to the next.
func (f *fitter) search(each float64, size func(t int) uint64) (t int, notFitting uint64, ok bool) {
	low, high := f.window.low, f.window.high // low does not fit; high does, if any does
	below, above := each, each
	for tries := 0; low+1 < high; tries++ {
		t := (low + high) / 2
		if tries < quickTries {
			t = f.leastFor(float64(f.limit), low, high, below, above)
		}
		t = min(max(t, low+1), high-1)
		n := size(t)
		each := float64(n) / float64(max(f.leaves[t], 1))
		if n > f.limit {
			low, below, notFitting = t, each, n
			if high == f.window.high {
				above = each
			}
			continue
		}
		high, above = t, each
		if low == f.window.low {
			below = each
		}
		if t-1 <= low || f.leaves[t] < sureLeaves || each < sureBytes {
			continue
		}
		if next := uint64(each * float64(f.leaves[t-1])); next-next/sureShare > f.limit {
			low, notFitting = t-1, next
		}
	}
	return high, notFitting, (low > f.window.low || low < 0) && (high < f.window.high || high == Taus-1)
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
	sampleLeast   = 1 << 16 // fewer squares take no longer than their sample
	sampleFactor  = 8       // as many squares are one in the sample
	sampleMost    = 1 << 16
	sampleStretch = 1 << 9 // squares in a stretch at most
	sampleParts   = 64     // stretches in a list at least
	jumpBytes     = 4      // about, for the gap between two of them
)

// sampled is a part of the squares of all parts: stretches that lie evenly in them.
// None where there are few squares, or where few are in parts that have many.
func sampled(parts []Squares) (sample Squares, stretches, all int) {
	many := 0
	for _, s := range parts {
		all += s.Len()
		if s.Len() >= sampleLeast {
			many += s.Len()
		}
	}
	if many == 0 || many < all/2 {
		return sample, 0, all
	}
	factor := max(sampleFactor, many/sampleMost)
	var m Merger
	for _, s := range parts {
		if s.Len() < sampleLeast {
			continue
		}
		stretch := min(s.Len()/(factor*sampleParts), sampleStretch)
		room := s.Len()/factor + stretch
		out := Squares{Keys: make([]uint64, 0, room), Counts: make([]uint64, 0, room)}
		for from := 0; from < s.Len(); from += factor * stretch {
			to := min(from+stretch, s.Len())
			stretches++
			out.Keys = append(out.Keys, s.Keys[from:to]...)
			out.Counts = append(out.Counts, s.Counts[from:to]...)
			if s.Levels != nil {
				out.Levels = append(out.Levels, s.Levels[from:to]...)
			}
		}
		m.Add(out)
	}
	return m.Sum(), stretches, all
}

// guess is a threshold that is likely to fit, and the bytes of a leaf there, by a
// sample; below 0 where there is none.
func (f *fitter) guess(parts []Squares) (t int, each float64) {
	sample, stretches, all := sampled(parts)
	if sample.Len() == 0 {
		return -1, 1 // a leaf takes about a byte
	}
	g := fitters.Get().(*fitter)
	defer g.end()
	// Few trees are so coarse that a threshold is as large as all points are many.
	w := window{-1, int(tauOf(sample.Total()))}
	g.build([]Squares{sample}, w)
	limit := float64(f.limit) * float64(sample.Len()) / float64(all)
	t, each = -1, 1
	for range sampleTries {
		before := t
		if t = g.leastFor(limit, 0, w.high, each, each); t == w.high && w != allTaus {
			w = allTaus
			g.build([]Squares{sample}, w)
			t = g.leastFor(limit, 0, w.high, each, each)
		}
		if before >= 0 && max(t-before, before-t) <= nearTaus {
			break // a leaf takes as much
		}
		p := g.try(Tau(t), ^uint64(0))
		// All of the tables are in the sample's bytes, and jumps from stretch to
		// stretch.
		tables := p.code.tablesSize()
		jumps := uint64(stretches * jumpBytes)
		size := max(p.size(), tables+jumps) - tables - jumps
		leaves := float64(max(g.leaves[t], 1))
		each = float64(size)/leaves + float64(tables)/(leaves*float64(all)/float64(sample.Len()))
	}
	return t, each
}

// sampleTries is how often a sample is pruned at most.
const sampleTries = 3
