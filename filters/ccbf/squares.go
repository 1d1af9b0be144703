package ccbf

import (
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/internal/saturate"
)

// squares gathers cells by the square that they lie in: hardly ever more than
// one. The zero value is ready.
type squares struct {
	room int // cells that the first square is expected to have

	runs map[[2]int32]*run
	last [2]int32
	at   *run // of the square last
}

// add gathers a cell. Equal ones that follow each other take no more room.
func (q *squares) add(c grid.Cell, n uint64) {
	x, y, z := zkey(c)
	if s := [2]int32{x, y}; q.at == nil || s != q.last {
		q.last, q.at = s, q.square(s)
	}
	if last := len(q.at.keys) - 1; last >= 0 && q.at.keys[last] == z {
		q.at.counts[last] = saturate.Add(q.at.counts[last], n)
		return
	}
	q.at.keys, q.at.counts = append(q.at.keys, z), append(q.at.counts, n)
}

func (q *squares) square(s [2]int32) *run {
	r := q.runs[s]
	if r == nil {
		r = new(run)
		if q.runs == nil {
			q.runs = map[[2]int32]*run{}
			r.keys, r.counts = make([]uint64, 0, q.room), make([]uint64, 0, q.room)
		}
		q.runs[s] = r
	}
	return r
}

// each calls f with the cells of each square, the squares in no order. It ends
// the gathering.
func (q *squares) each(f func(x, y int32, cells run)) {
	so := sorters.Get().(*sorter)
	defer sorters.Put(so)
	for s, r := range q.runs {
		f(s[0], s[1], so.run(r.keys, r.counts))
	}
}
