package cells

import (
	"slices"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/internal/bitio"
)

// Packed is a run as a body has it, index and blocks: a byte a cell or so, where a run
// takes 16, for those who have many runs and little memory. It is never changed once made.
type Packed struct{ blocks }

// Len is the number of cells.
func (p *Packed) Len() int { return p.cells }

// Bytes is the memory that p takes.
func (p *Packed) Bytes() int64 { return int64(len(p.index) + len(p.data)) }

// SumBytes is the memory that Pack and Sum take at most while they add up n cells,
// beside what they make: two lists of them, one of which Sum returns, and their code.
func SumBytes(n int) int64 { return 2*RunBytes(n) + int64(n)*4 }

// adder is the memory in which runs are added up.
type adder struct {
	packed []Packed
	runs   []Run
	begins []int // of each of them, packed ones first, among the cells of all
	lists  [2]Run
	code   []byte
}

// adders lends memory to one builder after the other, as long as it is not much.
var adders = sync.Pool{New: func() any { return new(adder) }}

const maxLent = 1 << 15 // cells

func newAdder(packed []Packed, runs []Run) (a *adder, total int) {
	a = adders.Get().(*adder)
	a.packed, a.runs, a.begins = packed, runs, a.begins[:0]
	for i := range packed {
		a.begins = append(a.begins, total)
		total += packed[i].cells
	}
	for _, r := range runs {
		a.begins = append(a.begins, total)
		total += len(r.Keys)
	}
	a.begins = append(a.begins, total)
	return a, total
}

func (a *adder) end() {
	a.packed, a.runs = nil, nil
	if cap(a.lists[0].Keys) > maxLent || cap(a.lists[1].Keys) > maxLent {
		a.lists = [2]Run{}
	}
	if cap(a.code) > 4*maxLent {
		a.code = nil
	}
	adders.Put(a)
}

// room makes a list that has room for n cells; what it held is gone.
func (r *Run) room(n int) {
	if len(r.Keys) < n {
		*r = Run{make([]uint64, n), make([]uint64, n)}
	}
}

// Pack packs the sum of runs, some of them packed.
func Pack(packed []Packed, runs []Run) Packed {
	a, total := newAdder(packed, runs)
	defer a.end()
	var sum Run
	if len(packed) == 0 && len(runs) == 1 {
		sum = runs[0]
	} else {
		a.lists[0].room(total)
		a.lists[1].room(total)
		sum = a.lists[0].upTo(a.add(0, len(a.begins)-1, 0))
	}
	w := writers.Get().(*bitio.Writer)
	defer writers.Put(w)
	a.code, _ = appendBlocks(a.code[:0], w, sum, ^uint64(0))
	code, n := slices.Clone(a.code), blockCount(len(sum.Keys))*indexEntry
	return Packed{blocks{cells: len(sum.Keys), index: code[:n:n], data: code[n:]}}
}

// Sum is the sum of runs, some of them packed, in memory of its own.
func Sum(packed []Packed, runs []Run) Run {
	a, total := newAdder(packed, runs)
	defer a.end()
	lent := a.lists[0]
	a.lists[0] = Run{make([]uint64, total), make([]uint64, total)}
	if len(a.begins) > 2 {
		a.lists[1].room(total)
	}
	n := a.add(0, len(a.begins)-1, 0)
	sum := a.lists[0].upTo(n)
	a.lists[0] = lent
	if n < total*3/4 {
		return Run{slices.Clone(sum.Keys), slices.Clone(sum.Counts)}
	}
	return sum
}

func (r Run) upTo(n int) Run { return Run{r.Keys[:n], r.Counts[:n]} }

// from is what r has from a cell on.
func (r Run) from(at int) Run { return Run{r.Keys[at:], r.Counts[at:]} }

// add writes the sum of the runs from from to to-1 to a list, from where the first of
// them begins, and returns its length. It halves them by their cells, so that a cell
// is moved as often as its run is small beside all.
func (a *adder) add(from, to, list int) int {
	begin := a.begins[from]
	dst := a.lists[list].from(begin)
	if to-from == 1 {
		if from < len(a.packed) {
			p := &a.packed[from]
			p.fill(dst.upTo(p.cells))
			return p.cells
		}
		r := a.runs[from-len(a.packed)]
		copy(dst.Counts, r.Counts)
		return copy(dst.Keys, r.Keys)
	}
	half := (begin + a.begins[to]) / 2
	mid := from + 1
	for mid < to-1 && a.begins[mid+1] <= half {
		mid++
	}
	other := a.lists[1-list]
	left := other.from(begin).upTo(a.add(from, mid, 1-list))
	right := other.from(a.begins[mid]).upTo(a.add(mid, to, 1-list))
	return mergeInto(dst.Keys, dst.Counts, left, right)
}

// fill writes all cells, of blocks that are known to be right, to dst, which has as many.
func (b *blocks) fill(dst Run) {
	all := blockCount(b.cells)
	i := 0
	for ; i+1 < all; i += 2 {
		r, j, k, n, _ := b.block(i)
		s, l, m, o, _ := b.block(i + 1)
		first, second := dst.from(i*blockCells).upTo(n), dst.from((i+1)*blockCells).upTo(o)
		first.Counts[0], second.Counts[0] = r.ReadClass(k), s.ReadClass(m)
		bitio.ReadPairsOfTwo(&r, &s, first.Keys[1:o], first.Counts[1:o], second.Keys[1:], second.Counts[1:], j, k, l, m)
		r.ReadPairs(first.Keys[o:], first.Counts[o:], j, k) // where the last block is shorter
		addUp(b.first(i), first.Keys, first.Counts)
		addUp(b.first(i+1), second.Keys, second.Counts)
	}
	if i < all {
		r, j, k, _, _ := b.block(i)
		last := dst.from(i * blockCells)
		last.Counts[0] = r.ReadClass(k)
		r.ReadPairs(last.Keys[1:], last.Counts[1:], j, k)
		addUp(b.first(i), last.Keys, last.Counts)
	}
}
