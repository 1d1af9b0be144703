package cells

import (
	"encoding/binary"
	"slices"
	"sort"
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

// adder adds up runs stretch by stretch: of packed ones it decodes a window at a time, and
// adds the cells up to where the first of the windows ends.
type adder struct {
	windows []window
	runs    []Run // what is left of those
	parts   []Run // the next stretch of each
	begins  []int // of the parts, among the cells of all
	lists   [2]Run
	index   []byte
	code    []byte
	kept    Run // cells that fill no block yet
}

// window is the cells of a packed run that are decoded, and not added up yet.
type window struct {
	*Packed
	block int // the next
	cells Run
	room  Run
}

// windowBlocks is how many blocks are decoded at a time.
const windowBlocks = 8

// SumBytes is the memory that Sum takes at most beside what it returns: windows, and
// the lists that stretches are merged into.
func SumBytes(packed []Packed, runs []Run) int64 {
	n := int64(len(packed)) * windowBlocks * blockCells
	for _, r := range runs {
		n += int64(len(r.Keys))
	}
	return 3 * RunBytes(int(n))
}

// PackBytes is SumBytes of Pack, which makes of total cells a code that grows.
func PackBytes(packed []Packed, runs []Run, total int) int64 {
	return SumBytes(packed, runs) + 4*int64(total)
}

// adders lends memory to one builder after the other, as long as it is not much.
var adders = sync.Pool{New: func() any { return new(adder) }}

const maxLent = 1 << 16 // cells

func newAdder(packed []Packed, runs []Run) *adder {
	a := adders.Get().(*adder)
	a.windows = slices.Grow(a.windows[:0], len(packed))[:len(packed)]
	for i := range packed {
		w := &a.windows[i]
		w.room.room(windowBlocks * blockCells)
		*w = window{Packed: &packed[i], room: w.room}
	}
	a.runs = append(a.runs[:0], runs...)
	return a
}

func (a *adder) end() {
	for i := range a.windows {
		a.windows[i] = window{room: a.windows[i].room}
	}
	clear(a.runs)
	clear(a.parts)
	if len(a.lists[0].Keys) > maxLent || len(a.lists[1].Keys) > maxLent {
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

func (r Run) upTo(n int) Run { return Run{r.Keys[:n], r.Counts[:n]} }

// from is what r has from a cell on.
func (r Run) from(at int) Run { return Run{r.Keys[at:], r.Counts[at:]} }

// below takes the cells with keys below end out of r; all of them where there is none.
func (r *Run) below(end uint64, some bool) Run {
	n := len(r.Keys)
	if some {
		n = sort.Search(n, func(i int) bool { return r.Keys[i] >= end })
	}
	part := r.upTo(n)
	*r = r.from(n)
	return part
}

// next is the sum of the next stretch, valid until the one after it; false where there
// are no more cells.
func (a *adder) next() (Run, bool) {
	end, some := uint64(0), false // of the stretch: the first cell that is not decoded
	for i := range a.windows {
		w := &a.windows[i]
		w.decode()
		if w.block < blockCount(w.Packed.cells) {
			if first := w.first(w.block); !some || first < end {
				end, some = first, true
			}
		}
	}
	a.parts, a.begins = a.parts[:0], a.begins[:0]
	total := 0
	take := func(r *Run) {
		if part := r.below(end, some); len(part.Keys) > 0 {
			a.parts, a.begins = append(a.parts, part), append(a.begins, total)
			total += len(part.Keys)
		}
	}
	for i := range a.windows {
		take(&a.windows[i].cells)
	}
	for i := range a.runs {
		take(&a.runs[i])
	}
	if total == 0 {
		return Run{}, false
	}
	a.begins = append(a.begins, total)
	if len(a.parts) > 1 {
		a.lists[0].room(total)
		a.lists[1].room(total)
	}
	return a.add(0, len(a.parts), 0), true
}

// decode fills a window that is empty.
func (w *window) decode() {
	all := blockCount(w.Packed.cells)
	if len(w.cells.Keys) > 0 || w.block == all {
		return
	}
	to := min(w.block+windowBlocks, all)
	n := min(to*blockCells, w.Packed.cells) - w.block*blockCells
	w.cells = w.room.upTo(n)
	w.fill(w.block, to, w.cells)
	w.block = to
}

// add is the sum of the parts from from to to-1, in a list from where the first of them
// begins. It halves them by their cells, so that a cell is moved as often as its part is
// small beside all.
func (a *adder) add(from, to, list int) Run {
	if to-from == 1 {
		return a.parts[from]
	}
	half := (a.begins[from] + a.begins[to]) / 2
	mid := from + 1
	for mid < to-1 && a.begins[mid+1] <= half {
		mid++
	}
	left, right := a.add(from, mid, 1-list), a.add(mid, to, 1-list)
	dst := a.lists[list].from(a.begins[from])
	return dst.upTo(mergeInto(dst.Keys, dst.Counts, left, right))
}

// Pack packs the sum of runs, some of them packed.
func Pack(packed []Packed, runs []Run) Packed {
	a := newAdder(packed, runs)
	defer a.end()
	w := writers.Get().(*bitio.Writer)
	defer writers.Put(w)
	a.index, a.code = a.index[:0], a.code[:0]
	a.kept.room(blockCells)
	kept, n := 0, 0
	block := func(r Run) {
		a.index = binary.LittleEndian.AppendUint64(a.index, r.Keys[0])
		a.code = appendBlock(a.code, w, r.Keys, r.Counts)
		a.index = binary.LittleEndian.AppendUint32(a.index, uint32(len(a.code)))
		n += len(r.Keys)
	}
	for r, ok := a.next(); ok; r, ok = a.next() {
		if kept > 0 {
			more := copy(a.kept.Keys[kept:blockCells], r.Keys)
			copy(a.kept.Counts[kept:blockCells], r.Counts)
			r = r.from(more)
			if kept += more; kept < blockCells {
				continue
			}
			block(a.kept.upTo(blockCells))
		}
		for ; len(r.Keys) >= blockCells; r = r.from(blockCells) {
			block(r.upTo(blockCells))
		}
		kept = copy(a.kept.Keys, r.Keys)
		copy(a.kept.Counts, r.Counts)
	}
	if kept > 0 {
		block(a.kept.upTo(kept))
	}
	all := slices.Concat(a.index, a.code)
	at := len(a.index)
	return Packed{blocks{cells: n, index: all[:at:at], data: all[at:]}}
}

// Sum is the sum of runs, some of them packed, in memory of its own: for as many cells as
// they have together, where they have few in common.
func Sum(packed []Packed, runs []Run) Run {
	total := 0
	for i := range packed {
		total += packed[i].cells
	}
	for _, r := range runs {
		total += len(r.Keys)
	}
	sum := Run{make([]uint64, total), make([]uint64, total)}
	if len(packed) == 1 && len(runs) == 0 {
		packed[0].fill(0, blockCount(total), sum)
		return sum
	}
	a := newAdder(packed, runs)
	defer a.end()
	n := 0
	for r, ok := a.next(); ok; r, ok = a.next() {
		copy(sum.Counts[n:], r.Counts)
		n += copy(sum.Keys[n:], r.Keys)
	}
	if sum = sum.upTo(n); n < total*3/4 {
		return Run{slices.Clone(sum.Keys), slices.Clone(sum.Counts)}
	}
	return sum
}

// fill writes the cells of the blocks from from to to-1, which are known to be right, to
// dst, which has as many.
func (b *blocks) fill(from, to int, dst Run) {
	i := from
	for ; i+1 < to; i += 2 {
		r, j, k, n, _ := b.block(i)
		s, l, m, o, _ := b.block(i + 1)
		at := (i - from) * blockCells
		first, second := dst.from(at).upTo(n), dst.from(at+n).upTo(o)
		first.Counts[0], second.Counts[0] = r.ReadClass(k), s.ReadClass(m)
		bitio.ReadPairsOfTwo(&r, &s, first.Keys[1:o], first.Counts[1:o], second.Keys[1:], second.Counts[1:], j, k, l, m)
		r.ReadPairs(first.Keys[o:], first.Counts[o:], j, k) // where the last block is shorter
		addUp(b.first(i), first.Keys, first.Counts)
		addUp(b.first(i+1), second.Keys, second.Counts)
	}
	if i < to {
		r, j, k, n, _ := b.block(i)
		last := dst.from((i - from) * blockCells).upTo(n)
		last.Counts[0] = r.ReadClass(k)
		r.ReadPairs(last.Keys[1:], last.Counts[1:], j, k)
		addUp(b.first(i), last.Keys, last.Counts)
	}
}
