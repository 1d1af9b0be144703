package tree

import (
	"bytes"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Check reads all sheets of all parts, in a code, and returns the squares of each
// part. It is an error that wraps sketch.ErrInvalid where the bytes are damaged,
// where there are more than most leaves, or where they are not the bytes that these
// squares are written as: a tree has one spelling. O(leaves).
func Check(t *Tables, parts [][]Sheet, most uint64) ([]Squares, error) {
	leaves := uint64(0) // of a sheet fewer than 2^32 times maxPacket, of BLOBs in memory
	for _, sheets := range parts {
		for i := range sheets {
			leaves += sheets[i].leaves
		}
	}
	if leaves > most {
		return nil, sketch.Invalidf("a tree of %d leaves; at most %d fit here", leaves, most)
	}
	out, lists := make([]Squares, len(parts)), make([][]Squares, len(parts))
	for i, sheets := range parts {
		var m Merger
		for j := range sheets {
			s, ok := sheets[j].All()
			if !ok {
				return nil, sketch.Invalidf("the leaves of sheet %d of %d are damaged", j+1, len(sheets))
			}
			m.Add(s)
		}
		out[i] = m.Sum()
		lists[i] = out[i].Sheets()
		if len(lists[i]) != len(sheets) {
			return nil, sketch.Invalidf("the leaves of %d sheets fit %d", len(sheets), len(lists[i]))
		}
	}
	code := CodeFor(lists)
	if !bytes.Equal(code.appendFields(nil), t.bytes) {
		return nil, sketch.Invalidf("a code other than that of its leaves")
	}
	e := NewEncoder(code)
	var memory []byte
	for i, sheets := range lists {
		for j := range sheets {
			if memory = e.AppendSheet(memory[:0], &sheets[j]); !bytes.Equal(memory, parts[i][j].bytes) {
				return nil, sketch.Invalidf("sheet %d of %d is not written as its leaves are", j+1, len(sheets))
			}
		}
	}
	return out, nil
}
