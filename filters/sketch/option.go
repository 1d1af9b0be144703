package sketch

import (
	"fmt"
	"strconv"
	"strings"
)

// Option describes an option of a family's functions in SQL, and the field of its Params that it sets.
type Option struct {
	Name string
	Kind Kind
	// Range says which values of the kind are allowed, as errors write it: "from 1 to 32". It is empty
	// if all are allowed, or if they depend on other options.
	Range string
	// Choices are the values that a Text may have, the default first. It is nil if any text is allowed.
	Choices []string
	// Most is the largest number of elements of a Wholes.
	Most int
	// PerRow allows the option to have different values in the rows of one group.
	PerRow bool
	// Beside is the other options, as SQL writes them, that the option needs for a meaning or for its
	// whole range.
	Beside string
	// Default, as SQL writes it, and Summary are for the reference.
	Default, Summary string
}

// Values describes the values that are allowed: "a whole number from 1 to 32".
func (o *Option) Values() string {
	switch {
	case len(o.Choices) > 0:
		last := len(o.Choices) - 1
		if last == 0 {
			return "'" + o.Choices[0] + "'"
		}
		return "'" + strings.Join(o.Choices[:last], "', '") + "' or '" + o.Choices[last] + "'"
	case o.Range == "" && o.Kind == WholeKind:
		return "a whole number from 0 to 2^64-1"
	case o.Range == "":
		return o.Kind.String()
	}
	// A range that names the values themselves: "2, 4, 8 or 16", "a power of two ...".
	if _, err := strconv.Atoi(o.Range[:1]); err == nil || strings.HasPrefix(o.Range, "a ") {
		return o.Range
	}
	return o.Kind.String() + " " + o.Range
}

// Choose returns the index of a value among the Choices. Upper and lower case are equal.
func (o *Option) Choose(value string) (int, error) {
	for i, c := range o.Choices {
		if strings.EqualFold(c, value) {
			return i, nil
		}
	}
	return 0, OptionError(o.Name, "is '%s', must be %s", value, o.Values())
}

// NameOf returns the name of a value of an option that has these names. For other values it returns the
// number behind what: "variant 7".
func NameOf[E ~uint8](names []string, what string, value E) string {
	if int(value) < len(names) {
		return names[value]
	}
	return fmt.Sprintf("%s %d", what, uint8(value))
}

// Kind is the kind of a value: of an option, or of a property that a sketch reports.
type Kind uint8

// The kinds of values.
const (
	WholeKind  Kind = iota // a whole number of at least 0
	NumberKind             // any number
	FlagKind               // BOOLEAN
	TextKind               // VARCHAR

	WholesKind // a list of whole numbers
	KeyKind    // any type that is a key

	RangeKind  // a STRUCT {lo, hi} of whole numbers, dates or timestamps
	SignedKind // a whole number from -2^63 to 2^63-1
	BoxKind    // a STRUCT {xmin, ymin, xmax, ymax} of numbers
)

// String returns the kind as errors write it.
func (k Kind) String() string {
	return [...]string{
		"a whole number", "a number", "BOOLEAN", "VARCHAR", "a list of whole numbers", "a value",
		"a STRUCT {lo: ..., hi: ...} of whole numbers, dates or timestamps", "a whole number with a sign",
		"a STRUCT {xmin: ..., ymin: ..., xmax: ..., ymax: ...} of numbers",
	}[k]
}

// Value is a value of some Kind. The field of that kind is set.
type Value struct {
	Null   bool
	Flag   bool
	Whole  uint64
	Number float64
	Text   string
	Wholes []uint64
	Lo, Hi int64  // of a Range; Lo alone of a SignedKind
	Class  uint64 // of the keys of a Range
}
