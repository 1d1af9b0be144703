package keyed

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Sketch is a sketch in memory, of any family. It embeds Base.
//
// It may also have these methods, which the kit uses if they are there:
//
//   - Later and Finish, of the interface Later, if many keys together are faster;
//   - ByValue() bool and AddKey, if keys are needed and not only hashes; RemoveKey, if they can be
//     removed.
//
// All families also have one-line methods over the kit's functions: those of encoding, database/sql,
// JSON and fmt, and AddString, AddUint64, AddTime and the like.
type Sketch interface {
	baseHolder
	// Bytes returns the memory that the sketch takes now.
	Bytes() int
	// Blob encodes the sketch and leaves it unchanged.
	Blob() []byte
	// Reset removes all keys of a sketch to which keys were added and nothing else was done. The sketch
	// is then as Make returned it. An aggregate reuses its memory for the next group.
	Reset()
}

// baseHolder is a sketch that embeds a Base.
type baseHolder interface{ self() *Base }

// Mergeable is a family's own Sketch, a pointer.
type Mergeable[S any] interface {
	comparable
	Sketch
	// Union adds other, which is unchanged. An error wraps sketch.ErrDiffer and changes nothing.
	Union(other S) error
	// Clone returns a copy.
	Clone() S
}

// Spec describes a family with the types Params P, Sketch S and View V. Fields are required unless
// their comments say that they may be nil.
type Spec[P comparable, S Mergeable[S], V any] struct {
	ID            sketch.ID
	Name, Article string // the prefix of the family's functions in SQL, and "a" or "an"
	Noun          string // the name in sentences: "Count-Min Sketch"
	// Title and About stand before the family's functions in the documentation.
	Title, About string
	Summaries    Summaries

	// Options set Params.
	Options Options[P]
	// Defaults sets fields that are 0 to the values that New would use, so that parameters with and
	// without a stated default are equal.
	Defaults func(p *P)
	New      func(p P) (S, error)
	// Gather is New for a sketch that is built once and then encoded. If it is nil, New is used.
	Gather func(p P) (S, error)

	// Empty returns the bytes of an empty sketch and the seed of its keys' hashes. It returns 0 bytes
	// if New fails or the sketch is ByValue. It is nil if every sketch is ByValue.
	Empty func(p P) (bytes, seed uint64)

	// Add counts ns[i] occurrences of the key (h1s[i], h2s[i]), or one of each if ns is nil. It is nil
	// if every sketch is ByValue. Remove subtracts n occurrences; it is nil if nothing can be removed.
	// RemoveFrom is the options, as SQL writes them, without which a removal is refused.
	Add        func(s S, h1s, h2s, ns []uint64) error
	Remove     func(s S, h1, h2, n uint64) error
	RemoveFrom string

	// View checks a BLOB's structure. Check checks all of its body after the checksum was found right.
	// Copy makes a sketch in memory from a view that was checked.
	View  func(blob []byte) (V, error)
	Check func(v *V) error
	Copy  func(v *V) S
	// Agree returns an error if a view cannot be united with a sketch. Unite unites them; its errors
	// change nothing.
	Agree func(s S, v *V) error
	Unite func(s S, v *V) error
	// Subtract subtracts a view from a sketch with which it agrees, many keys at once. It is nil if
	// nothing can be subtracted, or if the sketch of some keys does not contain enough about them. As
	// far as counters show, a view that is not part of the sketch is an error that wraps
	// sketch.ErrTooMany. An error changes nothing. RemoveFrom applies here too.
	Subtract func(s S, v *V) error

	// Questions are the queries that both S and *V answer, the most important first, at most one of
	// each kind. QuestionKind names the method that answers it.
	Questions []Question
	Info      Info[V]
	// Words describes a view in a few words: "for 100,000 keys".
	Words func(v *V) string

	// Laws returns the promises of sketches of these parameters.
	Laws func(p P) sketch.Laws
	// Samples are small sketches of every form. The tests of all families use their parameters and
	// options.
	Samples []Sample[P, S]
}

// Summaries is the documentation of the functions that all families have, in one line each. Union has a
// default. Subtract is appended to its default. InfoField is the field in the example of Info, the
// first one if it is empty.
type Summaries struct{ Agg, Union, Remove, Subtract, Info, InfoField string }

// Question is a query of a family as a function in SQL: Verb is its name after the prefix,
// Summary one line of documentation. Its example builds a sketch with Options: "{duplicates: true}".
type Question struct {
	Kind                   QuestionKind
	Verb, Summary, Options string
}

// QuestionKind is the kind of a query's result.
type QuestionKind uint8

// The kinds of questions. A family's Sketch and *View have the method named here. Slices are as
// long as dst.
const (
	// HowOften is a whole number for a key: CountHashes(dst, h1s, h2s []uint64).
	HowOften QuestionKind = iota
	// Whether is yes or no for a key: ContainsHashes(dst []bool, h1s, h2s []uint64).
	Whether
)

// The interfaces of a sketch that answers questions of kind HowOften or Whether.
type (
	counter   interface{ CountHashes(dst, h1s, h2s []uint64) }
	container interface {
		ContainsHashes(dst []bool, h1s, h2s []uint64)
	}
)

// answeredBy returns the method that answers questions of a kind, and whether v has it.
func (k QuestionKind) answeredBy(v any) (method string, has bool) {
	if k == HowOften {
		_, has = v.(counter)
		return "CountHashes", has
	}
	_, has = v.(container)
	return "ContainsHashes", has
}

// Unfailing returns the Add of a sketch that always has room.
func Unfailing[S any](add func(s S, h1s, h2s, ns []uint64)) func(s S, h1s, h2s, ns []uint64) error {
	return func(s S, h1s, h2s, ns []uint64) error {
		add(s, h1s, h2s, ns)
		return nil
	}
}

// Family is a family of sketches of keys.
type Family[P comparable, S Mergeable[S], V any] struct {
	sketch.Family
	spec    Spec[P, S, V]
	options []sketch.Option
	views   sync.Pool
}

// lacks returns the names of required fields and methods that are missing.
func (spec *Spec[P, S, V]) lacks() (names []string) {
	var none S
	var view V
	optional := []string{"Gather", "Remove", "RemoveFrom", "Subtract"}
	if _, takesKeys := any(none).(valueSketch); takesKeys {
		optional = append(optional, "Add", "Empty")
	}
	fields := reflect.ValueOf(spec).Elem()
	for i := range fields.NumField() {
		if name := fields.Type().Field(i).Name; fields.Field(i).IsZero() && !slices.Contains(optional, name) {
			names = append(names, name)
		}
	}
	if about := spec.Summaries; about.Agg == "" || about.Info == "" || about.Remove == "" && spec.Remove != nil {
		names = append(names, "Summaries")
	}
	for _, q := range spec.Questions {
		if method, has := q.Kind.answeredBy(none); !has {
			names = append(names, "Sketch."+method)
		}
		if method, has := q.Kind.answeredBy(&view); !has {
			names = append(names, "View."+method)
		}
	}
	return names
}

// Define makes the family of a Spec. It panics if the Spec is incomplete, or if the number or the name
// is another family's, which are mistakes in the program.
func Define[P comparable, S Mergeable[S], V any](spec Spec[P, S, V]) *Family[P, S, V] {
	if names := spec.lacks(); len(names) > 0 {
		panic(fmt.Sprintf("keyed.Define: the Spec of family %d %q has no %s", uint8(spec.ID), spec.Name, strings.Join(names, ", ")))
	}
	if spec.Gather == nil {
		spec.Gather = spec.New
	}
	f := &Family[P, S, V]{spec: spec, options: spec.Options.Plain(), views: sync.Pool{New: func() any { return new(V) }}}
	f.Family = sketch.Define(sketch.Family{
		ID: spec.ID, Name: spec.Name, Article: spec.Article, Title: spec.Title, About: spec.About,
		Check: f.Check, Describe: f.words, Samples: f.samples,
	})
	return f
}

// Check returns nil for a BLOB that every function of the family accepts: structure, ranges, checksum,
// and the body in its only form. O(len(blob)).
func (f *Family[P, S, V]) Check(blob []byte) error {
	_, err := f.Verified(blob)
	return err
}

// Verified returns the view of a BLOB that Check accepts.
func (f *Family[P, S, V]) Verified(blob []byte) (V, error) {
	v, err := f.spec.View(blob)
	if err == nil {
		err = f.check(blob, &v)
	}
	return v, err
}

// check verifies the checksum of a BLOB, and the body by the family's Check. v is the BLOB's view.
func (f *Family[P, S, V]) check(blob []byte, v *V) error {
	if err := sketch.Verify(blob); err != nil {
		return err
	}
	return f.spec.Check(v)
}

// Decode makes a sketch from a BLOB, which it does not change. A bad BLOB is an error that wraps
// sketch.ErrInvalid.
func (f *Family[P, S, V]) Decode(blob []byte) (S, error) {
	v, err := f.Verified(blob)
	if err != nil {
		var none S
		return none, err
	}
	return f.spec.Copy(&v), nil
}

// UnionBlob unites s with the sketch of a BLOB, without a copy of it. It verifies the checksum. A bad
// BLOB is an error that wraps sketch.ErrInvalid, one with different parameters an error that wraps
// sketch.ErrDiffer. An error changes nothing.
func (f *Family[P, S, V]) UnionBlob(s S, blob []byte) error {
	return f.apply(s, blob, f.spec.Unite)
}

// SubtractBlob subtracts the sketch of a BLOB, which must be part of s. If it is not, the error wraps
// sketch.ErrTooMany as far as counters show. A family that cannot subtract is an error that wraps
// sketch.ErrUnsupported, a sketch that cannot one that wraps sketch.ErrNotAdditive. Other errors are
// those of UnionBlob. An error changes nothing.
func (f *Family[P, S, V]) SubtractBlob(s S, blob []byte) error {
	if f.spec.Subtract == nil {
		return fmt.Errorf("subtract from %s %s sketch: %w", f.Article, f.Name, sketch.ErrUnsupported)
	}
	return f.apply(s, blob, f.spec.Subtract)
}

// apply calls change with a BLOB that agrees with s and is verified.
func (f *Family[P, S, V]) apply(s S, blob []byte, change func(s S, v *V) error) (err error) {
	v := f.views.Get().(*V) // reused, because many small BLOBs may come
	defer func() {
		var none V // drop the view: it refers to the caller's memory
		*v = none
		f.views.Put(v)
	}()
	if *v, err = f.spec.View(blob); err != nil {
		return err
	}
	if err := f.spec.Agree(s, v); err != nil {
		return err
	}
	if err := f.check(blob, v); err != nil {
		return err
	}
	return change(s, v)
}

// words describes a BLOB in a few words, without reading its body.
func (f *Family[P, S, V]) words(blob []byte) (string, error) {
	v, err := f.spec.View(blob)
	if err != nil {
		return "", err
	}
	return f.spec.Words(&v), nil
}
