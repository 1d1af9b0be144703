package duck

/*
#include "bridge.h"
*/
import "C"

import "unsafe"

// The kinds of an array of states, as probe.c tells them apart.
const (
	many    = C.CCBF_MANY
	single  = C.CCBF_SINGLE
	short   = C.CCBF_SHORT
	unclear = C.CCBF_UNCLEAR
)

// arrayKind is the kind of an array of n states of overload 1, for a caller that
// was never learned: nothing in DuckDB calls from here.
func arrayKind(states unsafe.Pointer, n int) int {
	return int(C.ccbf_array_kind((**C.ccbf_state)(states), C.uint64_t(n), C.uint64_t(processMark|1), C.ccbf_site{}))
}

// callSites is the number of places in DuckDB that were learned.
func callSites() int { return int(C.ccbf_sites()) }

// constantsShared reports that parts of a chunk share constants, and how is known.
func constantsShared() bool { return C.ccbf_constants() == C.CCBF_CONSTANTS_SHARED }

// hideConstants makes them unknown until they are shown again.
func hideConstants() (show func()) {
	C.ccbf_hide_constants(true)
	return func() { C.ccbf_hide_constants(false) }
}

// hideSites makes all of them unknown until they are shown again. No query may
// run meanwhile that is not meant.
func hideSites() (show func()) {
	n := C.ccbf_sites()
	C.ccbf_hide_sites(0)
	return func() { C.ccbf_hide_sites(n) }
}
