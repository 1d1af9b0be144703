package sketch

import (
	"errors"
	"fmt"
)

// ID is a family's number in the header. Numbers are never reused.
type ID uint8

// The families and their numbers.
const (
	CCBF   ID = 1
	CMS    ID = 2
	SBF    ID = 3
	CBF    ID = 4
	Bloom  ID = 5
	Cuckoo ID = 6
)

var names = [...]string{CCBF: "ccbf", CMS: "cms", SBF: "sbf", CBF: "cbf", Bloom: "bloom", Cuckoo: "cuckoo"}

// String is the family's prefix in SQL.
func (id ID) String() string {
	if int(id) < len(names) && names[id] != "" {
		return names[id]
	}
	return fmt.Sprintf("unknown (family %d)", uint8(id))
}

// article goes before the family's name.
func (id ID) article() string {
	if id == SBF || int(id) >= len(names) || names[id] == "" {
		return "an"
	}
	return "a"
}

// Family is what the project knows of a family without knowing which it is.
type Family struct {
	ID ID
	// Title and About head its functions in the documentation.
	Title, About string
	// Check decodes a BLOB of the family completely: structure, ranges and
	// checksum. A nil error says that every function of the family accepts
	// the BLOB.
	Check func(blob []byte) error
	// Describe says in a few words what a BLOB of the family is, without
	// reading its body: "exact, 12,345 cells". See the function Describe.
	Describe func(blob []byte) (string, error)
}

// Errors of operations, common to all families.
var (
	// ErrDiffer says that two sketches' parameters do not agree.
	ErrDiffer = errors.New("sketches differ")
	// ErrNotAdditive says that an operation needs counters that are sums.
	ErrNotAdditive = errors.New("counters are not sums of occurrences")
	// ErrTooMany says that more occurrences were to be removed than are there.
	ErrTooMany = errors.New("more than the sketch holds")
	// ErrOption says that a parameter is out of its range.
	ErrOption = errors.New("option out of range")
)

// optionError is an error whose text is all a user needs to read.
type optionError string

func (e optionError) Error() string        { return string(e) }
func (e optionError) Is(target error) bool { return target == ErrOption }

// OptionError is an error that is ErrOption and names the option:
// `option "k" is 0, must be from 1 to 32`.
func OptionError(name, format string, args ...any) error {
	return optionError(fmt.Sprintf("option %q ", name) + fmt.Sprintf(format, args...))
}

// ArgumentError is OptionError for an argument that is no option:
// `factor is 3, must be a power of two`.
func ArgumentError(name, format string, args ...any) error {
	return optionError(name + " " + fmt.Sprintf(format, args...))
}

// Differ is an error that wraps ErrDiffer and names a parameter and its two values.
func Differ(what string, a, b any) error {
	return fmt.Errorf("%w: %s %v vs %v", ErrDiffer, what, a, b)
}
