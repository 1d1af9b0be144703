package args

import (
	"encoding/binary"
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// classes is the classes of keys, by the types that have one. A STRUCT's depends on its fields.
var classes = map[duck.TypeID]key.Class{
	duck.TinyIntID: key.Int, duck.SmallIntID: key.Int, duck.IntegerID: key.Int, duck.BigIntID: key.Int, duck.HugeIntID: key.Int,
	duck.UTinyIntID: key.Int, duck.USmallIntID: key.Int, duck.UIntegerID: key.Int, duck.UBigIntID: key.Int, duck.UHugeIntID: key.Int,
	duck.FloatID: key.Real, duck.DoubleID: key.Float, duck.DecimalID: key.Decimal, duck.BooleanID: key.Bool,
	duck.VarcharID: key.Text, duck.EnumID: key.Text, duck.BlobID: key.Blob, duck.UUIDID: key.UUID,
	duck.DateID: key.Date, duck.TimeID: key.Time, duck.TimeNSID: key.Time, duck.TimeTZID: key.TimeTZ, duck.IntervalID: key.Interval,
	duck.TimestampID: key.Timestamp, duck.TimestampSID: key.Timestamp, duck.TimestampMSID: key.Timestamp, duck.TimestampNSID: key.Timestamp,
	duck.TimestampTZID: key.TimestampTZ,
}

// ClassOf returns the class of keys of a type. The error says that the type cannot be a key.
func ClassOf(t duck.Type) (key.Class, error) {
	if t.ID() == duck.StructID {
		return structClass(t)
	}
	if class, ok := classes[t.ID()]; ok {
		return class, nil
	}
	instead := "cast it to VARCHAR or BLOB"
	switch t.ID() {
	case duck.ListID, duck.ArrayID, duck.MapID, duck.UnionID:
		instead = "give one value, or a STRUCT of several"
	}
	return key.None, fmt.Errorf("a value of type %s cannot be a key: %s", t, instead)
}

// interval is DuckDB's INTERVAL.
type interval struct {
	months, days int32
	micros       int64
}

// AppendKey appends the bytes of the key in row i, which is not NULL, of a column with a type that
// ClassOf accepts.
func AppendKey(dst []byte, v *duck.Vector, i int) []byte {
	t := v.Type()
	switch t.ID() {
	case duck.FloatID, duck.DoubleID:
		return key.AppendFloat64(dst, float(v, i))
	case duck.DecimalID:
		lo, hi := int128(v, i)
		_, scale := t.Decimal()
		return key.AppendDecimal(dst, lo, hi, scale)
	case duck.VarcharID, duck.BlobID:
		return key.AppendBytes(dst, v.Bytes(i))
	case duck.EnumID:
		return append(dst, v.EnumText(i)...)
	case duck.BooleanID:
		return key.AppendBool(dst, duck.Slice[uint8](v)[i] != 0)
	case duck.DateID:
		return key.AppendDate(dst, duck.Slice[int32](v)[i])
	case duck.TimeID:
		return key.AppendTime(dst, duck.Slice[int64](v)[i], key.Micros)
	case duck.TimeNSID:
		return key.AppendTime(dst, duck.Slice[int64](v)[i], key.Nanos)
	case duck.TimeTZID:
		return key.AppendTimeTZ(dst, duck.Slice[uint64](v)[i])
	case duck.TimestampID, duck.TimestampTZID:
		return key.AppendTimestamp(dst, duck.Slice[int64](v)[i], key.Micros)
	case duck.TimestampSID:
		return key.AppendTimestamp(dst, duck.Slice[int64](v)[i], key.Seconds)
	case duck.TimestampMSID:
		return key.AppendTimestamp(dst, duck.Slice[int64](v)[i], key.Millis)
	case duck.TimestampNSID:
		return key.AppendTimestamp(dst, duck.Slice[int64](v)[i], key.Nanos)
	case duck.UUIDID:
		w := duck.Slice[[2]uint64](v)[i]
		return key.AppendUUID(dst, w[1]^1<<63, w[0])
	case duck.StructID:
		return appendStruct(dst, v, i)
	case duck.IntervalID:
		w := duck.Slice[interval](v)[i]
		return key.AppendInterval(dst, w.months, w.days, w.micros)
	case duck.UHugeIntID:
		w := duck.Slice[[2]uint64](v)[i]
		return key.AppendUint128(dst, w[0], w[1])
	}
	lo, hi := int128(v, i)
	return key.AppendInt128(dst, lo, hi)
}

// Keys is a reader of a column of keys.
type Keys struct {
	Class key.Class // class of the column's keys
	col   *duck.Vector
	own   []byte   // memory for a key in the column's class
	conv  []byte   // memory for a key in the sketch's class
	wide  []uint64 // memory for the result of Words
}

// Reset sets k to a column. The error says that its type cannot be a key.
func (k *Keys) Reset(v *duck.Vector) (err error) {
	k.col = v
	if v.Type().ID() == duck.SQLNullID {
		k.Class = key.None
		return nil
	}
	k.Class, err = ClassOf(v.Type())
	return err
}

// AllValid reports whether every row has a key.
func (k *Keys) AllValid() bool { return k.Class != key.None && k.col.AllValid() }

// Valid reports whether row i has a key.
func (k *Keys) Valid(i int) bool { return k.Class != key.None && k.col.Valid(i) }

// Bytes returns the key in row i, converted to class c. With key.None it is not converted.
// The bytes are valid until the next call.
func (k *Keys) Bytes(i int, c key.Class) ([]byte, error) {
	k.own = AppendKey(k.own[:0], k.col, i)
	if k.own == nil {
		k.own = []byte{} // an empty key is a key, nil would be none
	}
	if c == k.Class || c == key.None {
		return k.own, nil
	}
	if k.Class == key.Decimal && (c == key.Float || c == key.Real) {
		lo, hi := int128(k.col, i)
		if _, scale := k.col.Type().Decimal(); !key.DecimalFits(c, lo, hi, scale) {
			return nil, fmt.Errorf("%w, nor is it in %v: cast it to %v", &key.ClassError{From: k.Class, To: c, Value: key.Format(k.Class, k.own)}, k.col.Type(), c)
		}
	}
	var err error
	k.conv, err = key.Convert(k.conv[:0], k.Class, c, k.own)
	if k.conv == nil {
		k.conv = []byte{}
	}
	return k.conv, err
}

// Hash returns the hashes of the key in row i, for a sketch whose keys have class c.
func (k *Keys) Hash(i int, c key.Class, seed uint64) (h1, h2 uint64, err error) {
	b, err := k.Bytes(i, c)
	if err != nil {
		return 0, 0, err
	}
	h1, h2 = key.Hash(seed, b)
	return h1, h2, nil
}

// Words returns the keys of all rows as numbers of 64 bits (key.HashUint64s), and any number for a row
// without a key. It returns nil if the bytes of a key are not those of such a number. The result is valid until
// the next call, or in DuckDB's memory.
func (k *Keys) Words() []uint64 {
	switch k.col.Type().ID() {
	case duck.BigIntID, duck.TimeID, duck.TimestampID, duck.TimestampTZID, duck.TimeTZID:
		// The key is the value's own 64 bits.
		return duck.Slice[uint64](k.col)
	case duck.IntegerID, duck.SmallIntID, duck.TinyIntID, duck.UIntegerID, duck.USmallIntID, duck.UTinyIntID,
		duck.DateID, duck.DoubleID, duck.FloatID:
		k.wide = k.wide[:0]
		for i := range k.col.Len() {
			k.own = AppendKey(k.own[:0], k.col, i)
			k.wide = append(k.wide, binary.LittleEndian.Uint64(k.own))
		}
		return k.wide
	}
	return nil
}
