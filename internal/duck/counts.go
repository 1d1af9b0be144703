package duck

/*
#include "bridge.h"
*/
import "C"

import "unsafe"

// stateCounts is what the counted callbacks saw.
type stateCounts struct {
	Created, Finalized, Destroyed int64 // states
	Unknown                       int64 // destroyed without the mark: twice, or never ours
	Updates, Short                int64 // calls, and those with a one-entry array
	Strangers                     int64 // calls from places that were not learned
	Combines, Finalizes, Destroys int64 // calls
}

func readCounts() stateCounts {
	c := C.ccbf_read_counts()
	return stateCounts{
		Created: int64(c.created), Finalized: int64(c.finalized),
		Destroyed: int64(c.destroyed), Unknown: int64(c.unknown),
		Updates: int64(c.updates), Short: int64(c.short_arrays),
		Strangers: int64(c.strangers),
		Combines:  int64(c.combines), Finalizes: int64(c.finalizes),
		Destroys: int64(c.destroys),
	}
}

func resetCounts() { C.ccbf_reset_counts() }

// copyTable is the table as it is now, for tests of LoadTable.
func copyTable() []unsafe.Pointer {
	return append([]unsafe.Pointer(nil), C.ccbf_api[:]...)
}
