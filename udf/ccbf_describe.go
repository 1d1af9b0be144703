package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

var ccbfErrorType = duck.StructOf(
	duck.Field{Name: "exact", Type: duck.Boolean},
	duck.Field{Name: "empty_probability", Type: duck.Double},
	duck.Field{Name: "empty_excess", Type: duck.Double},
	duck.Field{Name: "occupied_probability", Type: duck.Double},
	duck.Field{Name: "occupied_excess", Type: duck.Double},
	duck.Field{Name: "most", Type: duck.UBigInt},
)

// ccbfError computes ccbf_error.
func ccbfError(rows *duck.Rows, out *duck.Result) error {
	var e ccbf.Error
	return eachBlob(rows, out, func(v *ccbf.View, blob []byte) error {
		if err := v.Reset(blob); err != nil {
			return err
		}
		bytes := bridge.ErrorBytes(v)
		if err := out.Charge(bytes); err != nil {
			return err
		}
		e = v.Error() // once for equal BLOBs, as it reads every counter
		out.Discharge(bytes)
		return nil
	}, func(v *ccbf.View, i int) error {
		f := fields{out: out, row: i}
		f.flag(e.Exact)
		empty := !e.Unknown && (v.Form() != ccbf.Tree || e.Measured)
		f.floatIf(e.Empty.Probability, empty)
		f.floatIf(e.Empty.Excess, empty)
		f.floatIf(e.Occupied.Probability, e.Known)
		f.floatIf(e.Occupied.Excess, e.Known || e.Measured)
		f.known(e.Most, e.Certain)
		return nil
	})
}

var ccbfInfoType = duck.StructOf(
	duck.Field{Name: "encoding", Type: duck.Varchar},
	duck.Field{Name: "res", Type: duck.Double},
	duck.Field{Name: "mode", Type: duck.Varchar},
	duck.Field{Name: "k", Type: duck.UBigInt},
	duck.Field{Name: "layers", Type: duck.ListOf(duck.UBigInt)},
	duck.Field{Name: "counters", Type: duck.ListOf(duck.UBigInt)},
	duck.Field{Name: "levels", Type: duck.UBigInt},
	duck.Field{Name: "base_level", Type: duck.UBigInt},
	duck.Field{Name: "max_bytes", Type: duck.UBigInt},
	duck.Field{Name: "exact", Type: duck.Boolean},
	duck.Field{Name: "overflow", Type: duck.Varchar},
	duck.Field{Name: "seed", Type: duck.UBigInt},
	duck.Field{Name: "category_type", Type: duck.Varchar},
	duck.Field{Name: "category", Type: duck.Boolean},
	duck.Field{Name: "totals", Type: duck.Boolean},
	duck.Field{Name: "additive", Type: duck.Boolean},
	duck.Field{Name: "saturated", Type: duck.Boolean},
	duck.Field{Name: "unbiased", Type: duck.Boolean},
	duck.Field{Name: "total", Type: duck.UBigInt},
	duck.Field{Name: "cells", Type: duck.UBigInt},
	duck.Field{Name: "categories", Type: duck.UBigInt},
	duck.Field{Name: "fill", Type: duck.Double},
	duck.Field{Name: "leaves", Type: duck.UBigInt},
	duck.Field{Name: "tau", Type: duck.UBigInt},
	duck.Field{Name: "at_least", Type: duck.UBigInt},
	duck.Field{Name: "suppressed", Type: duck.UBigInt},
	duck.Field{Name: "bytes", Type: duck.UBigInt},
	duck.Field{Name: "bbox", Type: corners},
)

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

func (f *fields) counts(ns []uint64) {
	copy(duck.Out[uint64](f.next().List(f.row, len(ns))), ns)
}

// floatIf writes a number, or NULL if it is not known.
func (f *fields) floatIf(v float64, known bool) {
	if known {
		f.float(v)
	} else {
		f.null()
	}
}

// class writes the type of keys, or NULL if there are none.
func (f *fields) class(c key.Class) {
	if c == key.None {
		f.null()
	} else {
		f.text(c.String())
	}
}

// known writes a number, or NULL if it is not known.
func (f *fields) known(n uint64, known bool) { setKnown(f.next(), f.row, n, known) }

// ccbfInfo computes ccbf_info.
func ccbfInfo(rows *duck.Rows, out *duck.Result) error {
	var info ccbf.Info
	return eachBlob(rows, out, func(v *ccbf.View, blob []byte) error {
		err := v.Reset(blob)
		if err == nil {
			info = v.Info()
		}
		return err
	}, func(v *ccbf.View, i int) error {
		f := fields{out: out, row: i}
		f.text(info.Form.String())
		f.float(v.Grid.Res())
		f.text(v.Mode.String())
		f.count(uint64(v.K()))
		var widths []uint64
		for _, w := range v.Widths() {
			widths = append(widths, uint64(w))
		}
		f.counts(widths)
		f.counts(v.Counters())
		f.count(uint64(v.Levels))
		f.count(uint64(v.Base))
		f.count(v.Bytes)
		f.flag(v.Exact)
		f.text(v.Overflow.String())
		f.count(v.Seed)
		f.class(v.Class())
		f.flag(v.Categories)
		f.flag(v.Totals)
		f.flag(info.Additive)
		f.flag(info.Saturated)
		f.flag(info.Unbiased)
		total, known := v.Total()
		f.known(total, known)
		f.known(info.Cells, info.CellsKnown)
		f.known(info.Categories, info.Form != ccbf.Dense && v.Categories)
		f.floatIf(info.Fill, info.Form == ccbf.Dense)
		f.known(info.Leaves, info.Form == ccbf.Tree)
		f.known(info.Tau, info.Form == ccbf.Tree)
		f.known(info.AtLeast, info.AtLeast > 0)
		f.known(info.Suppressed, info.AtLeast > 0)
		f.count(info.Bytes)
		if v.Bounds.Empty() {
			f.null()
		} else {
			b := v.Grid.Bound(v.Bounds)
			setCorners(f.next(), i, b.Min[0], b.Min[1], b.Max[0], b.Max[1])
		}
		return nil
	})
}
