package sketch

import (
	"errors"
	"fmt"
)

// ID is a family's number in the header. Numbers are never reused.
type ID uint8

// names holds the families of this program by their numbers. Define writes it while the variables of
// packages are initialized; after that it is only read.
var names [256]struct{ name, article string }

// String returns the family's prefix in SQL. If the family's package is not part of the program, it
// returns the number.
func (id ID) String() string {
	if n := names[id].name; n != "" {
		return n
	}
	return fmt.Sprintf("unknown (family %d)", uint8(id))
}

// article returns the article of the family's name.
func (id ID) article() string {
	if a := names[id].article; a != "" {
		return a
	}
	return "an"
}

// Family describes a family to code that works with any family. Packages of families keep the value
// that Define returns.
type Family struct {
	ID ID
	// Name is the prefix of the family's functions in SQL. Article is the "a" or "an" before Name.
	Name, Article string
	// Title and About stand before the family's functions in the documentation.
	Title, About string
	// Check decodes a BLOB of the family completely: structure, ranges and checksum. It returns nil if
	// every function of the family accepts the BLOB.
	Check func(blob []byte) error
	// CheckBytes returns the largest number of bytes that Check allocates. It is nil if Check takes at
	// most a few times the length of the BLOB.
	CheckBytes func(blob []byte) int64
	// Describe returns a few words about a BLOB of the family, without reading its body: "exact, 12,345
	// cells". See the function Describe.
	Describe func(blob []byte) (string, error)
	// Samples returns small sketches of every form that the family has. Tests damage them in every way,
	// or read BLOBs that other programs made of them.
	Samples func() ([]Sample, error)
}

// Sample is a small sketch.
type Sample struct {
	Name string // name of the sample's form: "conservative"
	Blob []byte
	// Words is the description of Describe, without the family and the size.
	Words string
	// Fills is the field Fills of the sample's Laws.
	Fills bool
}

// Define registers the name of a family for its number. It panics if the number or the name is another
// family's, which is a mistake in the program.
func Define(f Family) Family {
	for id, n := range names {
		if (id == int(f.ID)) != (n.name == f.Name) && n.name != "" {
			panic(fmt.Sprintf("family %d, %s: family %d is %s", uint8(f.ID), f.Name, id, n.name))
		}
	}
	names[f.ID] = struct{ name, article string }{f.Name, f.Article}
	return f
}

// Laws are the promises of a sketch beside the one that no count is too low.
type Laws struct {
	// OrderFree: the same additions in another order give the same bytes.
	OrderFree bool
	// UnionCommutes: unions in another order or grouping give the same bytes.
	UnionCommutes bool
	// Prunes: a full sketch drops detail of its data. With UnionCommutes, the order of two sketches then
	// does not matter, but the grouping of three may.
	Prunes bool
	// Fills: an addition or a union may find no room, which is an error and changes nothing. Otherwise
	// there is always room.
	Fills bool
	// UnionEqualsWhole: after additions only, the union of parts has the bytes of the whole.
	UnionEqualsWhole bool
	// Deletable: keys that were added can be removed. Otherwise a removal is an error and changes
	// nothing.
	Deletable bool
	// Restores: after additions and their removal the bytes are the same as before, except that a class of
	// keys stays.
	Restores bool
	// Exact: every count is the true count.
	Exact bool
	// Below: a count may be below the true count, so a removal of more than the count may be right. The
	// family's own test bounds how often.
	Below bool
	// Alone: a key has its true count if it is the only one, whatever the sizes and however often its
	// own counters coincide.
	Alone bool
	// Set: the count is 1 for a key that may be there and 0 for one that is not. With Deletable, a key
	// stays until it was removed as often as it was added.
	Set bool
}

// Errors of operations, common to all families.
var (
	// ErrDiffer is the error for two sketches whose parameters differ.
	ErrDiffer = errors.New("sketches differ")
	// ErrUnsupported is the error for an operation that no sketch of the family has.
	ErrUnsupported = errors.New("sketches of this family cannot do that")
	// ErrNotAdditive is the error for an operation that needs counters that are sums.
	ErrNotAdditive = errors.New("counters are not sums of occurrences")
	// ErrTooMany is the error for a removal of more occurrences than there are.
	ErrTooMany = errors.New("more than the sketch holds")
	// ErrOption is the error for a parameter that is out of its range.
	ErrOption = errors.New("option out of range")
)

// optionError is an error with the whole text for the user. It is ErrOption.
type optionError string

func (e optionError) Error() string        { return string(e) }
func (e optionError) Is(target error) bool { return target == ErrOption }

// OptionError returns an error that is ErrOption and names the option: `option "k" is 0, must be from 1
// to 32`.
func OptionError(name, format string, args ...any) error {
	return optionError(fmt.Sprintf("option %q ", name) + fmt.Sprintf(format, args...))
}

// ArgumentError is OptionError for an argument that is not an option: `factor is 3, must be a power of
// two`.
func ArgumentError(name, format string, args ...any) error {
	return optionError(name + " " + fmt.Sprintf(format, args...))
}

// DifferError is the error for two sketches that do not combine because a parameter differs. It wraps
// ErrDiffer.
type DifferError struct {
	Parameter string // "width"
	Values    string // in the first sketch and in the second: "100 vs 101"
	Advice    string // what to do
}

// Error returns a text with the parameter, its two values and what to do.
func (e *DifferError) Error() string {
	return fmt.Sprintf("%v: %s %s; %s", ErrDiffer, e.Parameter, e.Values, e.Advice)
}

// Unwrap returns ErrDiffer.
func (e *DifferError) Unwrap() error { return ErrDiffer }

// Same returns nil if the values a and b of a parameter are equal, otherwise their DifferError.
func Same[T comparable](parameter string, a, b T) error {
	if a == b {
		return nil
	}
	return Differ(parameter, a, b)
}

// Differ returns the DifferError of a parameter with the values a and b.
func Differ(parameter string, a, b any) error {
	return &DifferError{parameter, fmt.Sprintf("%v vs %v", a, b), "build both with the same " + parameter}
}
