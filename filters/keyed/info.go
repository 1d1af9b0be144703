package keyed

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Field is one property of a sketch. It is read from I, the family's Info.
type Field[I any] struct {
	name string
	kind sketch.Kind
	set  func(v *sketch.Value, info *I)
}

// Is returns a field that every sketch has. Infinite values and NaN are unknown.
func Is[I any, T bool | uint64 | int | float64 | string | []uint64](name string, of func(info *I) T) Field[I] {
	return If(name, func(info *I) (T, bool) { return of(info), true })
}

// If returns a field that not every sketch has.
func If[I any, T bool | uint64 | int | int64 | float64 | string | []uint64](name string, of func(info *I) (T, bool)) Field[I] {
	var none T
	_, kind := valueOf(none)
	return Field[I]{name, kind, func(v *sketch.Value, info *I) {
		if t, known := of(info); known {
			*v, _ = valueOf(t)
		} else {
			*v = sketch.Value{Null: true}
		}
	}}
}

// valueOf returns the value of SQL that v becomes, and its kind.
func valueOf(v any) (sketch.Value, sketch.Kind) {
	switch v := v.(type) {
	case bool:
		return sketch.Value{Flag: v}, sketch.FlagKind
	case uint64:
		return sketch.Value{Whole: v}, sketch.WholeKind
	case int:
		return sketch.Value{Whole: uint64(v)}, sketch.WholeKind
	case int64:
		return sketch.Value{Lo: v}, sketch.SignedKind
	case float64:
		return sketch.Value{Number: v, Null: math.IsInf(v, 0) || math.IsNaN(v)}, sketch.NumberKind
	case string:
		return sketch.Value{Text: v}, sketch.TextKind
	case []uint64:
		return sketch.Value{Wholes: v}, sketch.WholesKind
	}
	panic(fmt.Sprintf("no kind of values has a %T", v))
}

// Info describes the properties that a family reports about sketches with the View V.
type Info[V any] struct {
	fields []InfoField
	append func(dst []sketch.Value, v *V) []sketch.Value
}

// InfoField is the name and the kind of a Field.
type InfoField struct {
	Name string
	Kind sketch.Kind
}

// InfoOf returns the Info of a family. info describes a sketch; fields are its properties in order. The
// fields that all families have follow.
func InfoOf[V, I any](info func(v *V) I, fields ...Field[I]) Info[V] {
	out := Info[V]{append: func(dst []sketch.Value, v *V) []sketch.Value {
		i := info(v)
		for j := range fields {
			dst = append(dst, sketch.Value{})
			fields[j].set(&dst[len(dst)-1], &i)
		}
		return dst
	}}
	for _, f := range fields {
		out.fields = append(out.fields, InfoField{f.name, f.kind})
	}
	return out
}

// Fields returns the names and kinds of the values that Append appends.
func (i *Info[V]) Fields() []InfoField { return i.fields }

// Append appends what i says about v.
func (i *Info[V]) Append(dst []sketch.Value, v *V) []sketch.Value { return i.append(dst, v) }

// common is the list of fields that all families have.
var common = []InfoField{{"seed", sketch.WholeKind}, {"key_type", sketch.TextKind}, {"total", sketch.WholeKind}, {"bytes", sketch.WholeKind}}

// appendCommon appends the values of the fields in common.
func appendCommon(dst []sketch.Value, b *Base) []sketch.Value {
	total, known := b.Total()
	return append(dst,
		sketch.Value{Whole: b.Seed()},
		sketch.Value{Text: b.KeyClass().String(), Null: b.KeyClass() == key.None},
		sketch.Value{Whole: total, Null: !known},
		sketch.Value{Whole: uint64(b.bytes)},
	)
}

// Common describes any sketch without its keys. A family embeds it in its Info.
type Common struct {
	Seed       uint64
	KeyClass   key.Class
	Total      uint64 // occurrences; valid if TotalKnown
	TotalKnown bool
	Saturated  bool
	Bytes      int // length of the BLOB
}

// Common returns the Common of a view.
func (b *Base) Common() Common {
	b.MustBeMade()
	return Common{b.seed, b.class, b.total, b.flags.Has(sketch.TotalKnown), b.Saturated(), b.bytes}
}
