package udf

import (
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// placePiece is how many places are worked on at once: their cells stay in the
// first-level cache.
const placePiece = 256

// places are the questions of one chunk, those of one sketch together.
type places struct {
	sketches   distinct
	categories categoriesOf
	order      []uint32 // rows by sketch
	ends       []uint32 // where each sketch's end in order

	cells  []grid.Cell
	counts []uint64
	which  []uint32 // the category of each, for one sketch
	xs, ys [placePiece]float64
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
		return ccbfAsk(rows, 3, func(r *ccbfReader) error {
			p := placesPool.Get().(*places)
			defer func() {
				p.sketches.forget() // memory of the chunk
				p.categories.forget()
				placesPool.Put(p)
			}()
			p.gather(rows, out)
			if r.has {
				if err := p.categories.reset(r, p.order); err != nil {
					return err
				}
			}
			from := uint32(0)
			for i, blob := range p.sketches.values {
				of := p.order[from:p.ends[i]]
				from = p.ends[i]
				if err := p.ask(r, blob, rows, of); err != nil {
					return err
				}
				put(out, of, p.counts[:len(of)])
			}
			return nil
		})
	}
}

// gather puts the rows of each sketch together, by the address of its bytes, and makes
// the answers of rows with a NULL NULL.
func (p *places) gather(rows *duck.Rows, out *duck.Result) {
	n, blobs, whole := rows.Len(), rows.Col(0), true
	for i := range rows.NumCols() {
		whole = whole && rows.Col(i).AllValid()
	}
	if cap(p.cells) < n {
		p.cells, p.counts, p.which = make([]grid.Cell, n), make([]uint64, n), make([]uint32, n)
		p.order = make([]uint32, n)
	}
	p.sketches.reset(n)
	of := p.which[:0] // the sketch of each row that has one
	p.order = p.order[:0]
	var last []byte
	var at uint32
	for i := range n {
		if !whole && !valid(rows, i) {
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

// ask counts the places of rows in a sketch.
func (p *places) ask(r *ccbfReader, blob []byte, rows *duck.Rows, of []uint32) error {
	var bill account
	worth := len(blob) <= hashed*len(of)
	if worth {
		bill = accountOf(blob, !r.has)
		if bill.bought() {
			if k := findKept(nameOf(blob, !r.has)); k != nil {
				return p.askKept(r, k, rows, of)
			}
			bill.set(0)
		}
	}
	if err := r.view.Reset(blob); err != nil {
		return err
	}
	if err := p.askView(r, rows, of); err != nil {
		return err
	}
	if price := r.view.DecodedCost(); worth && price > 0 && bill.pay(r.view.Spent()+1, price) {
		name := nameOf(blob, !r.has)
		if findKept(name) != nil || keep(&r.view, name) != nil {
			bill.set(bought)
		}
	}
	return nil
}

// cellsOf computes the cells of places.
func (p *places) cellsOf(g grid.Grid, rows *duck.Rows, of []uint32, cells []grid.Cell) error {
	xs, ys := duck.Slice[float64](rows.Col(1)), duck.Slice[float64](rows.Col(2))
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

// askKept counts in a sketch that is kept.
func (p *places) askKept(r *ccbfReader, k *keptSketch, rows *duck.Rows, of []uint32) error {
	if err := k.CheckCategory(r.has); err != nil {
		return err
	}
	var which []uint32
	if r.has {
		which = p.which[:len(of)]
		p.categories.begin()
		for i, row := range of {
			n, err := p.categories.number(r, k, row)
			if err != nil {
				return err
			}
			which[i] = n
		}
	}
	for from := 0; from < len(of); from += placePiece {
		to := min(from+placePiece, len(of))
		cells := p.cells[:to-from]
		if err := p.cellsOf(k.Grid, rows, of[from:to], cells); err != nil {
			return err
		}
		if r.has {
			k.CountCells(p.counts[from:to], cells, which[from:to])
		} else {
			k.CountCells(p.counts[from:to], cells, nil)
		}
	}
	return nil
}

// askView counts in the sketch of the reader's view.
func (p *places) askView(r *ccbfReader, rows *duck.Rows, of []uint32) error {
	if err := r.view.CheckCategory(r.has); err != nil {
		return err
	}
	cells, counts := p.cells[:len(of)], p.counts[:len(of)]
	if err := p.cellsOf(r.view.Grid, rows, of, cells); err != nil {
		return err
	}
	if !r.has {
		r.view.CountCells(counts, cells, nil)
		return nil
	}
	which := p.which[:len(of)]
	p.categories.begin()
	for i, row := range of {
		which[i] = p.categories.of[row]
		if err := p.categories.convert(r, &r.view.Head, row); err != nil {
			return err
		}
	}
	r.view.CountEach(counts, cells, which, p.categories.converted)
	return nil
}
