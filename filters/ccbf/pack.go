package ccbf

import (
	"math/bits"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
)

// Where memory is scarce a builder keeps its runs packed, at a byte a cell or so in
// place of 16, and its buffers short. What it makes of them is the same.

// Scarcity is a Budget that says how much it has left, so that builders pack what
// they hold in time: there may be a million of them, and each knows only its own.
type Scarcity interface {
	Budget
	// Scarce is 0 while there is plenty, and grows as less is left.
	Scarce() int
}

const (
	// scarceBuffer is the longest buffer where memory is scarce, and barestBuffer the
	// longest where next to none is left.
	scarceBuffer = 1 << 10
	barestBuffer = 1 << 8
	// cellsABuffered is how many cells in runs there are for a key in a longer one: packed
	// they take as much.
	cellsABuffered = 16
	// packTogether is how many packed runs of a size become one: each cell is read and
	// written once for each size, of which there are few, as the next is packClass
	// binary digits longer.
	packTogether = 8
	packClass    = 3
)

// longest is up to how many keys the buffer of a section holds, for now: more where there
// are many cells beside which its memory does not count.
func (b *Builder) longest(pb *sectionBuilder) int {
	most := maxBuffer
	if pb.words.Len() > 0 {
		most = wordBuffer
	}
	if b.scarcity == nil || b.spilled || !b.Exact {
		return most
	}
	least := scarceBuffer
	switch b.scarcity.Scarce() {
	case 0:
		return most
	case 1:
	default:
		least = barestBuffer
	}
	size := least
	for size < pb.cells()/cellsABuffered*least/scarceBuffer && size < maxBuffer {
		size *= 2
	}
	return size
}

// scarce reports whether runs are to be packed.
func (b *Builder) scarce() bool {
	return b.scarcity != nil && !b.ending && b.scarcity.Scarce() > 0
}

// pack packs the runs of a section into one.
func (b *Builder) pack(pb *sectionBuilder) error {
	if err := b.packSome(pb, len(pb.packed), pb.runs); err != nil {
		return err
	}
	for n := len(pb.packed); ; n = len(pb.packed) {
		from, size := n-1, sizeClass(&pb.packed[n-1])
		for from > 0 && sizeClass(&pb.packed[from-1]) <= size {
			from--
		}
		if n-from < packTogether {
			return b.packRepeated(pb)
		}
		if err := b.packSome(pb, from, nil); err != nil {
			return err
		}
	}
}

// packRepeated makes one of all packed runs of a section where next to no memory is left and
// they may have the same cells: where half as many are outside the longest as in it, so that each is
// moved a few times.
func (b *Builder) packRepeated(pb *sectionBuilder) error {
	if !b.scarce() || b.scarcity.Scarce() < 2 || 2*pb.cells() <= 3*pb.leastPacked() {
		return nil
	}
	return b.packSome(pb, 0, nil)
}

func sizeClass(p *cells.Packed) int { return bits.Len(uint(p.Len())) / packClass }

// packSome makes one of the packed runs of a section from from on and of runs, which are
// none of its own or all of them.
func (b *Builder) packSome(pb *sectionBuilder, from int, runs []cells.Run) error {
	n, freed := 0, int64(0)
	for i := range pb.packed[from:] {
		p := &pb.packed[from+i]
		n += p.Len()
		freed += p.Bytes()
		b.packed -= p.Len()
		b.packedBytes -= p.Bytes()
	}
	for _, r := range runs {
		n += len(r.Keys)
		freed += r.Bytes()
	}
	before := pb.leastPacked()
	work := cells.PackBytes(pb.packed[from:], runs, n)
	if err := b.grow(work); err != nil {
		return err
	}
	p := cells.Pack(pb.packed[from:], runs)
	clear(pb.packed[from:])
	pb.packed = append(pb.packed[:from], p)
	if len(runs) > 0 {
		pb.runs = nil
	}
	b.cells -= uint64(n - p.Len())
	b.packed += p.Len()
	b.packedBytes += p.Bytes()
	b.leastPacked += pb.leastPacked() - before
	return b.grow(p.Bytes() - freed - work)
}

// leastPacked is how many different cells the packed runs have at least.
func (pb *sectionBuilder) leastPacked() int {
	n := 0
	for i := range pb.packed {
		n = max(n, pb.packed[i].Len())
	}
	return n
}

// addPacked adds a packed run, whose memory is accounted for.
func (b *Builder) addPacked(pb *sectionBuilder, p cells.Packed) error {
	before := pb.leastPacked()
	pb.packed = append(pb.packed, p)
	b.cells += uint64(p.Len())
	b.packed += p.Len()
	b.packedBytes += p.Bytes()
	b.leastPacked += pb.leastPacked() - before
	if err := b.packRepeated(pb); err != nil {
		return err
	}
	return b.settle()
}

// addedUp is the packed runs of a section and the others as one, whose memory is lent
// until Release.
func (b *Builder) addedUp(pb *sectionBuilder) (cells.Run, error) {
	work := cells.RunBytes(pb.cells())
	if len(pb.packed)+len(pb.runs) > 1 {
		work += cells.SumBytes(pb.packed, pb.runs)
	}
	if err := b.grow(work); err != nil {
		return cells.Run{}, err
	}
	r := cells.Sum(pb.packed, pb.runs)
	b.lent += r.Bytes()
	return r, b.grow(r.Bytes() - work)
}

// Release says that the last sketch is no longer needed: if memory is scarce, its cells
// are in memory that the builder is charged for until then.
func (b *Builder) Release() error {
	n := b.lent
	b.lent = 0
	return b.grow(-n)
}

// Compact makes one run of everything that was added to each large section that has
// packed runs, so that EncodeBytes knows its size. It changes nothing else.
func (b *Builder) Compact() error {
	if b.packed == 0 {
		return nil
	}
	b.ending = true
	defer func() { b.ending = false }()
	for _, pb := range b.sections {
		if len(pb.packed) == 0 || pb.cells()+len(pb.buf)+pb.words.Len() < compactFrom {
			continue
		}
		if err := b.flushAll(pb); err != nil {
			return err
		}
		if n := len(pb.packed); n > 0 && n+len(pb.runs) > 1 {
			if err := b.packSome(pb, 0, pb.runs); err != nil {
				return err
			}
		}
	}
	return nil
}

// compactFrom is from how many cells on.
const compactFrom = 1 << 15

// bodyBytes is about what the cells of a section take at most in a body: where they are
// one packed run, that is how they are written.
func (pb *sectionBuilder) bodyBytes() int64 {
	n := pb.cells() + len(pb.buf) + pb.words.Len()
	if len(pb.packed) == 1 && pb.packed[0].Len() == n {
		return pb.packed[0].Bytes() + cells.SectionBytes + int64(len(pb.Category))
	}
	return cells.RunBytes(n)
}

// unpacked is the bytes that are held, with those that packed runs would take: so much
// is held where memory is not scarce, and a sketch stays exact or does not whether it is or not.
func (b *Builder) unpacked() int64 {
	return b.held - b.packedBytes + cells.RunBytes(b.packed)
}

// tooMuch reports whether more is held than shall be. A cell that is in several packed
// runs counts once, for which they may have to be made one.
func (b *Builder) tooMuch(most int64) (bool, error) {
	if b.unpacked() <= most {
		return false, nil
	}
	if b.packed == 0 {
		return true, nil
	}
	for _, pb := range b.sections {
		if len(pb.packed) > 1 {
			if err := b.packSome(pb, 0, nil); err != nil {
				return false, err
			}
		}
	}
	// Not up to the last byte, as it would have to be done again for each buffer then.
	return b.unpacked() > most/4*3, nil
}

// cells is how many cells the runs of a section have, together.
func (pb *sectionBuilder) cells() int {
	n := 0
	for _, r := range pb.runs {
		n += len(r.Keys)
	}
	for i := range pb.packed {
		n += pb.packed[i].Len()
	}
	return n
}

// dropRuns forgets the runs of a section and returns the bytes that they took.
func (b *Builder) dropRuns(pb *sectionBuilder) (freed int64) {
	for _, r := range pb.runs {
		freed += r.Bytes()
	}
	before := pb.leastPacked()
	for i := range pb.packed {
		p := &pb.packed[i]
		freed += p.Bytes()
		b.packed -= p.Len()
		b.packedBytes -= p.Bytes()
	}
	pb.runs, pb.packed = nil, nil
	b.leastPacked -= before
	return freed
}

// mergePacked adds a packed run that another builder keeps.
func (b *Builder) mergePacked(pb *sectionBuilder, p cells.Packed) error {
	if !b.spilled {
		if err := b.grow(p.Bytes()); err != nil {
			return err
		}
		return b.addPacked(pb, p)
	}
	if err := b.grow(cells.RunBytes(p.Len())); err != nil {
		return err
	}
	b.insertRun(pb, cells.Sum([]cells.Packed{p}, nil))
	return b.grow(-cells.RunBytes(p.Len()))
}
