package udf

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/groups"
	"github.com/ccbfsql/ccbfsql/internal/notes"
	"github.com/paulmach/orb"
)

// joinAdvice ends the summaries of functions that are called for very many rows.
const joinAdvice = "For many places, FROM places LEFT JOIN sketches USING (key) is fastest. FROM places, sketches copies a sketch for every 2,048 places. JOIN on an integer or date key copies it for every place."

// placePiece is the number of places that are looked up at once: their cells fit into the
// first-level cache.
const placePiece = 256

// places is the lookups of one chunk, sorted by sketch.
type places struct {
	at          coordinates
	groups.Rows // the rows by sketch.

	keys    []cacheKey        // by sketch, its key in the cache.
	decoded []*bridge.Decoded // by sketch, the decoded one; nil if it is not in the cache.

	cells  []grid.Cell
	which  []uint32 // by row, the number of its category in the sketch
	found  []uint64 // results of FindCells in decoded sketches
	slots  []uint32
	counts []uint64 // counts of the rows, in the sequence of Order
	xs, ys [placePiece]float64

	pending     []pendingLookups
	pendingRows uint32 // lookups in pending
}

// pendingLookups is lookups from to to-1 of places.Order, all in one decoded sketch. Their counts are not
// read yet.
type pendingLookups struct {
	in       *bridge.Decoded
	from, to uint32
}

var placesPool = sync.Pool{New: func() any { return new(places) }}

// putCounts writes the count of each row: counts[i] to row rows[i].
func putCounts(out *duck.Result, rows []uint32, counts []uint64) {
	answers := duck.Out[uint64](out)
	for i, row := range rows {
		answers[row] = counts[i]
	}
}

// putPresent writes for each row whether its count is above 0.
func putPresent(out *duck.Result, rows []uint32, counts []uint64) {
	answers := duck.Out[bool](out)
	for i, row := range rows {
		answers[row] = counts[i] > 0
	}
}

// ccbfGet returns a function that looks up the counts of places. put writes the results: counts[i] is
// the count of row rows[i].
func ccbfGet(put func(out *duck.Result, rows []uint32, counts []uint64)) compute {
	return func(c *call) error {
		at, err := coordinatesOf(c, 1)
		if err != nil {
			return err
		}
		q, err := questionOf(c, everywhere, c.Optional(at.next))
		if err != nil {
			return err
		}
		p := placesPool.Get().(*places)
		p.at = at
		defer func() {
			p.forget() // drop references to the chunk's memory, which DuckDB reuses
			placesPool.Put(p)
		}()
		p.gather(q)
		p.find(q)
		for i := range p.Len() {
			if err := p.lookup(q, i); err != nil {
				return err
			}
		}
		p.read()
		put(c.out, p.Order, p.counts)
		return p.note(q)
	}
}

// note notes the first place, and the categories of the first row of each sketch, if no row has a count. It notes
// lists, and a category that all rows have, in any case.
func (p *places) note(q *question) error {
	fixed := q.selection.fixed
	ofPlace, ofCategories := notes.WantsPlace(), q.has && (fixed && notes.WantsCategories() || !fixed && notes.WantsCategory())
	if len(p.Order) == 0 || !ofPlace && !ofCategories {
		return nil
	}
	some := slices.Max(p.counts[:len(p.Order)]) > 0
	if ofPlace {
		if err := p.notePlace(q, some); err != nil {
			return err
		}
	}
	if !ofCategories {
		return nil
	}
	if some && !fixed {
		notes.Found()
		return nil
	}
	for i := range p.Len() {
		from, _ := p.Range(i)
		of, err := q.open(p.blob(q, i), true, int(p.Order[from]))
		if err != nil {
			return err
		}
		q.noteCategory(of, true, false)
		q.out.EndRow()
	}
	return nil
}

// notePlace notes the first place of the first sketch; some says whether a row has a count. A place within the bounds
// of the sketch shows that coordinates are in order.
func (p *places) notePlace(q *question, some bool) error {
	h, err := q.headOf(p.blob(q, 0))
	if err != nil {
		return err
	}
	_, to := p.Range(0)
	rows, bound := p.Order[:to], h.Grid.Bound(h.Bounds)
	at := func(row uint32) orb.Point { return orb.Point{p.at.xs[row], p.at.ys[row]} }
	some = some || !h.Bounds.Empty() && slices.ContainsFunc(rows, func(row uint32) bool { return bound.Contains(at(row)) })
	notes.Place(h, at(rows[0]), some)
	return nil
}

// forget removes references to the chunk's memory.
func (p *places) forget() {
	p.at = coordinates{}
	clear(p.decoded)
	p.pending = p.pending[:0]
}

// find looks up all sketches of the chunk in the cache of decoded sketches.
func (p *places) find(q *question) {
	p.keys = p.keys[:0]
	for i := range p.Len() {
		p.keys = append(p.keys, cacheKeyOf(p.blob(q, i), !q.has))
	}
	p.decoded = decodedSketches.find(p.keys, p.decoded[:0])
}

// gather sorts the rows by their sketches, by the address of the bytes, and writes NULL for rows
// with a NULL.
func (p *places) gather(q *question) {
	n, blobs, whole := q.Len(), q.Col(0), q.empty == nil && !q.selection.several()
	for i := range q.NumCols() {
		whole = whole && q.Col(i).AllValid()
	}
	if cap(p.cells) < n {
		p.cells, p.counts, p.found = make([]grid.Cell, n), make([]uint64, n), make([]uint64, n)
		p.which, p.slots = make([]uint32, n), make([]uint32, n)
	}
	p.Reset(n)
	for i := range n {
		if !whole && (!q.valid(i) || q.has && !q.selection.valid(i)) {
			q.out.SetNull(i)
			continue
		}
		blob := blobs.Bytes(i)
		p.Add(i, uintptr(unsafe.Pointer(unsafe.SliceData(blob))), len(blob))
	}
	p.Sort()
}

// blob returns sketch i.
func (p *places) blob(q *question, i int) []byte {
	from, _ := p.Range(i)
	return q.Col(0).Bytes(int(p.Order[from]))
}

// lookup counts the places of sketch i.
func (p *places) lookup(q *question, i int) error {
	from, to := p.Range(i)
	blob := p.blob(q, i)
	if k := p.decoded[i]; k != nil && (!q.has || !q.selection.severalOf(k.Class())) {
		return p.lookupDecoded(q, k, from, to)
	}
	if err := q.show(blob); err != nil {
		return err
	}
	if q.has && q.selection.severalOf(q.view.Class()) {
		return p.lookupSeveral(q, blob, from, to)
	}
	if err := p.lookupView(q, from, to); err != nil {
		return err
	}
	if spent, ofDecode := bridge.Costs(&q.view); ofDecode > 0 && decodedSketches.addCost(p.keys[i], spent+1, ofDecode) {
		decodedSketches.decode(p.keys[i], &q.view)
	}
	return nil
}

// cellsOf writes to cells the cells in grid g of the places in the rows of.
func (p *places) cellsOf(g grid.Grid, of []uint32, cells []grid.Cell) error {
	xs, ys := p.at.xs, p.at.ys
	for len(of) > 0 {
		n := min(len(of), placePiece)
		first, last := of[0], of[n-1]
		x, y := p.xs[:n], p.ys[:n]
		if int(last-first) == n-1 { // the rows are consecutive, as the rows of one sketch ascend: no copy
			x, y = xs[first:last+1], ys[first:last+1]
		} else {
			for i, row := range of[:n] {
				x[i], y[i] = xs[row], ys[row]
			}
		}
		if _, err := g.Cells(cells, x, y); err != nil {
			return err
		}
		of, cells = of[n:], cells[n:]
	}
	return nil
}

// lookupDecoded finds the places of the rows Order[from:to] in a decoded sketch.
func (p *places) lookupDecoded(q *question, k *bridge.Decoded, from, to uint32) error {
	if err := k.CheckCategory(q.has); err != nil {
		return err
	}
	of, which := p.Order[from:to], []uint32(nil)
	if q.has {
		which = p.which[from:to]
		for i, row := range of {
			category, err := q.selection.whole.keys.Bytes(int(row), k.Class())
			if err != nil {
				return err
			}
			which[i] = k.Category(category)
		}
	}
	for from < to {
		n := min(to-from, placePiece)
		cells := p.cells[:n]
		if err := p.cellsOf(k.Grid, of[:n], cells); err != nil {
			return err
		}
		if which == nil {
			k.FindCells(p.found[from:], p.slots[from:], cells, nil)
		} else {
			k.FindCells(p.found[from:], p.slots[from:], cells, which[:n])
			which = which[n:]
		}
		p.pending = append(p.pending, pendingLookups{k, from, from + n})
		if p.pendingRows += n; p.pendingRows >= placePiece {
			p.read()
		}
		of, from = of[n:], from+n
	}
	return nil
}

// read reads the counts of pending lookups.
func (p *places) read() {
	for _, w := range p.pending {
		w.in.ReadCounts(p.counts[w.from:w.to], p.found[w.from:w.to], p.slots[w.from:w.to])
	}
	p.pending, p.pendingRows = p.pending[:0], 0
}

// lookupView counts the places of the rows Order[from:to] in the sketch of the view.
func (p *places) lookupView(q *question, from, to uint32) error {
	if err := q.view.CheckCategory(q.has); err != nil {
		return err
	}
	of, cells, counts := p.Order[from:to], p.cells[:to-from], p.counts[from:to]
	if err := p.cellsOf(q.view.Grid, of, cells); err != nil {
		return err
	}
	if !q.has {
		q.view.Counts(counts, cells, ccbf.Categories{})
		return nil
	}
	for i, row := range of {
		category, err := q.selection.whole.keys.Bytes(int(row), q.view.Class())
		if err != nil {
			return err
		}
		if category == nil { // an empty category is a category; nil would be none
			category = []byte{}
		}
		counts[i] = q.view.Count(cells[i], category)
	}
	return nil
}

// lookupSeveral counts the places of the rows Order[from:to] in the sketch of the view, each for several
// categories. It counts consecutive rows with the same categories at once.
func (p *places) lookupSeveral(q *question, blob []byte, from, to uint32) error {
	if err := q.view.CheckCategory(true); err != nil {
		return err
	}
	of, cells := p.Order[from:to], p.cells[:to-from]
	if err := p.cellsOf(q.view.Grid, of, cells); err != nil {
		return err
	}
	var last ccbf.Categories
	begin, counts := 0, p.counts[from:to]
	for i, row := range of {
		categories, err := q.selection.read(&q.view, blob, q.out, int(row))
		if err != nil {
			return err
		}
		if one, ok := categories.One(); ok { // copy: the category is in q's memory, which the next row overwrites
			categories = ccbf.Of(slices.Clone(one))
		}
		if !categories.Same(&last) {
			q.view.Counts(counts[begin:i], cells[begin:i], last)
			begin, last = i, categories
		}
		q.out.EndRow()
	}
	q.view.Counts(counts[begin:], cells[begin:], last)
	return nil
}
