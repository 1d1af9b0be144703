package args

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/help"
)

// accepts reports whether an option of a kind can have values of a type.
func accepts(k sketch.Kind, t duck.Type) bool {
	switch k {
	case sketch.WholeKind, sketch.NumberKind:
		return isNumber(t)
	case sketch.FlagKind:
		return t.ID() == duck.BooleanID
	case sketch.TextKind:
		return t.ID() == duck.VarcharID
	case sketch.WholesKind:
		return t.ID() == duck.ListID && (isNumber(t.Elem()) || t.Elem().ID() == duck.SQLNullID)
	case sketch.RangeKind:
		_, _, ok := RangeFields(t)
		f := t.Fields()
		return ok && (isNumber(f[0].Type) && isNumber(f[1].Type) || isDate(f[0].Type) && f[0].Type.ID() == f[1].Type.ID())
	case sketch.BoxKind:
		return isBox(t)
	}
	return true
}

// fieldIndex returns the index of a field of a STRUCT, or -1.
func fieldIndex(fields []duck.Field, name string) int {
	return slices.IndexFunc(fields, func(f duck.Field) bool { return strings.EqualFold(f.Name, name) })
}

// RangeFields returns the indexes of the fields lo and hi of a STRUCT; ok is false if a type is no range.
func RangeFields(t duck.Type) (lo, hi int, ok bool) {
	f := t.Fields()
	lo, hi = fieldIndex(f, "lo"), fieldIndex(f, "hi")
	return lo, hi, t.ID() == duck.StructID && len(f) == 2 && lo >= 0 && hi >= 0
}

// Options is the options of one chunk, a column of STRUCTs. Its zero value has no options.
type Options struct {
	known []sketch.Option // all options that the function has
	col   *duck.Vector    // the STRUCT of options, or nil
	at    []*duck.Vector  // by index in known, the option's column; nil if it is not given
}

// None reports whether the call has no options, or NULL in their place.
func (o *Options) None() bool { return o.col == nil }

// Reset sets o to a column, or to no options if it is nil. The error names an option that is unknown or
// has the wrong type.
func (o *Options) Reset(col *duck.Vector, known []sketch.Option) error {
	o.known, o.col = known, nil
	if cap(o.at) < len(known) {
		o.at = make([]*duck.Vector, len(known))
	}
	o.at = o.at[:len(known)]
	clear(o.at)
	if col == nil || col.Type().ID() == duck.SQLNullID {
		return nil
	}
	if col.Type().ID() != duck.StructID {
		return fmt.Errorf("options are %s, must be a STRUCT, for example {%s: ...}", col.Type(), known[0].Name)
	}
	o.col = col
	for j := range col.NumFields() {
		name := col.FieldName(j)
		i := slices.IndexFunc(known, func(k sketch.Option) bool { return strings.EqualFold(k.Name, name) })
		if i < 0 {
			return unknownOption(name, known)
		}
		f := col.Field(j)
		if f.Type().ID() == duck.SQLNullID {
			if known[i].PerRow {
				o.at[i] = f // the option is given, and NULL in every row
			}
			continue
		}
		if !accepts(known[i].Kind, f.Type()) {
			return sketch.OptionError(name, "is %s, must be %s", f.Type(), known[i].Kind)
		}
		o.at[i] = f
	}
	return nil
}

// unknownOption returns the error for an unknown option, with a similar name or all names.
func unknownOption(name string, known []sketch.Option) error {
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = k.Name
	}
	more := cmp.Or(help.Suggestion(name, names), "; known options: "+strings.Join(names, ", "))
	return fmt.Errorf("option %q is not known%s", name, more)
}

// Uniform reports whether every row of the chunk certainly has the same options, apart from options that can
// differ within a group.
func (o *Options) Uniform() bool {
	if o.col == nil {
		return true
	}
	given := o.col.AllValid()
	for i, v := range o.at {
		if v != nil && !o.known[i].PerRow && !(given && v.IsConstant()) {
			return false
		}
	}
	return true
}

// Given reports whether a row has option i, and it is not NULL.
func (o *Options) Given(i, row int) bool {
	return o.at[i] != nil && o.col.Valid(row) && o.at[i].Valid(row)
}

// Null reports whether option i of a row is NULL.
func (o *Options) Null(i, row int) bool {
	return o.at[i] != nil && o.col.Valid(row) && !o.at[i].Valid(row)
}

// Has reports whether the chunk has a column for option i.
func (o *Options) Has(i int) bool { return o.at[i] != nil }

// Column returns the column of option i, or nil.
func (o *Options) Column(i int) *duck.Vector { return o.at[i] }

// Count returns option i of a row, a Whole, or otherwise if it is not given. The error says that it is
// no whole number from 0 to 2^64-1.
func (o *Options) Count(i, row int, otherwise uint64) (uint64, error) {
	if !o.Given(i, row) {
		return otherwise, nil
	}
	n, ok := whole(o.at[i], row)
	if !ok {
		return 0, sketch.OptionError(o.known[i].Name, "is %s, must be %s", text(o.at[i], row), o.known[i].Values())
	}
	return n, nil
}

// Flag returns option i of a row, a Flag, or false if it is not given.
func (o *Options) Flag(i, row int) bool {
	return o.Given(i, row) && duck.Slice[bool](o.at[i])[row]
}

// Read sets the fields of p to the options of a row that are given. The options begin with those of
// settings.
func Read[P any](o *Options, settings keyed.Options[P], row int, p *P) error {
	return o.each(len(settings), row, func(i int, v sketch.Value) error {
		if settings[i].Set == nil {
			return nil
		}
		return settings[i].Set(p, v)
	})
}

// Params returns a family's parameters by a row's options. The first options are the family's; others,
// such as the weight, can follow.
func (o *Options) Params(settings keyed.Settings, row int) (any, error) {
	settings.Reset()
	if err := o.each(settings.Len(), row, settings.Set); err != nil {
		return nil, err
	}
	return settings.Params(), nil
}

// each calls set for those of the first n options that a row has.
func (o *Options) each(n, row int, set func(i int, v sketch.Value) error) error {
	for i := range n {
		if !o.Given(i, row) {
			continue
		}
		v, err := o.value(i, row)
		if err != nil {
			return err
		}
		if err := set(i, v); err != nil {
			return err
		}
	}
	return nil
}

// value returns option i of a row, which is given. It is not set for a Key or a Box.
func (o *Options) value(i, row int) (v sketch.Value, err error) {
	known := &o.known[i]
	switch known.Kind {
	case sketch.WholeKind:
		v.Whole, err = o.Count(i, row, 0)
	case sketch.NumberKind:
		v.Number = float(o.at[i], row)
	case sketch.FlagKind:
		v.Flag = o.Flag(i, row)
	case sketch.TextKind:
		if v.Text = string(o.at[i].Bytes(row)); len(known.Choices) > 0 {
			choice := 0
			choice, err = known.Choose(v.Text)
			v.Text = known.Choices[choice]
		}
	case sketch.WholesKind:
		v.Wholes, err = o.wholes(i, row)
	case sketch.RangeKind:
		err = o.readRange(&v, i, row)
	}
	return v, err
}

// wholes returns option i of a row. The error says that the list has too many elements, or an element
// that is no whole number.
func (o *Options) wholes(i, row int) ([]uint64, error) {
	known := &o.known[i]
	at, n := o.at[i].ListRange(row)
	if n > known.Most {
		return nil, sketch.OptionError(known.Name, "has %d elements, must have at most %d", n, known.Most)
	}
	e := o.at[i].Elem()
	list := make([]uint64, n)
	for k := range list {
		if e.Type().ID() == duck.SQLNullID || !e.Valid(at+k) {
			return nil, sketch.OptionError(known.Name, "has a NULL element, must be whole numbers")
		}
		v, ok := whole(e, at+k)
		if !ok {
			return nil, sketch.OptionError(known.Name, "has the element %s, must be whole numbers", text(e, at+k))
		}
		list[k] = v
	}
	return list, nil
}

// readRange sets v to option i of a row.
func (o *Options) readRange(v *sketch.Value, i, row int) error {
	for _, end := range []struct {
		name string
		to   *int64
	}{{"lo", &v.Lo}, {"hi", &v.Hi}} {
		f := o.at[i].Field(fieldIndex(o.at[i].Type().Fields(), end.name))
		if !f.Valid(row) {
			return sketch.OptionError(o.known[i].Name, "has NULL for %s, must be a value", end.name)
		}
		n, class, ok := RangeEnd(f, row)
		if !ok {
			return sketch.OptionError(o.known[i].Name, "has %s for %s, must be a whole number from -2^63 to 2^63-1, a date or a timestamp in whole microseconds", text(f, row), end.name)
		}
		*end.to, v.Class = n, uint64(class)
	}
	return nil
}

// isDate reports whether values of a type are days or instants.
func isDate(t duck.Type) bool {
	class := classes[t.ID()]
	return class == key.Date || class == key.Timestamp || class == key.TimestampTZ
}

// RangeEnd returns the start or end of a range of keys as a number, and its class. The number is a
// whole number, or days or microseconds of a time. ok is false for other values.
func RangeEnd(v *duck.Vector, row int) (n int64, class key.Class, ok bool) {
	if t := v.Type(); !isDate(t) {
		if !isNumber(t) {
			return 0, key.None, false
		}
		n, ok = wholeInt64(v, row)
		return n, key.Int, ok
	}
	class, _ = ClassOf(v.Type())
	var room [24]byte
	b := AppendKey(room[:0], v, row)
	if len(b) != 8 {
		return 0, class, false
	}
	return int64(binary.LittleEndian.Uint64(b)), class, true
}
