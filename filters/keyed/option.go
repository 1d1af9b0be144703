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
	// check says what is wrong with the field, which is 0 where it is to take
	// its default.
	check func(p *P) error
}

// With is the option of which the range is told beside others: "variable_length: true".
func (o Option[P]) With(others string) Option[P] {
	o.Beside = others
	return o
}

// Options are the options of a family. They are the only place that defines
// each parameter's own range: errors and the reference follow from it.
type Options[P any] []Option[P]

// Check says which parameter is out of its range. The family checks conditions
// between parameters.
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

// WholeOption is an option that sets a whole number from least, which is 1 at
// least, to most. 0 in Params is the default.
func WholeOption[P any](name string, least, most uint64, defaultText, summary string, field func(*P) *uint64) Option[P] {
	in := fmt.Sprintf("from %d to %d", least, most)
	if most == math.MaxUint64 {
		in = fmt.Sprintf("from %d to 2^64-1", least)
	}
	o := WholeOptionIn(name, in, defaultText, summary, field)
	o.check = func(p *P) error {
		if v := *field(p); v != 0 && (v < least || v > most) {
			return sketch.OptionError(name, "is %d, must be %s", v, in)
		}
		return nil
	}
	return o
}

// WholeOptionIn is WholeOption with words for its range, where that depends on
// other parameters or has gaps: "2, 4, 8 or 16". The family checks it.
func WholeOptionIn[P any](name, in, defaultText, summary string, field func(*P) *uint64) Option[P] {
	return Option[P]{
		Option: sketch.Option{Name: name, Kind: sketch.WholeKind, Range: in, Default: defaultText, Summary: summary},
		Set: func(p *P, v sketch.Value) error {
			*field(p) = v.Whole
			if v.Whole == 0 {
				return sketch.OptionError(name, "is 0, must be %s", in)
			}
			return nil
		},
	}
}

// Interval is a range of numbers. The ends belong to it unless they are open.
type Interval struct {
	Least, Most       float64
	AboveLeast, Below bool // the ends are open
}

// Has reports whether v is in the interval; NaN is in none.
func (i Interval) Has(v float64) bool {
	return (v > i.Least || v == i.Least && !i.AboveLeast) && (v < i.Most || v == i.Most && !i.Below)
}

// String is the interval in the words of errors.
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

// NumberOption is an option that sets a number. 0 in Params is the default and
// must not be in the interval.
func NumberOption[P any](name string, in Interval, defaultText, summary string, field func(*P) *float64) Option[P] {
	wrong := func(v float64) error { return sketch.OptionError(name, "is %v, must be %v", v, in) }
	return Option[P]{
		sketch.Option{Name: name, Kind: sketch.NumberKind, Range: in.String(), Default: defaultText, Summary: summary},
		func(p *P, v sketch.Value) error {
			*field(p) = v.Number
			if v.Number == 0 {
				return wrong(0)
			}
			return nil
		},
		func(p *P) error {
			if v := *field(p); v != 0 && !in.Has(v) {
				return wrong(v)
			}
			return nil
		},
	}
}

// FlagOption is an option that is yes or no, no by default.
func FlagOption[P any](name, summary string, field func(*P) *bool) Option[P] {
	return Option[P]{
		Option: sketch.Option{Name: name, Kind: sketch.FlagKind, Default: "false", Summary: summary},
		Set:    func(p *P, v sketch.Value) error { *field(p) = v.Flag; return nil },
	}
}

// ChoiceOption is an option that names one of several values, the first by
// default, as their String does.
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

// SeedOption is the option of the hash's seed, which every family has.
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
