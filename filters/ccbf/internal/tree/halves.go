package tree

import (
	"iter"
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/beside"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Two goroutines prune pieces of many squares from both ends, until they meet: whoever waits for
// the tree of one large group waits for nothing else, and one of the two may have a processor
// for a part of the time alone. Pieces meet where all thresholds in question split, so
// that what is made of each is what one goroutine makes of it.

const (
	// manySquares is from how many squares on, and pieceSquares how many a piece has at least.
	manySquares  = 1 << 14
	pieceSquares = manySquares / 2
	mostPieces   = 32 // of all squares, and one more of each part
)

// border is a square near another before which a list can be cut in two for a window, or 0.
func (s *Squares) border(at int, w window) int {
	_, most, _ := w.weights()
	if s.Levels != nil || most == ^uint64(0) {
		return 0
	}
	for _, part := range [...]int{128, 32, 8} {
		if i := s.borderIn(max(at-s.Len()/part, 0), min(at+s.Len()/part, s.Len()-1), most); i > 0 {
			return i
		}
	}
	return 0
}

// borderIn is where the largest squares meet between two squares, or 0: the smallest square that
// holds those on both sides has to be larger than a tree of the code, and of more weight than
// most.
func (s *Squares) borderIn(low, high int, most uint64) int {
	if low == high {
		return 0
	}
	above := bits.Len64(s.Keys[low]^s.Keys[high]) - 1
	at, _ := slices.BinarySearch(s.Keys, s.Keys[high]>>above<<above)
	level := common(s.Keys[at-1], s.Keys[at])
	if level <= maxRoot {
		return 0
	}
	total := uint64(0)
	for low, high = at, at; weight(level, total) <= most; {
		before, after := low > 0 && common(s.Keys[low-1], s.Keys[at]) <= level, high < s.Len() && common(s.Keys[high], s.Keys[at]) <= level
		if before {
			low--
			total = saturate.Add(total, s.Counts[low])
		}
		if after {
			total = saturate.Add(total, s.Counts[high])
			high++
		}
		if !before && !after {
			return 0
		}
	}
	return at
}

// lay makes nodes for all parts, which have their squares alone, of large ones in pieces: those that
// hold some of two are split by all thresholds of a window.
func (f *fitter) lay(parts []Squares, w window) {
	f.window, f.parts, f.nodes = w, parts, f.nodes[:0]
	all := 0
	for i := range parts {
		all += parts[i].Len()
	}
	size := max(pieceSquares, all/mostPieces)
	if f.spare == nil || all < manySquares {
		size = all
	}
	for i := range parts {
		s, from, before := &parts[i], 0, uint8(edge)
		for at := size; at < s.Len()-size/2; at += size {
			if to := s.border(at, w); to > from {
				level := common(s.Keys[to-1], s.Keys[to])
				f.piece(i, from, to, before, level)
				from, before = to, level
			}
		}
		f.piece(i, from, s.Len(), before, edge)
	}
}

// piece adds nodes for squares of a part from one to another.
func (f *fitter) piece(part, from, to int, before, after uint8) {
	n := len(f.nodes)
	f.nodes = slices.Grow(f.nodes, 1)[:n+1]
	f.nodes[n].of(f.parts[part].slice(from, to), before, after)
	f.nodes[n].part = part
}

// build makes the nodes of all parts for the thresholds of a window.
func (f *fitter) build(parts []Squares, w window) {
	f.lay(parts, w)
	f.leaves = [Taus + 1]int{}
	var others [Taus + 1]int
	worker := func(change *[Taus + 1]int) func(iter.Seq[int]) {
		return func(numbers iter.Seq[int]) {
			for i := range numbers {
				f.nodes[i].build(w, f.share, change)
			}
		}
	}
	beside.Ends(f.spare, len(f.nodes), worker(&f.leaves), worker(&others))
	for t := range Taus + 1 {
		f.leaves[t] += others[t]
	}
	for t := range Taus {
		f.leaves[t+1] += f.leaves[t]
	}
}

// try is the tree that is pruned by a threshold, that of squares up to a key.
func (f *fitter) try(tau Tau, upTo uint64) trial {
	f.passes++
	room, leaves := 0, f.leaves[tau]
	for i := range f.nodes {
		room += f.nodes[i].items.n
	}
	if upTo != ^uint64(0) {
		leaves = 0
		var p pruner
		for i := range f.nodes {
			leaves += p.reset(&f.nodes[i], tau, upTo)
		}
	}
	memory := &f.memory[f.free]
	memory.room(room)
	t := trial{tau: tau, upTo: upTo, parts: make([]Squares, len(f.parts)), memory: f.free}
	at := [2]int{0, leaves} // where each goroutine puts the leaves of a piece behind, or before, those of the last one
	m := f.count(func(m *planner, half, i int) {
		n := &f.nodes[i]
		left := m.prune.reset(n, tau, upTo)
		if half == 1 {
			at[1] -= left
		}
		n.from = at[half]
		n.to = n.from + left
		if half == 0 {
			at[0] = n.to
		}
		if n.nested {
			m.plan.nested(&m.prune, &f.nested[half], left)
			n.to = n.from
			return
		}
		b := memory.slice(n.from, n.to)
		m.plan.pruned(&m.prune, &b)
	})
	defer planners.Put(m)
	from := 0
	for i := range f.nodes {
		n := &f.nodes[i]
		if n.before == edge {
			from = n.from
		}
		if from < n.to {
			t.parts[n.part] = memory.slice(from, n.to).Squares
		}
	}
	t.code = m.codeFor(t.parts)
	return t
}

// unpruned is the tree of all squares, which are cells.
func (f *fitter) unpruned(parts []Squares) *Pruned {
	f.passes++
	f.lay(parts, window{-1, 0})
	m := f.count(func(m *planner, _, i int) { m.plan.squares(&f.nodes[i].s) })
	defer planners.Put(m)
	p := &Pruned{UpTo: ^uint64(0), Code: m.codeFor(parts), Parts: slices.Clone(parts), Sheets: make([][]Squares, len(parts))}
	for i := range parts {
		if n := parts[i].Len(); n > 0 {
			p.Cells += uint64(n)
			p.Sheets[i] = p.Parts[i : i+1 : i+1]
		}
	}
	return p
}

// count has pieces counted, each by a goroutine of which it says whether it is the second one, in the plan of
// the planner that it returns.
func (f *fitter) count(piece func(m *planner, half, i int)) *planner {
	m := planners.Get().(*planner)
	m.reset()
	if f.spare == nil {
		for i := range f.nodes {
			m.up(&f.nodes[i], piece, i)
		}
		return m.counted()
	}
	o := planners.Get().(*planner)
	defer planners.Put(o)
	o.reset()
	first := 0 // how many the first goroutine counted
	beside.Ends(f.spare, len(f.nodes), func(numbers iter.Seq[int]) {
		for i := range numbers {
			m.up(&f.nodes[i], piece, i)
			first++
		}
	}, func(numbers iter.Seq[int]) {
		for i := range numbers {
			o.down(&f.nodes[i], piece, i)
		}
	})
	m.plan.add(&o.counted().plan, first > 0 && first < len(f.nodes) && f.nodes[first].before < edge)
	return m.counted()
}

// up counts a piece behind those that were counted.
func (m *planner) up(n *Nodes, piece func(m *planner, half, i int), i int) {
	if n.before == edge {
		m.plan.begin()
	}
	piece(m, 0, i)
}

// down counts a piece before those that were counted.
func (m *planner) down(n *Nodes, piece func(m *planner, half, i int), i int) {
	m.plan.begin()
	piece(m, 1, i)
	m.plan.before(n.after < edge)
}

// counted lets go of the last piece.
func (m *planner) counted() *planner {
	m.prune.items, m.prune.all = nil, nil
	return m
}

// whole is the tree of a trial, in memory of its own, not much more than it needs.
func (f *fitter) whole(t *trial) *Pruned {
	p := &Pruned{Tau: t.tau, UpTo: t.upTo, Code: t.code, Parts: t.parts, Sheets: make([][]Squares, len(f.parts))}
	known := true
	for i := range f.nodes {
		n := &f.nodes[i]
		known = known && n.cellsKnown()
		if n.nested {
			p.Parts[n.part] = n.At(t.tau, t.upTo)
			p.Sheets[n.part] = p.Parts[n.part].Sheets()
		}
	}
	own := len(f.parts) == 1 && len(f.memory[t.memory].Keys) <= p.Parts[0].Len()/4*5
	if own {
		f.memory[t.memory] = batch{}
	}
	for i := range p.Parts {
		if p.Parts[i].Len() == 0 || p.Sheets[i] != nil {
			continue
		}
		if !own {
			s := p.Parts[i]
			p.Parts[i] = Squares{slices.Clone(s.Keys), slices.Clone(s.Levels), slices.Clone(s.Counts)}
		}
		p.Sheets[i] = p.Parts[i : i+1 : i+1]
	}
	if !known {
		return p
	}
	var first, second uint64
	sum := func(excess *uint64) func(iter.Seq[int]) {
		return func(numbers iter.Seq[int]) {
			var prune pruner
			for i := range numbers {
				prune.reset(&f.nodes[i], t.tau, t.upTo)
				*excess = saturate.Add(*excess, prune.excess())
			}
		}
	}
	beside.Ends(f.spare, len(f.nodes), sum(&first), sum(&second))
	p.Excess = saturate.Add(first, second)
	for i := range f.parts {
		p.Cells += uint64(f.parts[i].Len())
	}
	return p
}
