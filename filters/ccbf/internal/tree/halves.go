package tree

import (
	"math/bits"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/internal/beside"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// Two goroutines prune two halves of many squares: whoever waits for the tree of one large
// group waits for nothing else. The halves meet where all thresholds in question split, so
// that what each makes of its half is what one makes of it.

// manySquares is from how many squares on.
const manySquares = 1 << 14

// halve is where the squares of all parts are cut in two: before a square of a part, or,
// where that is the first, before the part; behind the last one where they are not cut.
func (f *fitter) halve(w window) (part, at int) {
	all := 0
	for i := range f.parts {
		all += f.parts[i].Len()
	}
	if f.spare == nil || all < manySquares {
		return len(f.parts), 0
	}
	for at = all / 2; at >= f.parts[part].Len(); part++ {
		at -= f.parts[part].Len()
	}
	return part, f.parts[part].border(at, w)
}

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

// lay makes nodes for all parts, in two halves, which have their squares alone: those that
// hold some of both are split by all thresholds of a window.
func (f *fitter) lay(parts []Squares, w window) {
	f.window, f.parts = w, parts
	f.nodes = slices.Grow(f.nodes[:0], len(parts)+1)[:len(parts)+1]
	part, at := f.halve(w)
	n := 0
	add := func(p, from, to int, before, after uint8) {
		f.nodes[n].of(parts[p].slice(from, to), before, after)
		f.nodes[n].part = p
		n++
	}
	f.second, f.cut = len(parts), at > 0
	for p := range parts {
		if p == part {
			level := uint8(edge)
			if f.cut {
				level = common(parts[p].Keys[at-1], parts[p].Keys[at])
				add(p, 0, at, edge, level)
			}
			f.second = n
			add(p, at, parts[p].Len(), level, edge)
			continue
		}
		add(p, 0, parts[p].Len(), edge, edge)
	}
	f.nodes = f.nodes[:n]
}

// build makes the nodes of all parts for the thresholds of a window.
func (f *fitter) build(parts []Squares, w window) {
	f.lay(parts, w)
	f.leaves = [Taus + 1]int{}
	var others [Taus + 1]int
	half := func(nodes []Nodes, change *[Taus + 1]int) {
		for i := range nodes {
			nodes[i].build(w, f.share, change)
		}
	}
	beside.Do(f.spareFor(), func() { half(f.nodes[:f.second], &f.leaves) }, func() { half(f.nodes[f.second:], &others) })
	for t := range Taus + 1 {
		f.leaves[t] += others[t]
	}
	for t := range Taus {
		f.leaves[t+1] += f.leaves[t]
	}
}

// spareFor is spare where there are two halves.
func (f *fitter) spareFor() func() bool {
	if f.second == len(f.nodes) {
		return nil
	}
	return f.spare
}

// try is the tree that is pruned by a threshold, that of squares up to a key.
func (f *fitter) try(tau Tau, upTo uint64) trial {
	f.passes++
	size := 0
	for i := range f.nodes {
		size += f.nodes[i].items.n
	}
	memory := &f.memory[f.free]
	memory.room(size)
	t := trial{tau: tau, upTo: upTo, parts: make([]Squares, len(f.parts)), memory: f.free}
	t.code = f.code(func(m *planner, half int) { f.plan(m, tau, upTo, half, memory) },
		func() Squares { return memory.slice(f.nodes[f.second-1].from, f.nodes[f.second].to).Squares })
	for i := range f.nodes {
		n := &f.nodes[i]
		from := n.from
		if f.cut && i == f.second {
			from = f.nodes[i-1].from
		}
		if from < n.to {
			t.parts[n.part] = memory.slice(from, n.to).Squares
		}
	}
	return t
}

// unpruned is the tree of all squares, which are cells.
func (f *fitter) unpruned(parts []Squares) *Pruned {
	f.passes++
	f.lay(parts, window{-1, 0})
	code := f.code(func(m *planner, half int) {
		for i := range f.nodes {
			if s := &f.nodes[i].s; (i < f.second) == (half == 0) && s.Len() > 0 {
				m.plan.squares(s)
				f.endNode(&m.plan, i, s)
			}
		}
	}, func() Squares { return parts[f.nodes[f.second].part] })
	p := &Pruned{UpTo: ^uint64(0), Code: code, Parts: slices.Clone(parts), Sheets: make([][]Squares, len(parts))}
	for i := range parts {
		if n := parts[i].Len(); n > 0 {
			p.Cells += uint64(n)
			p.Sheets[i] = p.Parts[i : i+1 : i+1]
		}
	}
	return p
}

// code is the code for what count gives to the plans of both halves; whole is the sheet of
// the part that is cut.
func (f *fitter) code(count func(m *planner, half int), whole func() Squares) *Code {
	m := planners.Get().(*planner)
	defer planners.Put(m)
	p := m.reset()
	if f.second == len(f.nodes) {
		count(m, 0)
		return p.codeFor(&m.costs)
	}
	o := planners.Get().(*planner)
	defer planners.Put(o)
	q := o.reset()
	beside.Do(f.spare, func() { count(m, 0) }, func() { count(o, 1) })
	p.add(q, f.cut)
	if f.cut {
		s := whole()
		p.end(&s)
	}
	return p.codeFor(&m.costs)
}

// endNode ends a sheet with the leaves of a node, where they are not a part of it.
func (f *fitter) endNode(p *plan, node int, s *Squares) {
	switch {
	case f.cut && node == f.second-1:
	case f.cut && node == f.second:
		p.pause()
	default:
		p.end(s)
	}
}

// plan counts what is written of the nodes of a half for a trial. Leaves are put into the
// memory of items: in the first half at the end of it and in the second where it begins, so
// that those of a part that is cut are one list.
func (f *fitter) plan(m *planner, tau Tau, upTo uint64, half int, memory *batch) {
	p, prune, at := &m.plan, &m.prune, 0
	for i := range f.nodes {
		n := &f.nodes[i]
		room := n.items.n
		at += room
		if (i < f.second) != (half == 0) || room == 0 {
			continue
		}
		left := prune.reset(n, tau, upTo)
		n.from, n.to = at, at
		if n.nested {
			nested := &f.nested[half]
			nested.room(left)
			s := nested.slice(0, prune.next(nested)).Squares
			for _, sheet := range s.Sheets() {
				p.sheet(&sheet)
			}
			continue
		}
		n.from = at - left
		if half == 1 {
			n.from, n.to = at-room, at-room+left
		}
		b := memory.slice(n.from, n.to)
		p.pruned(prune, &b)
		f.endNode(p, i, &b.Squares)
	}
	prune.items, prune.all = nil, nil
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
	sum := func(nodes []Nodes) (excess uint64) {
		var prune pruner
		for i := range nodes {
			prune.reset(&nodes[i], t.tau, t.upTo)
			excess = saturate.Add(excess, prune.excess())
		}
		return excess
	}
	var first, second uint64
	beside.Do(f.spareFor(), func() { first = sum(f.nodes[:f.second]) }, func() { second = sum(f.nodes[f.second:]) })
	p.Excess = saturate.Add(first, second)
	for i := range f.parts {
		p.Cells += uint64(f.parts[i].Len())
	}
	return p
}
