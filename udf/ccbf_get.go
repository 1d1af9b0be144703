package udf

import (
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// passedWell is for functions that are called for very many rows.
const passedWell = "For many places, FROM places LEFT JOIN sketches USING (key) is fastest. FROM places, sketches copies a sketch for every 2,048 places. JOIN on an integer or date key copies it for every place."

// placePiece is how many places are worked on at once: their cells stay in the
// first-level cache.
const placePiece = 256

// places are the questions of one chunk, those of one sketch together.
type places struct {
	at         coordinates
	sketches   distinct
	categories categoriesOf
	converted  bool     // categories has those of the chunk
	order      []uint32 // rows by sketch
	ends       []uint32 // where each sketch's end in order

	names []cacheKey        // of each sketch
	kept  []*bridge.Decoded // nil for one that is not

	cells  []grid.Cell
	which  []uint32 // the category of each, in its sketch
	found  []uint64 // of those in sketches that are kept
	slots  []uint32
	counts []uint64 // in the order of order
	xs, ys [placePiece]float64

	waiting []pendingQuestions
	waits   uint32 // questions in waiting
}

// pendingQuestions are the questions of one sketch, whose lookups run together.
type pendingQuestions struct {
	in       *bridge.Decoded
	from, to uint32
}

var placesPool = sync.Pool{New: func() any { return new(places) }}

// putCounts writes how many, putPresent whether there are any.
func putCounts(out *duck.Result, rows []uint32, counts []uint64) {
	answers := duck.Out[uint64](out)
	for i, row := range rows {
		answers[row] = counts[i]
	}
}

func putPresent(out *duck.Result, rows []uint32, counts []uint64) {
	answers := duck.Out[bool](out)
	for i, row := range rows {
		answers[row] = counts[i] > 0
	}
}

// ccbfGet counts places; put writes the answers of rows.
func ccbfGet(put func(out *duck.Result, rows []uint32, counts []uint64)) compute {
	return func(rows *duck.Rows, out *duck.Result) error {
		at, err := coordinatesOf(rows, 1)
		if err != nil {
			return err
		}
		return ccbfAsk(rows, at.next, func(r *ccbfReader) error {
			if r.several.given || r.asksParts(rows) {
				return ccbfGetOf(r, at, rows, out, put)
			}
			p := placesPool.Get().(*places)
			p.at = at
			defer func() {
				p.forget() // memory of the chunk
				placesPool.Put(p)
			}()
			p.gather(rows, out)
			p.find(r)
			p.converted = false
			from := uint32(0)
			for i := range p.sketches.values {
				to := p.ends[i]
				if err := p.ask(r, i, from, to); err != nil {
					return err
				}
				from = to
			}
			p.read()
			put(out, p.order, p.counts)
			return nil
		})
	}
}

// asksParts reports whether rows ask a sketch for some parts of its categories.
func (r *ccbfReader) asksParts(rows *duck.Rows) bool {
	if r.several.parts.column == nil {
		return false
	}
	var h ccbf.Head
	var last []byte
	for i := range rows.Len() {
		if !rows.Col(0).Valid(i) {
			continue
		}
		if blob := rows.Col(0).Bytes(i); !sameBytes(blob, last) {
			if last = blob; bridge.ReadHead(&h, blob) == nil && r.several.parts.asks(h.Class()) {
				return true
			}
		}
	}
	return false
}

func (p *places) forget() {
	p.at = coordinates{}
	p.sketches.forget()
	p.categories.forget()
	clear(p.kept)
	p.waiting = p.waiting[:0]
}

// find looks for the sketches among those that are kept.
func (p *places) find(r *ccbfReader) {
	p.names = p.names[:0]
	for _, blob := range p.sketches.values {
		p.names = append(p.names, nameOf(blob, !r.has))
	}
	p.kept = kept.find(p.names, p.kept[:0])
}

// gather puts the rows of each sketch together, by the address of its bytes, and makes
// the answers of rows with a NULL NULL.
func (p *places) gather(rows *duck.Rows, out *duck.Result) {
	n, blobs, whole := rows.Len(), rows.Col(0), p.at.empty == nil
	for i := range rows.NumCols() {
		whole = whole && rows.Col(i).AllValid()
	}
	if cap(p.cells) < n {
		p.cells, p.counts, p.found = make([]grid.Cell, n), make([]uint64, n), make([]uint64, n)
		p.order, p.which, p.slots = make([]uint32, n), make([]uint32, n), make([]uint32, n)
	}
	p.sketches.reset(n)
	of := p.which[:0] // the sketch of each row that has one
	p.order = p.order[:0]
	var last []byte
	var at uint32
	for i := range n {
		if !whole && (!valid(rows, i) || p.at.isEmpty(i)) {
			out.SetNull(i)
			continue
		}
		if blob := blobs.Bytes(i); !sameBytes(blob, last) {
			last, at = blob, p.sketches.byAddress(blob)
		}
		of, p.order = append(of, at), append(p.order, uint32(i))
	}
	p.ends = p.sketches.together(p.order, of, p.ends[:0])
}

// ask counts the places of the rows order[from:to] in sketch i.
func (p *places) ask(r *ccbfReader, i int, from, to uint32) error {
	blob := p.sketches.values[i]
	if k := p.kept[i]; k != nil {
		return p.askKept(r, k, from, to)
	}
	if err := r.view.Reset(blob); err != nil {
		return err
	}
	if err := p.askView(r, from, to); err != nil {
		return err
	}
	if price := bridge.DecodedCost(&r.view); price > 0 && kept.pay(p.names[i], bridge.Spent(&r.view)+1, price) {
		kept.buy(p.names[i], &r.view)
	}
	return nil
}

// cellsOf computes the cells of places.
func (p *places) cellsOf(g grid.Grid, of []uint32, cells []grid.Cell) error {
	xs, ys := p.at.xs, p.at.ys
	for len(of) > 0 {
		n := min(len(of), placePiece)
		first, last := of[0], of[n-1]
		x, y := p.xs[:n], p.ys[:n]
		if int(last-first) == n-1 { // rows of one sketch are in ascending order
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

// askKept finds the places in a sketch that is kept.
func (p *places) askKept(r *ccbfReader, k *bridge.Decoded, from, to uint32) error {
	if err := k.CheckCategory(r.has); err != nil {
		return err
	}
	of, which := p.order[from:to], []uint32(nil)
	if r.has {
		which = p.which[from:to]
		for i, row := range of {
			category, err := r.category.Bytes(int(row), k.Class())
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
		p.waiting = append(p.waiting, pendingQuestions{k, from, from + n})
		if p.waits += n; p.waits >= placePiece {
			p.read()
		}
		of, from = of[n:], from+n
	}
	return nil
}

// read counts the places that were found.
func (p *places) read() {
	for _, w := range p.waiting {
		w.in.ReadCounts(p.counts[w.from:w.to], p.found[w.from:w.to], p.slots[w.from:w.to])
	}
	p.waiting, p.waits = p.waiting[:0], 0
}

// askView counts in the sketch of the reader's view.
func (p *places) askView(r *ccbfReader, from, to uint32) error {
	if err := r.view.CheckCategory(r.has); err != nil {
		return err
	}
	of, cells, counts := p.order[from:to], p.cells[:to-from], p.counts[from:to]
	if err := p.cellsOf(r.view.Grid, of, cells); err != nil {
		return err
	}
	if !r.has {
		r.view.Counts(counts, cells, ccbf.Categories{})
		return nil
	}
	if !p.converted {
		if err := p.categories.reset(r, p.order); err != nil {
			return err
		}
		p.converted = true
	}
	which := p.which[from:to]
	p.categories.begin()
	for i, row := range of {
		which[i] = p.categories.of[row]
		if err := p.categories.convert(r, &r.view.Head, row); err != nil {
			return err
		}
	}
	bridge.CountEach(&r.view, counts, cells, which, p.categories.converted)
	return nil
}
