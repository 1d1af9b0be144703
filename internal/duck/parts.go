package duck

/*
#include "bridge.h"
*/
import "C"

import "unsafe"

// Where a window's frame is the whole partition, DuckDB (seen in 1.3.2 to 1.5.6)
// cuts each chunk into its partitions and hands one after the other over. A STRUCT
// that is made of constants and of columns shares its constants' vectors between
// these parts, and the first part makes them flat in place: with as many values as
// that part has rows. The other parts find uninitialised memory in them: any
// numbers, and pointers to nowhere in place of strings.
//
// A vector that was a constant cannot be told from a column by then. But the first
// part is right, and a constant's value in the other parts is its value there. A
// field that has one value in all of the first part and another one later was a
// column, or was a constant and is damaged.

// ChangedFields has bit j set where field j of a STRUCT has one value in all rows of
// the first part of a chunk, and a different one in this part, which follows it on
// the same thread and belongs to another state: the field may be damaged. No pointer
// in it has been followed.
func ChangedFields(v *Vector, state *State) (fields uint64) {
	if v.Type().ID() != StructID || v.n == 0 {
		return 0
	}
	var leaves []C.ccbf_leaf
	var field []int // of each leaf
	for j := range v.NumFields() {
		before := len(leaves)
		leaves = v.Field(j).appendLeaves(leaves)
		for range len(leaves) - before {
			field = append(field, j)
		}
	}
	if len(leaves) == 0 || len(leaves) > C.CCBF_MAX_LEAVES {
		return 0
	}
	changed := C.ccbf_changed_leaves((*C.ccbf_state)(unsafe.Pointer(state)), &leaves[0], C.uint32_t(len(leaves)), C.uint64_t(v.n))
	for i, j := range field {
		if changed>>i&1 != 0 {
			fields |= 1 << j
		}
	}
	return fields
}

// appendLeaves appends the vector, or those of its fields.
func (v *Vector) appendLeaves(leaves []C.ccbf_leaf) []C.ccbf_leaf {
	t := v.Type()
	if t.ID() == StructID {
		for j := range v.NumFields() {
			leaves = v.Field(j).appendLeaves(leaves)
		}
		return leaves
	}
	width := t.width()
	if width == 0 || v.data == nil {
		return leaves
	}
	return append(leaves, C.ccbf_leaf{
		col:   C.ccbf_col{vec: v.vec, data: v.data, mask: (*C.uint64_t)(v.mask)},
		width: C.uint32_t(width),
	})
}

// width is how many bytes a value takes in its vector's own memory; 0 where it has
// none there or it is not known.
func (t Type) width() int {
	switch t.id {
	case BooleanID, TinyIntID, UTinyIntID:
		return 1
	case SmallIntID, USmallIntID:
		return 2
	case IntegerID, UIntegerID, FloatID, DateID:
		return 4
	case BigIntID, UBigIntID, DoubleID, TimestampID, TimestampSID, TimestampMSID, TimestampNSID,
		TimestampTZID, TimeID, TimeTZID, TimeNSID:
		return 8
	case HugeIntID, UHugeIntID, UUIDID, IntervalID, VarcharID, BlobID, BitID, BigNumID, GeometryID, ListID, MapID:
		return 16
	case EnumID:
		switch n := len(t.Dictionary()); {
		case n <= 1<<8:
			return 1
		case n <= 1<<16:
			return 2
		}
		return 4
	case DecimalID:
		switch width, _ := t.Decimal(); {
		case width <= 4:
			return 2
		case width <= 9:
			return 4
		case width <= 18:
			return 8
		}
		return 16
	}
	return 0
}
