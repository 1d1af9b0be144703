package duck

/*
#include "bridge.h"
*/
import "C"

import "errors"

// Complete repairs constants in STRUCTs if these rows can be a part of a chunk; constants.c
// describes how DuckDB damages them. Call it before anything else reads the vectors, some of
// which may be nil. The error says that DuckDB has damaged a STRUCT, or may have.
func (s States) Complete(vs ...*Vector) error {
	if !s.part {
		return nil
	}
	for _, v := range vs {
		// DuckDB damages only STRUCTs with two fields or more.
		if v == nil || v.Type().Leaves() < 2 {
			continue
		}
		known := facts.Load().constants
		switch {
		case known == constantsApart:
			return nil
		case known == constantsUnknown:
			return errDamaged
		case s.sorted:
			s.noteSorted(vs)
			return nil
		}
		fields := v.appendFields(nil)
		if !C.ccbf_complete_constants(&fields[0], C.uint32_t(len(fields)), C.uint64_t(v.n)) {
			return errDamaged
		}
	}
	return nil
}

var errDamaged = errors.New("a STRUCT may not be what the query says: in a window over whole partitions, DuckDB can damage constants next to columns in a STRUCT; use GROUP BY instead of the window, or a window without ORDER BY")

// Leaves returns the number of fields of a STRUCT and of the STRUCTs in it that are no STRUCTs
// themselves, and 1 for other types.
func (t Type) Leaves() (n int) {
	if t.ID() != StructID {
		return 1
	}
	for _, f := range t.Fields() {
		n += f.Type.Leaves()
	}
	return n
}

// appendFields appends the fields of a STRUCT, each before the fields in it. It leaves out fields
// whose values have no width.
func (v *Vector) appendFields(fields []C.ccbf_field) []C.ccbf_field {
	for j := range v.NumFields() {
		f := v.Field(j)
		inner := f.Type().ID() == StructID
		width := f.Type().width()
		if !inner && width == 0 {
			continue
		}
		at := len(fields)
		fields = append(fields, C.ccbf_field{vec: f.vec, width: C.uint32_t(width)})
		if inner {
			fields = f.appendFields(fields)
			fields[at].inner = C.uint32_t(len(fields) - at - 1)
		}
	}
	return fields
}

// width returns the number of bytes of a value in the memory of its vector. It returns 0 if the vector
// does not hold the values itself, or if the width is not known.
func (t Type) width() int {
	if t.id == ListID || t.id == MapID {
		return 16
	}
	return plainTypes[t.Stored()].width
}
