package tree

import (
	"cmp"
	"slices"
	"sort"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Fit prunes sections, for example of several categories, by one threshold. Code and sheets take
// at most limit bytes at this threshold, and more at the next lower one. Fit returns false if they always
// take more.
//
// If many squares have the same weight, for example because most cells have one point, the next lower
// threshold may take a tenth more bytes. Then Fit applies it to the end of the curve, from the key on that
// fits. The result depends on the points only, not on their order. O(n) for n squares.
//
// If there are many squares, Fit first guesses the threshold from a sample, so that it need only try a few.
func Fit(sections cells.List, limit uint64) (*List, bool) {
	f := fitter{limit: limit, sections: sections}
	guess, each := f.guess()
	if guess == 0 && onlyCells(sections) {
		all := List{Sections: sections, Fit: Accuracy{Cells: uint64(sections.Number())}}
		if out := all.coded(); out.code.size <= limit {
			return out, true
		}
	}
	if guess >= 0 {
		f.build(window{max(guess-nearTaus, 0) - 1, min(guess+nearTaus, Taus-1)})
		if out, ok := f.fit(each); out != nil {
			return out, ok
		}
	}
	f.build(allTaus)
	return f.fit(each)
}

// window is a range of thresholds: above low, and at most high.
type window struct{ low, high int }

// allTaus is the window of all thresholds.
var allTaus = window{-1, Taus - 1}

// nearTaus is how far the threshold may be from the guess by a sample.
const nearTaus = 6

// fitter searches for the least threshold at which the pruned sections take at most limit bytes.
type fitter struct {
	limit    uint64
	sections cells.List
	window   window
	nodes    []nodes       // by section
	leaves   [Taus + 1]int // the number of leaves at each threshold of the window.
	// memory is for the leaves of two trials. The best trial so far is not in memory[free].
	memory [2]cells.Squares
	free   int
}

// build finds the nodes of all sections for the thresholds of a window.
func (f *fitter) build(w window) {
	f.window, f.leaves, f.memory = w, [Taus + 1]int{}, [2]cells.Squares{}
	f.nodes = make([]nodes, len(f.sections))
	all := cells.Room(f.sections.Number())
	memory := all.Part(0, f.sections.Number())
	for i := range f.nodes {
		n := &f.nodes[i]
		n.build(&memory, &f.sections[i].Squares, Tau(max(w.low, 0)).Value(), Tau(w.high).limit(), &f.leaves)
		memory = memory.Part(n.Len(), memory.Len())
	}
	for t := range Taus {
		f.leaves[t+1] += f.leaves[t]
	}
}

// allKeys is the highest key.
const allKeys = ^uint64(0)

// try prunes with threshold tau, for squares with keys up to upTo, and with the next lower threshold for
// the others. The result is in the fitter's memory.
func (f *fitter) try(tau Tau, upTo uint64) *List {
	out := &List{Sections: slices.Clone(f.sections), Tau: tau}
	if f.memory[f.free].Keys == nil {
		f.memory[f.free] = cells.Room(f.leaves[0])
	}
	memory := f.memory[f.free].Part(0, f.leaves[0])
	for i := range f.nodes {
		n, leaves := &f.nodes[i], memory
		n.prune(&leaves, tau, upTo)
		memory, out.Sections[i].Squares = memory.Part(n.Len(), memory.Len()), leaves
	}
	return out.coded()
}

// finish moves a tree out of the fitter's memory. If the squares before pruning are cells, finish measures the
// excess of counts.
func (f *fitter) finish(t *List) {
	measured := onlyCells(f.sections)
	for i := range t.Sections {
		s, before := &t.Sections[i], &f.sections[i]
		s.Squares = s.Clone()
		if measured {
			t.Fit.Cells += uint64(before.Len())
			t.Fit.Excess = saturate.Add(t.Fit.Excess, excess(before.Keys, &s.Squares))
		}
	}
}

// Where on the curve the next lower threshold may begin.
const (
	places    = 64
	fillTries = 2
	fillShare = 32 // no try if less than this part of the limit is left
)

// fill lowers the threshold for the end of the curve, from some key on, as far as the tree still fits. At
// the next lower threshold, the whole tree would take above bytes.
func (f *fitter) fill(fits *List, above uint64) *List {
	keys := slices.MaxFunc(f.sections, func(a, b cells.Section) int { return cmp.Compare(a.Len(), b.Len()) }).Keys
	// Splitting all squares from place high on fits the limit, from place low on it does not. Between
	// both, the size is assumed to grow evenly.
	low, high, below := 0, places, fits.code.size
	for range fillTries {
		if f.limit-below < f.limit/fillShare || high-low < 2 {
			break
		}
		step := (f.limit - below) * uint64(high-low) / (above - below)
		at := max(high-int(step), low+1)
		if at >= high {
			break
		}
		p := f.try(fits.Tau, keys[len(keys)*at/places])
		if size := p.code.size; size <= f.limit {
			fits, high, below = p, at, size
			f.free ^= 1
		} else {
			low, above = at, size
		}
	}
	return fits
}

const (
	// quickTries is the number of tries that interpolate. Then tries halve the window.
	quickTries = 10
	// From sureLeaves on, a threshold's bytes per leaf say that the next lower one does not fit, with a
	// margin of one part in sureShare. The leaves of a lower threshold are smaller, and take more bytes to
	// say where they are. Leaves below sureBytes are the exception: they are so much alike that they take
	// next to nothing.
	sureLeaves = 1 << 13
	sureShare  = 64
	sureBytes  = 0.5
)

// fit returns the tree of a threshold at which it fits, but does not at the next lower threshold. If no threshold
// fits, it returns the tree of the highest one, and false. It returns nil if the threshold is not in the window. It
// interpolates: first as if every leaf took each bytes, and then between the thresholds that it has tried.
func (f *fitter) fit(each float64) (*List, bool) {
	var fits *List
	notFitting := uint64(0)                  // the bytes at threshold low
	low, high := f.window.low, f.window.high // threshold low does not fit; if any threshold fits, high does
	below, above := each, each
	for tries := 0; low+1 < high; tries++ {
		t := (low + high) / 2
		if tries < quickTries {
			t = f.leastFor(float64(f.limit), low, high, below, above)
		}
		t = min(max(t, low+1), high-1)
		p := f.try(Tau(t), allKeys)
		n := p.code.size
		each := float64(n) / float64(max(f.leaves[t], 1))
		if n > f.limit {
			low, below, notFitting = t, each, n
			if high == f.window.high {
				above = each
			}
			continue
		}
		high, above, fits = t, each, p
		f.free ^= 1
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
	switch {
	case low == f.window.low && low >= 0, high == f.window.high && high < Taus-1:
		return nil, false
	case fits == nil:
		fits = f.try(Tau(high), allKeys)
	case notFitting > 0:
		fits = f.fill(fits, notFitting)
	}
	f.finish(fits)
	return fits, fits.code.size <= f.limit
}

// leastFor returns the least threshold from low to high at which all leaves take at most limit bytes, or
// high if there is none. The bytes of a leaf are interpolated: the parameter below at low, and above at
// high.
func (f *fitter) leastFor(limit float64, low, high int, below, above float64) int {
	return low + sort.Search(high-low, func(i int) bool {
		each := below + float64((above-below)*(float64(i)/float64(high-low)))
		return float64(f.leaves[max(low+i, 0)])*each <= limit
	})
}

// Samples are stretches of squares that tell how many bytes a leaf takes.
const (
	sampleLeast   = 1 << 16 // squares of a section at least: a sample pays from there on.
	sampleFactor  = 8       // one square in so many at most
	sampleMost    = 1 << 16 // about the most squares in a sample.
	sampleStretch = 1 << 9  // squares in a stretch at most
	sampleParts   = 64      // stretches in a section at least
	jumpBytes     = 4       // about the bytes of the gap between two stretches
)

// sampled returns a sample of the squares of all sections, which consists of evenly spaced stretches. It
// also returns the number of stretches, and of all squares. The sample is empty if there are few squares,
// or many sections with few squares each.
func sampled(sections cells.List) (sample cells.Squares, stretches, all int) {
	many := 0
	for _, s := range sections {
		all += s.Len()
		if s.Len() >= sampleLeast {
			many += s.Len()
		}
	}
	if many == 0 || many < all/2 {
		return sample, 0, all
	}
	factor := max(sampleFactor, many/sampleMost)
	var m cells.Merger
	for _, s := range sections {
		if s.Len() < sampleLeast {
			continue
		}
		stretch := min(s.Len()/(factor*sampleParts), sampleStretch)
		out := cells.Room(s.Len()/factor + stretch)
		for from := 0; from < s.Len(); from += factor * stretch {
			out.Append(s.Part(from, min(from+stretch, s.Len())))
			stretches++
		}
		m.Add(out)
	}
	return m.Sum(), stretches, all
}

// guess returns a threshold t that is likely to fit, and how many bytes a leaf takes at t. Both come from
// a sample. Without a sample, t is negative.
func (f *fitter) guess() (t int, each float64) {
	sample, stretches, all := sampled(f.sections)
	if sample.Len() == 0 {
		// Without a sample, assume a byte for each leaf.
		return -1, 1
	}
	g := fitter{sections: cells.List{{Squares: sample}}}
	// Thresholds above the number of points are rare. So the window ends there at first, and becomes
	// larger below if necessary.
	w := window{-1, int(tauOf(sample.Total()))}
	g.build(w)
	limit := float64(f.limit) * float64(sample.Len()) / float64(all)
	t, each = -1, 1
	for range sampleTries {
		before := t
		if t = g.leastFor(limit, 0, w.high, each, each); t == w.high && w != allTaus {
			w = allTaus
			g.build(w)
			t = g.leastFor(limit, 0, w.high, each, each)
		}
		if before >= 0 && max(t-before, before-t) <= nearTaus {
			// The last size was measured at nearly the same threshold, so each is about the same.
			break
		}
		p := g.try(Tau(t), allKeys)
		// The size of the sample includes all tables, and the jumps between stretches. Both are
		// subtracted, because they do not grow with the leaves. The tables are then divided among the
		// leaves of the whole tree.
		tables := p.code.tablesSize()
		jumps := uint64(stretches * jumpBytes)
		size := max(p.code.size, tables+jumps) - tables - jumps
		leaves := float64(max(g.leaves[t], 1))
		each = float64(size)/leaves + float64(tables)/(leaves*float64(all)/float64(sample.Len()))
	}
	return t, each
}

// sampleTries is the most times that a sample is pruned.
const sampleTries = 3
