package cells

// Pile is sorted lists of cells one behind the other, some cells in several. A cell is one
// word, as in Words; in a wide pile, for those that do not fit, it is a key and a count.
type Pile struct {
	words  []uint64 // keys, where it is wide
	counts []uint64 // beside keys
	base   uint64   // the bits that all keys have and no word has
	wide   bool
}

// WidePile is an empty pile that is wide.
func WidePile() Pile { return Pile{wide: true} }

// Wide reports whether the pile is wide.
func (p *Pile) Wide() bool { return p.wide }

// Len is the number of cells, one that is in several lists once for each.
func (p *Pile) Len() int { return len(p.words) }

// Bytes is the memory that the pile takes.
func (p *Pile) Bytes() int64 { return int64(cap(p.words)+cap(p.counts)) * 8 }

// Room is memory for a list of n more cells, to be read into before Add; nil where Grow has
// to make it.
func (p *Pile) Room(n int) Run {
	have := len(p.words)
	switch {
	case p.wide && have+n <= cap(p.words):
		return Run{p.words[have : have+n], p.counts[have : have+n]}
	case !p.wide && have+2*n <= cap(p.words):
		return Run{p.words[have : have+n], p.words[have+n : have+2*n]}
	}
	return Run{}
}

// larger is how many words the pile has memory for once there is Room for n more cells:
// for more than those, up to so many cells at most, so that it need not grow for each list.
func (p *Pile) larger(n, most int) int {
	if !p.wide {
		n *= 2
	}
	return max(len(p.words)+n, min(2*cap(p.words), most))
}

// GrowBytes is the memory that the pile takes after Grow.
func (p *Pile) GrowBytes(n, most int) int64 {
	if p.wide {
		return int64(p.larger(n, most)) * 16
	}
	return int64(p.larger(n, most)) * 8
}

// Grow makes Room for n more cells.
func (p *Pile) Grow(n, most int) {
	size := p.larger(n, most)
	p.words = append(make([]uint64, 0, size), p.words...)
	if p.wide {
		p.counts = append(make([]uint64, 0, size), p.counts...)
	}
}

// Add adds the n cells, one at least, that were read into the last Room; false where they do
// not fit, so that they still are there.
func (p *Pile) Add(n int) bool {
	r := p.Room(n)
	have := len(p.words)
	if p.wide {
		p.words, p.counts = p.words[:have+n], p.counts[:have+n]
		return true
	}
	if have == 0 {
		p.base = r.Keys[0] &^ (1<<wordKeys - 1)
	}
	diff, most := uint64(0), uint64(0)
	for i, k := range r.Keys {
		diff |= k ^ p.base
		most |= r.Counts[i]
	}
	if diff>>wordKeys != 0 || most > full {
		return false
	}
	for i, k := range r.Keys {
		r.Keys[i] = k<<countBits | r.Counts[i]
	}
	p.words = p.words[:have+n]
	return true
}

// Joins reports whether the cells of another pile can be added.
func (p *Pile) Joins(o *Pile) bool {
	return p.wide == o.wide && (p.wide || len(p.words) == 0 || p.base == o.base)
}

// Join adds the cells of another pile, for which there is Room. That stays as it is.
func (p *Pile) Join(o *Pile) {
	p.base = o.base
	p.words, p.counts = append(p.words, o.words...), append(p.counts, o.counts...)
}

// Clone is a pile of its own, in RunBytes of its cells at most.
func (p *Pile) Clone() Pile {
	c := *p
	c.words = append(make([]uint64, 0, len(p.words)), p.words...)
	if p.wide {
		c.counts = append(make([]uint64, 0, len(p.counts)), p.counts...)
	}
	return c
}

// Words is the cells sorted, in the memory of the pile, to which nothing can be added; false
// where it is wide.
func (p *Pile) Words() (w Words, ok bool) {
	if p.wide {
		return w, false
	}
	w.base = p.base
	if len(p.words) > 0 {
		s := sorters.Get().(*sorter)
		defer sorters.Put(s)
		words := s.piled(p.words)
		w.lists, w.n = []wordList{{[][]uint64{words}, len(words)}}, len(words)
	}
	return w, true
}

// Run is the cells as a run. It may leave anything in the memory of the pile.
func (p *Pile) Run() Run {
	if w, ok := p.Words(); ok {
		return w.Run(nil)
	}
	return RunOf(p.words, p.counts)
}

// Empty is the pile without its cells, of which the memory is kept unless it is wide.
func (p *Pile) Empty() Pile {
	if p.wide {
		return Pile{}
	}
	return Pile{words: p.words[:0]}
}
