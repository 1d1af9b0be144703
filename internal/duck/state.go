package duck

import "unsafe"

// State is one aggregate state, in memory that DuckDB owns, moves and frees. It
// holds no Go pointer, and none may be stored in Inline: what does not fit is in a
// slot (Slabs) or a page (NewPage). DuckDB sees to it that one thread at a time writes it.
type State struct {
	mark   uint64
	handle uint32 // of the page, 0 without one; slabs.go has that of a slot
	gen    uint32 // of the page; the instance's number while there is none

	// Inline is the function's own, zero at the start.
	Inline [48]byte
}

// numbers are the bits of a mark that are the number of the overload; the others
// are the process's.
const numbers = 1<<20 - 1

// The C side lays the same struct out.
const _ = -uint(unsafe.Sizeof(State{}) ^ 64)

// States are the states of one call, one per row.
type States struct {
	p      unsafe.Pointer // **State, in C memory
	n      int
	single bool
	part   bool // the rows can be a part of a chunk
	sorted bool // by a window over whole partitions
	thread uint64
}

// Len is the number of rows (update) or of states (combine, finalize).
func (s States) Len() int { return s.n }

// At is the state of row i.
func (s States) At(i int) *State {
	if s.single {
		i = 0
	}
	return *(**State)(unsafe.Add(s.p, i*8))
}

// Single reports that every row belongs to At(0), so that the whole chunk can
// be added at once.
func (s States) Single() bool { return s.single }

// Slice has one pointer per row; nil when Single.
func (s States) Slice() []*State {
	if s.single {
		return nil
	}
	return unsafe.Slice((**State)(s.p), s.n)
}
