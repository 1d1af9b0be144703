package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// typeOf is the SQL types of values, by kind.
var typeOf = map[sketch.Kind]duck.Type{
	sketch.WholeKind: duck.UBigInt, sketch.NumberKind: duck.Double, sketch.FlagKind: duck.Boolean,
	sketch.TextKind: duck.Varchar, sketch.WholesKind: duck.ListOf(duck.UBigInt), sketch.SignedKind: duck.BigInt,
}

// structType returns the type of a STRUCT of values, with more fields behind them.
func structType(known []keyed.InfoField, more ...duck.Field) duck.Type {
	var columns []duck.Field
	for _, k := range known {
		columns = append(columns, duck.Field{Name: k.Name, Type: typeOf[k.Kind]})
	}
	return duck.StructOf(append(columns, more...)...)
}

// describe writes the values of the known fields of the BLOB of each row. info appends the values of what
// open returns for the BLOB, and more writes further fields; it may be nil. Both info and open may read a
// whole BLOB, so they are called once for consecutive rows with the same one.
func describe[V any](
	c *call, known []keyed.InfoField,
	open func(blob []byte) (V, error), info func(dst []sketch.Value, v *V) []sketch.Value, more func(v *V, f *fields),
) error {
	var values []sketch.Value
	return eachBlob(c, func(blob []byte) (V, error) {
		v, err := open(blob)
		if err == nil {
			values = info(values[:0], &v)
		}
		return v, err
	}, func(v *V, i int) error {
		f := fields{out: c.out, row: i}
		f.values(known, values)
		if more != nil {
			more(v, &f)
		}
		return nil
	})
}

// fields is a writer of the fields of one row of a STRUCT, one after the other.
type fields struct {
	out *duck.Result
	row int
	at  int // index of the next field
}

// next returns the result of the next field.
func (f *fields) next() *duck.Result {
	f.at++
	return f.out.Field(f.at - 1)
}

func (f *fields) text(s string)   { f.next().SetString(f.row, s) }
func (f *fields) count(n uint64)  { duck.Out[uint64](f.next())[f.row] = n }
func (f *fields) float(v float64) { duck.Out[float64](f.next())[f.row] = v }
func (f *fields) flag(v bool)     { duck.Out[bool](f.next())[f.row] = v }
func (f *fields) null()           { f.next().SetNull(f.row) }

// known writes a number, or NULL if it is not known.
func (f *fields) known(n uint64, known bool) { setKnown(f.next(), f.row, n, known) }

// values writes values of the known kinds.
func (f *fields) values(known []keyed.InfoField, values []sketch.Value) {
	for j := range values {
		f.value(known[j].Kind, &values[j])
	}
}

// value writes a value of a kind, or NULL.
func (f *fields) value(k sketch.Kind, v *sketch.Value) {
	switch {
	case v.Null:
		f.null()
	case k == sketch.WholeKind:
		f.count(v.Whole)
	case k == sketch.NumberKind:
		f.float(v.Number)
	case k == sketch.FlagKind:
		f.flag(v.Flag)
	case k == sketch.TextKind:
		f.text(v.Text)
	case k == sketch.WholesKind:
		copy(duck.Out[uint64](f.next().List(f.row, len(v.Wholes))), v.Wholes)
	default:
		duck.Out[int64](f.next())[f.row] = v.Lo
	}
}
