package duck

/*
#include "bridge.h"
*/
import "C"

import (
	"bytes"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"
)

// Each place in DuckDB that calls update passes one of two kinds of arrays of states. Some are
// whole, and some have only their first entry (callsite.c). The file learn.go finds out which
// place passes which kind. If that is not certain, the query ends with an error instead of a wrong answer.

// callSite is a place in DuckDB's code, and the beginning of its function and of the function
// that called that one. All are 0 where the stack does not say.
type callSite struct{ at, function, caller uintptr }

// siteKind says what a place passes to update.
type siteKind int

const (
	unknownSite siteKind = iota
	wholeSite            // passes an array with an entry for each row.
	oneSite              // passes one state for all rows; only the first entry exists.
	staleSite            // passes the rows of its last call again, which is wrong.
)

// knownSite is a place with what it passes.
type knownSite struct {
	callSite
	kind siteKind
}

// hostFacts is the results of learn.go about DuckDB in this process. They do not change.
type hostFacts struct {
	sites []knownSite
	// sortedWindows are the functions that compute windows over whole partitions with an order
	// of rows. DuckDB then sorts the arguments that it kept, and calls update from the place
	// that it has for agg(x ORDER BY y).
	sortedWindows []uintptr
	constants     constantsKind
	failed        string // why learning failed; empty if it did not
}

// facts is the facts of this process, nil before functions are registered.
var facts atomic.Pointer[hostFacts]

// constantsKind says how parts of a chunk have the constants of a STRUCT (constants.c).
type constantsKind int

const (
	constantsUnknown constantsKind = C.CCBF_CONSTANTS_UNKNOWN
	constantsShared  constantsKind = C.CCBF_CONSTANTS_SHARED
	constantsApart   constantsKind = C.CCBF_CONSTANTS_APART
)

// siteKind returns what a place passes. learned is false for a place that learn.go did not meet.
// Its kind is then the kind of the other places in its function, if that is one kind. Compilers
// copy loops: DuckDB 1.5.5 builds trees for DISTINCT in windows with three copies of one.
func (h *hostFacts) siteKind(site callSite) (kind siteKind, learned bool) {
	if i := h.indexOf(site.at); i >= 0 {
		return h.sites[i].kind, true
	}
	for _, s := range h.sites {
		if s.function != site.function || site.function == 0 || s.kind == staleSite || s.kind == kind {
			continue
		}
		if kind != unknownSite {
			return unknownSite, false // the places in the function pass both kinds
		}
		kind = s.kind
	}
	return kind, false
}

// indexOf returns the index of the known place with the address at, or -1.
func (h *hostFacts) indexOf(at uintptr) int {
	return slices.IndexFunc(h.sites, func(s knownSite) bool { return s.at == at })
}

// statesOf says how update reads the array states, which a place in DuckDB passes with n rows. If single is true, all
// rows belong to the first state. If part is true as well, the rows can be a part of a chunk, and perhaps only
// the first entry exists. It is an error if it is not certain which row belongs to which state. mark is the mark of
// the function's states.
//
// The first entry always exists. If the place is not known, the other entries are read only after a
// check that their memory is readable. An entry that is no state of the function proves that only the
// first one exists. Entries that are all the same state can be taken for it, whether they exist or not.
// Different states prove nothing: entry 1 of a one-entry array may be entry 0 of the next one.
func (h *hostFacts) statesOf(states unsafe.Pointer, n int, mark uint64, site callSite) (single, part bool, err error) {
	if (*(**State)(states)).mark != mark {
		return false, false, errUnclear()
	}
	kind, learned := h.siteKind(site)
	switch kind {
	case staleSite:
		return false, false, fmt.Errorf("DuckDB %s passes the same row again and again in a window without an order: write OVER (ORDER BY ... ROWS UNBOUNDED PRECEDING)", C.GoString(C.duckdb_library_version()))
	case oneSite:
		return true, true, nil
	}
	unknown := kind == unknownSite // an unknown place may pass parts of chunks
	if n < 2 {
		return true, unknown, nil
	}
	if !learned && !bool(C.ccbf_all_states((**C.ccbf_state)(states), C.uint64_t(n), C.uint64_t(mark))) {
		return true, true, nil
	}
	// If all entries are one state, tell so: functions then work on columns, which is faster.
	const size = int(unsafe.Sizeof(uintptr(0)))
	entries := unsafe.Slice((*byte)(states), n*size)
	if bytes.Equal(entries[size:], entries[:len(entries)-size]) {
		return true, unknown, nil
	}
	if unknown {
		err = errUnclear()
	}
	return false, false, err
}

// errUnclear returns the error for rows that may belong to another group than they seem to.
func errUnclear() error {
	why := facts.Load().failed
	if why != "" {
		why = " (" + why + ")"
	}
	return fmt.Errorf("DuckDB %s calls it from an unknown place%s, from which it is not clear which rows belong to which group: use no ORDER BY inside the function, and GROUP BY instead of a window; please report this query", C.GoString(C.duckdb_library_version()), why)
}
