package sketch

import (
	"errors"
	"fmt"
)

// ID is a family's number in the header. Numbers are never reused.
type ID uint8

// names has the families of this program by their numbers. It is written while
// the variables of packages are initialized, by Define, and only read after that.
var names [256]struct{ name, article string }

// String is the family's prefix in SQL. A family whose package is not part of
// the program has its number alone.
func (id ID) String() string {
	if n := names[id].name; n != "" {
		return n
	}
	return fmt.Sprintf("unknown (family %d)", uint8(id))
}

// article goes before the family's name.
func (id ID) article() string {
	if a := names[id].article; a != "" {
		return a
	}
	return "an"
}

// Family describes a family to code that works with any family. Packages of
// families keep what Define returns.
type Family struct {
	ID ID
	// Name is the prefix of its functions in SQL, Article goes before it: "a"
	// or "an".
	Name, Article string
	// Title and About head its functions in the documentation.
	Title, About string
	// Check decodes a BLOB of the family completely: structure, ranges and
	// checksum. A nil error says that every function of the family accepts
	// the BLOB.
	Check func(blob []byte) error
	// CheckBytes is the bytes that Check takes at most beside the BLOB. Nil where
	// these are a few times those of the BLOB.
	CheckBytes func(blob []byte) int64
	// Describe says in a few words what a BLOB of the family is, without
	// reading its body: "exact, 12,345 cells". See the function Describe.
	Describe func(blob []byte) (string, error)
	// Samples are small sketches of every form that the family has, for tests
	// that damage them in every way, or read what other programs made of them.
	Samples func() ([]Sample, error)
}

// Sample is a small sketch.
type Sample struct {
	Name string // of its form: "conservative"
	Blob []byte
	// Words are what Describe says of it, but for the family and the size.
	Words string
	// Fills is that of the Laws.
	Fills bool
}

// Define makes the number of a family known by its name. It panics where the
// number or the name is another family's: a mistake in the program.
func Define(f Family) Family {
	for id, n := range names {
		if (id == int(f.ID)) != (n.name == f.Name) && n.name != "" {
			panic(fmt.Sprintf("family %d, %s: family %d is %s", uint8(f.ID), f.Name, id, n.name))
		}
	}
	names[f.ID] = struct{ name, article string }{f.Name, f.Article}
	return f
}

// Laws are the promises of a sketch beyond never counting too few.
type Laws struct {
	// OrderFree: the same additions in another order make the same bytes.
	OrderFree bool
	// UnionCommutes: unions in another order or grouping make the same bytes.
	UnionCommutes bool
	// Prunes: a sketch that is full keeps less of what it has. Where UnionCommutes,
	// unions make the same bytes in another order of two, in another grouping perhaps
	// not.
	Prunes bool
	// Fills: what is added may not fit, nor what is united, which is an error and
	// changes nothing. Otherwise it always fits.
	Fills bool
	// UnionEqualsWhole: the union of parts has the bytes of the whole, after
	// additions only.
	UnionEqualsWhole bool
	// Deletable: keys that were added can be removed. Otherwise a removal is an
	// error and changes nothing.
	Deletable bool
	// Restores: additions and their removal leave the bytes of before.
	Restores bool
	// Exact: every count is the true count.
	Exact bool
	// Spellings: a BLOB with the same meaning as one of the family's own may be
	// accepted although it has other bytes, as compressed data can be packed in
	// more than one way.
	Spellings bool
	// Below: a count may be below the true count, and a removal of more than it
	// may be right. How seldom, the family's own test holds.
	Below bool
	// Alone: a key that no other key is beside has its true count, whatever the
	// sizes and however often its own counters coincide.
	Alone bool
	// Set: the count is 1 for a key that may be there and 0 for one that is not.
	// With Deletable, a key is there until it was removed as often as added.
	Set bool
}

// Errors of operations, common to all families.
var (
	// ErrDiffer says that two sketches' parameters do not agree.
	ErrDiffer = errors.New("sketches differ")
	// ErrUnsupported says that sketches of a family cannot do what is asked, whatever their parameters.
	ErrUnsupported = errors.New("sketches of this family cannot do that")
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

// ArgumentError is OptionError for an argument that is not an option: `factor
// is 3, must be a power of two`.
func ArgumentError(name, format string, args ...any) error {
	return optionError(name + " " + fmt.Sprintf(format, args...))
}

// Differ is an error that wraps ErrDiffer and names a parameter and its two values.
func Differ(what string, a, b any) error {
	return fmt.Errorf("%w: %s %v vs %v", ErrDiffer, what, a, b)
}
