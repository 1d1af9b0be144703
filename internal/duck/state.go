package duck

import (
	"unsafe"

	"github.com/ccbfsql/ccbfsql/internal/memory"
)

// State is an aggregate state, in memory that DuckDB owns, moves and frees. It has no Go pointers,
// and Inline must not get any. Data that does not fit goes to a page (package memory).
// Only one thread at a time writes a State.
type State struct {
	// mark tells a living state from other memory, and has the number of the overload.
	mark uint64
	// Ref leads to the state's page. If there is none, it is the number of the Instance.
	memory.Ref

	// Inline is memory for the function, zero at first.
	Inline [48]byte
}

// numbers is the bits of a mark that have the number of the overload. The other bits are random,
// and the same in the whole process.
const numbers = 1<<20 - 1

// The C side lays the same struct out.
const _ = -uint(unsafe.Sizeof(State{}) ^ 64)

// States is the states of one callback, one for each row.
type States struct {
	p      unsafe.Pointer // **State, in C memory
	n      int
	single bool          // all rows belong to the first state.
	part   bool          // the rows can be a part of a chunk.
	sorted bool          // a window over whole partitions has sorted the rows.
	thread uint64        // number of the calling thread.
	slabs  *memory.Slabs // those of the callback.
}

// Len returns the number of rows (in Update) or of states (in Combine and Finalize).
func (s States) Len() int { return s.n }

// At returns the state of row i.
func (s States) At(i int) *State {
	if s.single {
		i = 0
	}
	return *(**State)(unsafe.Add(s.p, i*8))
}

// Slabs returns where states get slots in this callback.
func (s States) Slabs() *memory.Slabs { return s.slabs }

// Single reports whether every row belongs to At(0).
func (s States) Single() bool { return s.single }

// Slice returns a pointer for each row, or nil if Single.
func (s States) Slice() []*State {
	if s.single {
		return nil
	}
	return unsafe.Slice((**State)(s.p), s.n)
}
