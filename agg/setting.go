package agg

import (
	"fmt"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/args"
)

// Setting is an option that sets a field of a family's Params P. Option i of a
// row is given where set is called.
type Setting[P any] struct {
	args.Option
	set func(p *P, o *args.Options, i, row int) error
}

// number is an option that sets a number other than 0, which Params take for
// the default.
func number[P any](name, defaultText, summary string, field func(*P) *float64) Setting[P] {
	return Setting[P]{
		args.Option{Name: name, Kind: args.Number, Default: defaultText, Summary: summary},
		func(p *P, o *args.Options, i, row int) error {
			v := o.Float(i, row, 0)
			if v == 0 {
				return sketch.OptionError(name, "is 0, must be above 0")
			}
			*field(p) = v
			return nil
		},
	}
}

// whole is an option that sets a whole number other than 0, which Params take
// for the default.
func whole[P any](name, defaultText, summary string, field func(*P) *uint64) Setting[P] {
	return Setting[P]{
		args.Option{Name: name, Kind: args.Whole, Default: defaultText, Summary: summary},
		func(p *P, o *args.Options, i, row int) error {
			v, err := o.Count(i, row, 0)
			if err == nil && v == 0 {
				err = sketch.OptionError(name, "is 0, must be at least 1")
			}
			*field(p) = v
			return err
		},
	}
}

// flag is an option that is yes or no, no by default.
func flag[P any](name, summary string, field func(*P) *bool) Setting[P] {
	return Setting[P]{
		args.Option{Name: name, Kind: args.Flag, Default: "false", Summary: summary},
		func(p *P, o *args.Options, i, row int) error {
			*field(p) = o.Bool(i, row, false)
			return nil
		},
	}
}

// choice is an option that names one of several values, the first by default,
// as their String does.
func choice[P any, E interface {
	~uint8
	fmt.Stringer
}](name, summary string, field func(*P) *E, values ...E) Setting[P] {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = v.String()
	}
	return Setting[P]{
		args.Option{Name: name, Kind: args.Text, Default: "'" + names[0] + "'", Summary: summary},
		func(p *P, o *args.Options, i, row int) error {
			s, err := o.Text(i, row, names...)
			for j, name := range names {
				if s == name {
					*field(p) = values[j]
				}
			}
			return err
		},
	}
}

// seed is the option of that name, which every family has.
func seed[P any](field func(*P) *uint64) Setting[P] {
	return Setting[P]{
		args.Option{Name: "seed", Kind: args.Whole, Default: "0",
			Summary: "Seed of the hash. Only sketches of the same seed combine."},
		func(p *P, o *args.Options, i, row int) (err error) {
			*field(p), err = o.Count(i, row, 0)
			return err
		},
	}
}

// Weight is the option of X_agg, X_add and X_remove that says how many
// occurrences a key stands for.
var Weight = args.Option{Name: "weight", Kind: args.Whole, PerRow: true, Default: "1",
	Summary: "How many occurrences the row stands for. A row whose weight is NULL is skipped."}
