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

// ChangedFields has, for each of some STRUCTs, bit j set where its field j has one
// value in all rows of the first part of a chunk, and a different one in this part,
// which follows it on the same thread and belongs to another state: the field may be
// damaged. No pointer in it has been followed. What is not a STRUCT has no bit set. All
// of a call are to be asked about at once, for the parts of one are told by all of them.
func ChangedFields(state *State, vs ...*Vector) (fields []uint64) {
	fields = make([]uint64, len(vs))
	var leaves []C.ccbf_leaf
	type place struct{ vector, field int }
	var places []place // of each leaf
	rows := 0
	for i, v := range vs {
		if v == nil || v.Type().ID() != StructID {
			continue
		}
		rows = v.n
		for j := range v.NumFields() {
			before := len(leaves)
			leaves = v.Field(j).appendLeaves(leaves)
			for range len(leaves) - before {
				places = append(places, place{i, j})
			}
		}
	}
	if rows == 0 || len(leaves) == 0 || len(leaves) > C.CCBF_MAX_LEAVES {
		return fields
	}
	changed := C.ccbf_changed_leaves((*C.ccbf_state)(unsafe.Pointer(state)), &leaves[0], C.uint32_t(len(leaves)), C.uint64_t(rows))
	for i, p := range places {
		if changed>>i&1 != 0 {
			fields[p.vector] |= 1 << p.field
		}
	}
	return fields
}

// Leaves is the number of a STRUCT's fields that are no STRUCTs, those of STRUCTs in it
// included; 1 for other types.
func (t Type) Leaves() (n int) {
	if t.ID() != StructID {
		return 1
	}
	for _, f := range t.Fields() {
		n += f.Type.Leaves()
	}
	return n
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
