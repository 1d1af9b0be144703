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
// It has AddKey(b []byte, n uint64) for n occurrences of a key by its bytes. AddHashes(h1s, h2s, ns
// []uint64) adds ns[i] occurrences of the key (h1s[i], h2s[i]), or one of each if ns is nil. Both return
// an error if there may be no room. It may also have these methods, which the kit uses if they are there:
//
//   - RemoveKey(b []byte, n uint64) error, if keys can be removed;
//   - Subtract(other S) error, for a family's own Sketch S, if many keys can be removed at once;
//   - ByValue() bool, if keys may be needed and not only hashes. AddHashes is not called then;
//   - Later and Finish, of the interface Later, if many keys together are faster.
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

// The methods of a Sketch that its interface cannot have. Some return an error in some families only. Some families
// do not have the others.
type (
	keyAdder  interface{ AddKey(b []byte, n uint64) }
	keyFiller interface {
		AddKey(b []byte, n uint64) error
	}
	hashAdder  interface{ AddHashes(h1s, h2s, ns []uint64) }
	hashFiller interface {
		AddHashes(h1s, h2s, ns []uint64) error
	}
	keyCounter interface{ CountKey(b []byte) uint64 }
	keyRemover interface {
		RemoveKey(b []byte, n uint64) error
	}
	subtracter[S any] interface{ Subtract(other S) error }
)

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

	// Empty returns the bytes of an empty sketch and the seed of its keys' hashes, or the error of New. It returns 0
	// bytes if the sketch is ByValue. It is nil if every sketch is ByValue.
	Empty func(p P) (bytes, seed uint64, err error)

	// RemoveFrom is the options, as SQL writes them, without which keys cannot be removed, nor sketches
	// subtracted.
	RemoveFrom string

	// View checks a BLOB's structure. Check checks all of its body after the checksum was found right.
	View  func(blob []byte) (V, error)
	Check func(v *V) error
	// Sketch returns the sketch of a view that was checked. It may be in the memory of the view and of the
	// BLOB: it is united with another, subtracted or cloned, and never changed.
	Sketch func(v *V) S

	// Questions are the queries that both S and *V answer, the most important first, at most one of
	// each kind. QuestionKind names the method that answers it.
	Questions []Question
	Info      Info[V]
	// Words describes a view in a few words: "for 100,000 keys".
	Words func(v *V) string
	// Rows returns the bits, counters or fingerprints of a view, to look at. It has the errors of Listable.
	Rows func(v *V) ([][]uint64, error)

	// Laws returns the promises of sketches of these parameters.
	Laws func(p P) sketch.Laws
	// Samples are small sketches of every form. The tests of all families use their parameters and
	// options.
	Samples []Sample
}

// Summaries is the documentation of the functions that all families have, in one line each. Union has a
// default. Subtract is appended to its default. InfoField is the field in the example of Info, the
// first one if it is empty. Row stands before the number of each row in a picture: "bucket".
type Summaries struct{ Agg, Union, Remove, Subtract, Info, InfoField, Row string }

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

// Family is a family of sketches of keys.
type Family[P comparable, S Mergeable[S], V any] struct {
	sketch.Family
	spec  Spec[P, S, V]
	views sync.Pool
}

// lacks returns the names of required fields and methods that are missing.
func (spec *Spec[P, S, V]) lacks() (names []string) {
	var none S
	var view V
	optional := []string{"Gather", "RemoveFrom"}
	switch any(none).(type) {
	case valueSketch:
		optional = append(optional, "Empty")
	case hashAdder, hashFiller:
	default:
		names = append(names, "Sketch.AddHashes")
	}
	switch any(none).(type) {
	case keyAdder, keyFiller:
	default:
		names = append(names, "Sketch.AddKey")
	}
	fields := reflect.ValueOf(spec).Elem()
	for i := range fields.NumField() {
		if name := fields.Type().Field(i).Name; fields.Field(i).IsZero() && !slices.Contains(optional, name) {
			names = append(names, name)
		}
	}
	_, isRemovable := any(none).(keyRemover)
	if about := spec.Summaries; about.Agg == "" || about.Info == "" || about.Remove == "" && isRemovable {
		names = append(names, "Summaries")
	}
	if spec.Questions != nil && len(spec.Questions) == 0 {
		names = append(names, "Questions")
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
	f := &Family[P, S, V]{spec: spec, views: sync.Pool{New: func() any { return new(V) }}}
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
func (f *Family[P, S, V]) Verified(blob []byte) (v V, err error) {
	err = f.open(&v, blob)
	return v, err
}

// open sets v to the view of a BLOB, and checks all of the BLOB.
func (f *Family[P, S, V]) open(v *V, blob []byte) (err error) {
	if *v, err = f.spec.View(blob); err != nil {
		return err
	}
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
	return f.spec.Sketch(&v).Clone(), nil
}

// UnionBlob unites s with the sketch of a BLOB, without a copy of it. It verifies the checksum. A bad
// BLOB is an error that wraps sketch.ErrInvalid, one with different parameters an error that wraps
// sketch.ErrDiffer. An error changes nothing. s must be of the family.
func (f *Family[P, S, V]) UnionBlob(s Sketch, blob []byte) error {
	return f.apply(blob, s.(S).Union)
}

// SubtractBlob subtracts the sketch of a BLOB, which must be part of s. If it is not, the error wraps
// sketch.ErrTooMany as far as counters show. A family that cannot subtract is an error that wraps
// sketch.ErrUnsupported, a sketch that cannot one that wraps sketch.ErrNotAdditive. Other errors are
// those of UnionBlob. An error changes nothing.
func (f *Family[P, S, V]) SubtractBlob(s Sketch, blob []byte) error {
	t, is := s.(subtracter[S])
	if !is {
		return fmt.Errorf("subtract from %s %s sketch: %w", f.Article, f.Name, sketch.ErrUnsupported)
	}
	return f.apply(blob, t.Subtract)
}

// apply calls change with the sketch of a BLOB, which it verifies.
func (f *Family[P, S, V]) apply(blob []byte, change func(other S) error) error {
	v := f.views.Get().(*V) // reused, because many small BLOBs may come
	defer func() {
		var none V // drop the view: it refers to the caller's memory
		*v = none
		f.views.Put(v)
	}()
	if err := f.open(v, blob); err != nil {
		return err
	}
	return change(f.spec.Sketch(v))
}

// words describes a BLOB in a few words, without reading its body.
func (f *Family[P, S, V]) words(blob []byte) (string, error) {
	v, err := f.spec.View(blob)
	if err != nil {
		return "", err
	}
	return f.spec.Words(&v), nil
}
