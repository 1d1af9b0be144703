package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// categoryNumbers looks up the numbers of categories in sketches that are kept: most are looked
// up as DuckDB has them, and are not converted.
type categoryNumbers struct {
	short [placePiece]ccbf.ShortCategory
}

// numbers writes the numbers of the categories v of rows in a sketch.
func (c *categoryNumbers) numbers(r *ccbfReader, k *keptSketch, v *duck.Vector, rows, dst []uint32) error {
	read := shorts(v)
	if read == nil || r.category.Class != k.Class() {
		return numbersOf(r, k, rows, dst)
	}
	for len(rows) > 0 {
		n := min(len(rows), placePiece)
		long := read(c.short[:n], v, rows)
		k.ShortCategories(dst[:n], c.short[:n])
		for i := 0; long > 0; i++ {
			if row := int(rows[i]); !isShort(v, row) {
				dst[i], long = k.Category(v.Bytes(row)), long-1
			}
		}
		rows, dst = rows[n:], dst[n:]
	}
	return nil
}

// shorts is what reads short categories of a column of texts, or of one whose keys are the
// 8 bytes of its values; nil for others. It returns how many are longer, of which it reads nothing
// that is a category.
func shorts(v *duck.Vector) func(dst []ccbf.ShortCategory, v *duck.Vector, rows []uint32) (long int) {
	switch v.Type().ID() {
	case duck.TinyIntID:
		return shortInts[int8]
	case duck.SmallIntID:
		return shortInts[int16]
	case duck.IntegerID, duck.DateID:
		return shortInts[int32]
	case duck.BigIntID, duck.TimeID, duck.TimestampID, duck.TimestampTZID:
		return shortInts[int64]
	case duck.UTinyIntID:
		return shortInts[uint8]
	case duck.USmallIntID:
		return shortInts[uint16]
	case duck.UIntegerID:
		return shortInts[uint32]
	case duck.VarcharID, duck.BlobID:
		return shortTexts
	}
	return nil
}

func shortInts[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](dst []ccbf.ShortCategory, v *duck.Vector, rows []uint32) (long int) {
	values := duck.Slice[T](v)
	for i, row := range rows[:len(dst)] {
		dst[i] = ccbf.ShortInt(int64(values[row]))
	}
	return 0
}

func shortTexts(dst []ccbf.ShortCategory, v *duck.Vector, rows []uint32) (long int) {
	for i, row := range rows[:len(dst)] {
		w, ok := v.Inline(int(row))
		if dst[i] = w; !ok {
			long++
		}
	}
	return long
}

func isShort(v *duck.Vector, row int) bool {
	_, ok := v.Inline(row)
	return ok
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
