package cells

import "slices"

// Pile is sorted lists of cells one behind the other, some cells in several. A cell is one
// word, as in Words; in a wide pile, for those that do not fit, it is a key and a count. Words
// are never changed once added, so that piles can share them.
type Pile struct {
	pieces [][]uint64 // of words, of which the last has room for more
	n      int        // words
	lists  int        // how many they are in
	base   uint64     // the bits that all keys have and no word has
	wide   bool
	list   Run // where it is wide
}

const (
	// maxPiece is how many words a piece of memory has at most, unless a list has more.
	maxPiece = 1 << 16
	// sharedPiece is from how many words on a piece is shared and not copied.
	sharedPiece = 1 << 10
)

// WidePile is an empty pile that is wide.
func WidePile() Pile { return Pile{wide: true} }

// Wide reports whether the pile is wide.
func (p *Pile) Wide() bool { return p.wide }

// Len is the number of cells, one that is in several lists once for each.
func (p *Pile) Len() int { return p.n + len(p.list.Keys) }

// Bytes is the memory that the pile takes.
func (p *Pile) Bytes() int64 { return int64(p.room())*8 + p.list.Bytes() }

// room is how many words there is memory for.
func (p *Pile) room() int {
	n := 0
	for _, piece := range p.pieces {
		n += cap(piece)
	}
	return n
}

// Fits reports whether a list whose cells have the bits of base, if they fit words, can be added.
func (p *Pile) Fits(base uint64) bool { return p.wide || p.n == 0 || p.base == base }

// Room is memory for a list of n more cells, to be read into before Add; false where Grow has
// to make it.
func (p *Pile) Room(n int) (Room, bool) {
	if p.wide {
		have := len(p.list.Keys)
		if have+n > cap(p.list.Keys) {
			return Room{}, false
		}
		return Room{Run: Run{p.list.Keys[have : have+n], p.list.Counts[have : have+n]}}, true
	}
	if i := len(p.pieces) - 1; i >= 0 {
		if have := len(p.pieces[i]); have+n <= cap(p.pieces[i]) {
			return Room{Words: p.pieces[i][have : have+n]}, true
		}
	}
	return Room{}, false
}

// more is how many cells Grow makes memory for: as many as there is memory for, so that it need
// not grow for each list.
func (p *Pile) more(n int) int {
	if p.wide {
		return max(n, len(p.list.Keys))
	}
	return max(n, min(p.room(), maxPiece))
}

// GrowBytes is the memory that Grow allocates.
func (p *Pile) GrowBytes(n int) int64 {
	if p.wide {
		return RunBytes(len(p.list.Keys) + p.more(n))
	}
	return int64(p.more(n)) * 8
}

// Grow makes Room for n more cells.
func (p *Pile) Grow(n int) {
	size := p.more(n)
	if p.wide {
		size += len(p.list.Keys)
		p.list = Run{append(make([]uint64, 0, size), p.list.Keys...), append(make([]uint64, 0, size), p.list.Counts...)}
		return
	}
	p.pieces = append(p.pieces, make([]uint64, 0, size))
}

// Add adds the n cells, one at least, that were read into the last Room, with the bits of base
// if they are words.
func (p *Pile) Add(n int, base uint64) {
	if p.wide {
		have := len(p.list.Keys)
		p.list = Run{p.list.Keys[:have+n], p.list.Counts[:have+n]}
		return
	}
	p.base = base
	piece := &p.pieces[len(p.pieces)-1]
	*piece = (*piece)[:len(*piece)+n]
	p.n += n
	p.lists++
}

// Joins reports whether the cells of another pile can be added.
func (p *Pile) Joins(o *Pile) bool { return p.wide == o.wide && p.Fits(o.base) }

// shares reports whether a piece is shared by Join: a short one is not worth it, nor one that keeps much more memory.
func shares(piece []uint64) bool { return len(piece) >= sharedPiece && len(piece) >= cap(piece)/4*3 }

// JoinBytes is the memory that Join takes.
func (p *Pile) JoinBytes(o *Pile) int64 {
	n, shared := o.Len(), 0
	for _, piece := range o.pieces {
		if shares(piece) {
			shared += len(piece)
		}
	}
	size := int64(shared) * 8
	if _, ok := p.Room(n - shared); n > shared && !ok {
		size += p.GrowBytes(n - shared)
	}
	return size
}

// Join adds the cells of another pile, which stays as it is.
func (p *Pile) Join(o *Pile) {
	copied := 0
	for _, piece := range o.pieces {
		if !shares(piece) {
			copied += len(piece)
		}
	}
	if copied += len(o.list.Keys); copied > 0 {
		r, ok := p.Room(copied)
		if !ok {
			p.Grow(copied)
			r, _ = p.Room(copied)
		}
		n := 0
		copy(r.Keys, o.list.Keys)
		copy(r.Counts, o.list.Counts)
		for _, piece := range o.pieces {
			if !shares(piece) {
				n += copy(r.Words[n:], piece)
			}
		}
		p.Add(copied, o.base)
	}
	if p.wide {
		return
	}
	for _, piece := range o.pieces {
		if shares(piece) { // before the last, which has room
			p.pieces = slices.Insert(p.pieces, max(len(p.pieces)-1, 0), slices.Clip(piece))
		}
	}
	p.base, p.n, p.lists = o.base, p.n+o.n-copied, p.lists+o.lists
}

// SumBytes is the memory that Run and Words.Take take to sort lists that are short.
func (p *Pile) SumBytes() int64 {
	if p.short() {
		return int64(p.n) * 8
	}
	return 0
}

// short reports whether lists are so short that they are sorted, for longer ones.
func (p *Pile) short() bool { return p.lists > p.n/shortList+len(p.pieces) }

// RunBytes is the memory that Run takes, the run included: for a copy, too, of a wide pile.
func (p *Pile) RunBytes() int64 {
	if p.wide {
		return 2 * RunBytes(p.Len())
	}
	return RunBytes(p.n)*3/2 + wordBlock*16 + p.SumBytes()
}

// Run is the cells as a run.
func (p *Pile) Run() Run {
	switch {
	case p.wide:
		return RunOf(slices.Clone(p.list.Keys), slices.Clone(p.list.Counts))
	case p.n < packKeys:
		return p.small()
	}
	var w Words
	w.Take(p, nil)
	return w.Run(nil)
}
