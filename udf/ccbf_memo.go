package udf

import "github.com/ccbfsql/ccbfsql/internal/duck"

// categoryMemo has the numbers of categories in sketches that are kept, by their values as
// DuckDB has them: a value that was there before, in this chunk or in an earlier one, is
// neither converted nor looked up again. A value has one place in it, where the last one
// stays.
type categoryMemo struct {
	typ     duck.TypeID // of the values
	entries []memoEntry
	words   [placePiece][2]uint64
}

type memoEntry struct {
	value  [2]uint64 // the second word of numbers is 0
	serial uint64    // of the sketch; 0 where there is no value
	number uint32
}

const memoBits = 13

// longText stands for a text of which DuckDB has no value, but an address, which says
// nothing. It is no value: a number has a second word of 0, and no text is so long.
var longText = [2]uint64{1<<64 - 1, 1<<64 - 1}

// numbers writes the numbers of the categories v of rows in a sketch that is kept.
func (m *categoryMemo) numbers(r *ccbfReader, k *keptSketch, v *duck.Vector, rows, dst []uint32) error {
	typ := v.Type().ID()
	if m.entries == nil {
		m.entries = make([]memoEntry, 1<<memoBits)
	} else if m.typ != typ {
		clear(m.entries)
	}
	m.typ = typ
	for len(rows) > 0 {
		n := min(len(rows), placePiece)
		if err := m.piece(r, k, v, rows[:n], dst[:n]); err != nil {
			return err
		}
		rows, dst = rows[n:], dst[n:]
	}
	return nil
}

func (m *categoryMemo) piece(r *ccbfReader, k *keptSketch, v *duck.Vector, rows, dst []uint32) error {
	words := m.words[:len(rows)]
	switch m.typ {
	case duck.IntegerID, duck.UIntegerID, duck.DateID:
		values := duck.Slice[uint32](v)
		for i, row := range rows {
			words[i] = [2]uint64{uint64(values[row])}
		}
	case duck.BigIntID, duck.UBigIntID, duck.TimestampID:
		values := duck.Slice[uint64](v)
		for i, row := range rows {
			words[i] = [2]uint64{values[row]}
		}
	case duck.VarcharID, duck.BlobID:
		for i, row := range rows {
			w, ok := v.Inline(int(row))
			if !ok {
				w = longText
			}
			words[i] = w
		}
	default:
		return numbersOf(r, k, rows, dst)
	}
	for i, w := range words {
		e := &m.entries[((w[0]^(w[1]+k.serial)*0xd6e8_feb8_6659_fd93)*0x9e37_79b9_7f4a_7c15)>>(64-memoBits)]
		if e.serial != k.serial || e.value != w {
			if err := numbersOf(r, k, rows[i:i+1], dst[i:i+1]); err != nil {
				return err
			}
			if w != longText {
				*e = memoEntry{w, k.serial, dst[i]}
			}
			continue
		}
		dst[i] = e.number
	}
	return nil
}

// numbersOf looks up the numbers of the categories of rows in a sketch that is kept.
func numbersOf(r *ccbfReader, k *keptSketch, rows, dst []uint32) error {
	for i, row := range rows {
		b, err := r.category.Bytes(int(row), k.Class())
		if err != nil {
			return err
		}
		dst[i] = k.Category(b)
	}
	return nil
}
