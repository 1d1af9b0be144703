package cells

import "slices"

// Pile is sorted lists of cells one behind the other, some cells in several. A cell is one
// word, as in Words; in a wide pile, for those that do not fit, it is a key and a count.
type Pile struct {
	pieces [][]uint64 // of words, and behind the one that is written free ones
	at     int        // the piece that is written
	n      int        // words
	base   uint64     // the bits that all keys have and no word has
	wide   bool
	list   Run // where it is wide
}

// maxPiece is how many words a piece of memory has at most, unless a list has more.
const maxPiece = 1 << 16

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

// Room is memory for a list of n more cells, to be read into before Add; none where Grow has
// to make it.
func (p *Pile) Room(n int) Room {
	if p.wide {
		have := len(p.list.Keys)
		if have+n > cap(p.list.Keys) {
			return Room{}
		}
		return Room{Run: Run{p.list.Keys[have : have+n], p.list.Counts[have : have+n]}}
	}
	for i := p.at; i < min(p.at+2, len(p.pieces)); i++ {
		piece := p.pieces[i]
		if have := len(piece); have+n <= cap(piece) {
			p.at = i
			return Room{Words: piece[have : have+n]}
		}
	}
	return Room{}
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
	if p.at < len(p.pieces) {
		p.at++
	}
	p.pieces = slices.Insert(p.pieces, p.at, make([]uint64, 0, size))
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
	piece := &p.pieces[p.at]
	*piece = (*piece)[:len(*piece)+n]
	p.n += n
}

// Joins reports whether the cells of another pile can be added.
func (p *Pile) Joins(o *Pile) bool { return p.wide == o.wide && p.Fits(o.base) }

// Join adds the cells of another pile, for which there is Room. That stays as it is.
func (p *Pile) Join(o *Pile) {
	room, n := p.Room(o.Len()), 0
	for _, piece := range o.pieces {
		n += copy(room.Words[n:], piece)
	}
	copy(room.Keys, o.list.Keys)
	copy(room.Counts, o.list.Counts)
	p.Add(o.Len(), o.base)
}

// Clone is a pile of its own.
func (p *Pile) Clone() Pile {
	c := Pile{wide: p.wide}
	c.Grow(p.Len())
	c.Join(p)
	return c
}

// RunWork is the memory that Run takes beside the pile, the run included.
func (p *Pile) RunWork() int64 { return RunBytes(p.Len())*3/2 + wordBlock*16 }

// Run is the cells as a run. It may leave anything in the memory of the pile.
func (p *Pile) Run() Run {
	switch {
	case p.wide:
		return RunOf(p.list.Keys, p.list.Counts)
	case p.n <= rangeWords:
		return p.small()
	}
	var w Words
	w.Take(p, nil)
	return w.Run(nil)
}

// Empty is the pile without its cells, of which the memory is kept unless it is wide.
func (p *Pile) Empty() Pile {
	if p.wide {
		return Pile{}
	}
	for i, piece := range p.pieces {
		p.pieces[i] = piece[:0]
	}
	return Pile{pieces: p.pieces}
}
