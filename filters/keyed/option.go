package keyed

import (
	"fmt"
	"math"
	"strconv"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Option is an option that sets a field of a family's Params P.
type Option[P any] struct {
	sketch.Option
	// Set sets the field to a value that is not NULL.
	Set func(p *P, v sketch.Value) error
	// check returns an error if the field is out of range. A field that is 0 takes its default.
	check func(p *P) error
}

// With returns the option with other options beside which its range holds: "variable_length: true".
func (o Option[P]) With(others string) Option[P] {
	o.Beside = others
	return o
}

// Options are the options of a family. Check, errors and the reference take the range of a parameter from
// here.
type Options[P any] []Option[P]

// Plain returns the options without what sets fields.
func (o Options[P]) Plain() []sketch.Option {
	plain := make([]sketch.Option, len(o))
	for i := range o {
		plain[i] = o[i].Option
	}
	return plain
}

// Check returns an error for a parameter that is out of its range. The family checks conditions between
// parameters.
func (o Options[P]) Check(p P) error {
	for i := range o {
		if o[i].check == nil {
			continue
		}
		if err := o[i].check(&p); err != nil {
			return err
		}
	}
	return nil
}

// ranged returns the option o, which sets a field to a number in its Range. 0 in Params means the default,
// and is not in the range. Check finds numbers that are not inside; if inside is nil, the family does.
func ranged[P any, N uint64 | float64](o sketch.Option, field func(*P) *N, given func(v sketch.Value) N, inside func(v N) bool) Option[P] {
	wrong := func(v N) error { return sketch.OptionError(o.Name, "is %v, must be %s", v, o.Range) }
	return Option[P]{
		o,
		func(p *P, v sketch.Value) error {
			*field(p) = given(v)
			if *field(p) == 0 {
				return wrong(0)
			}
			return nil
		},
		func(p *P) error {
			if v := *field(p); v != 0 && inside != nil && !inside(v) {
				return wrong(v)
			}
			return nil
		},
	}
}

func wholeOf(v sketch.Value) uint64 { return v.Whole }

// WholeOption returns an option that sets a whole number from least, which is at least 1, to most. 0 in
// Params means the default.
func WholeOption[P any](name string, least, most uint64, defaultText, summary string, field func(*P) *uint64) Option[P] {
	in := fmt.Sprintf("from %d to %d", least, most)
	if most == math.MaxUint64 {
		in = fmt.Sprintf("from %d to 2^64-1", least)
	}
	o := sketch.Option{Name: name, Kind: sketch.WholeKind, Range: in, Default: defaultText, Summary: summary}
	return ranged(o, field, wholeOf, func(v uint64) bool { return least <= v && v <= most })
}

// WholeOptionIn is WholeOption with words for its range, if that depends on other parameters or has
// gaps: "2, 4, 8 or 16". Check does not check it; the family does.
func WholeOptionIn[P any](name, in, defaultText, summary string, field func(*P) *uint64) Option[P] {
	o := sketch.Option{Name: name, Kind: sketch.WholeKind, Range: in, Default: defaultText, Summary: summary}
	return ranged(o, field, wholeOf, nil)
}

// Interval is a range of numbers. The ends belong to it unless they are open.
type Interval struct {
	Least, Most       float64
	AboveLeast, Below bool // if true, Least or Most is not in the interval
}

// Has reports whether v is in the interval. NaN is in none.
func (i Interval) Has(v float64) bool {
	return (v > i.Least || v == i.Least && !i.AboveLeast) && (v < i.Most || v == i.Most && !i.Below)
}

// String returns the interval as errors write it.
func (i Interval) String() string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	least, most := number(i.Least), number(i.Most)
	switch {
	case i.AboveLeast && i.Below:
		return "between " + least + " and " + most
	case i.AboveLeast:
		return "above " + least + " and at most " + most
	case i.Below:
		return "from " + least + " to below " + most
	}
	return "from " + least + " to " + most
}

// NumberOption returns an option that sets a number. 0 in Params means the default and must not be in
// the interval.
func NumberOption[P any](name string, in Interval, defaultText, summary string, field func(*P) *float64) Option[P] {
	o := sketch.Option{Name: name, Kind: sketch.NumberKind, Range: in.String(), Default: defaultText, Summary: summary}
	return ranged(o, field, func(v sketch.Value) float64 { return v.Number }, in.Has)
}

// FlagOption returns an option that is true or false, false by default.
func FlagOption[P any](name, summary string, field func(*P) *bool) Option[P] {
	return Option[P]{
		Option: sketch.Option{Name: name, Kind: sketch.FlagKind, Default: "false", Summary: summary},
		Set:    func(p *P, v sketch.Value) error { *field(p) = v.Flag; return nil },
	}
}

// ChoiceOption returns an option that names one of several values by their String. The first is the
// default.
func ChoiceOption[P any, E interface {
	~uint8
	fmt.Stringer
}](name, summary string, field func(*P) *E, values ...E) Option[P] {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = v.String()
	}
	o := Option[P]{Option: sketch.Option{Name: name, Kind: sketch.TextKind, Default: "'" + names[0] + "'", Choices: names, Summary: summary}}
	o.Set = func(p *P, v sketch.Value) error {
		i, err := o.Choose(v.Text)
		if err == nil {
			*field(p) = values[i]
		}
		return err
	}
	return o
}

// SeedOption returns the option of the hash's seed, which every family has.
func SeedOption[P any](field func(*P) *uint64) Option[P] {
	return Option[P]{
		Option: sketch.Option{Name: "seed", Kind: sketch.WholeKind, Default: "0", Summary: "Seed of the hash function. Only sketches with the same seed combine."},
		Set:    func(p *P, v sketch.Value) error { *field(p) = v.Whole; return nil },
	}
}

// Weight is the option of functions that add or remove keys.
var Weight = sketch.Option{
	Name: "weight", Kind: sketch.WholeKind, PerRow: true, Default: "1",
	Summary: "Number of occurrences that the row represents. Rows with a NULL weight are skipped.",
}
