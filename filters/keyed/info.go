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
	Fields []InfoField // names and kinds of the values that Append appends
	Append func(dst []sketch.Value, v *V) []sketch.Value
}

// InfoField is the name and the kind of a Field.
type InfoField struct {
	Name string
	Kind sketch.Kind
}

// InfoOf returns the Info of a family. info describes a sketch; fields are its properties in order. The
// fields that all families have follow.
func InfoOf[V, I any](info func(v *V) I, fields ...Field[I]) Info[V] {
	out := Info[V]{Append: func(dst []sketch.Value, v *V) []sketch.Value {
		i := info(v)
		for j := range fields {
			dst = append(dst, sketch.Value{})
			fields[j].set(&dst[len(dst)-1], &i)
		}
		return dst
	}}
	for _, f := range fields {
		out.Fields = append(out.Fields, InfoField{f.name, f.kind})
	}
	return out
}

// common has the fields of all families.
var common = InfoOf((*Base).Common,
	Is("seed", func(c *Common) uint64 { return c.Seed }),
	If("key_type", func(c *Common) (string, bool) { return c.KeyClass.String(), c.KeyClass != key.None }),
	If("total", func(c *Common) (uint64, bool) { return c.Total, c.TotalKnown }),
	Is("bytes", func(c *Common) int { return c.Bytes }),
)

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

// MaxListed is the largest number of values that the Rows of a View list. They are for people who learn
// or debug.
const MaxListed = 1 << 20

// Listable returns nil if a sketch of n numbers is small enough for Rows. The error wraps
// sketch.ErrOption.
func Listable(n uint64) error {
	if n > MaxListed {
		return sketch.ArgumentError("sketch", "has %s, at most %s are listed: build a smaller one", sketch.Count(n, "number"), sketch.Number(MaxListed))
	}
	return nil
}
