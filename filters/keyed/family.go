package keyed

import (
	"fmt"
	"strings"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Sketch is a sketch in memory, of whatever family. It embeds Base.
//
// It may also have these methods, which the kit uses where they are there:
//
//   - Clone() S, where a copy by Blob and Decode would be slower or know less;
//   - AppendBlob(dst []byte) []byte, which spares the copy of Blob;
//   - Later and Finish, of the interface Later, where many keys together are faster;
//   - ByValue() bool and AddKey, where keys are needed and not only hashes; RemoveKey, where they
//     can be removed.
//
// Users find these on all families too, by one-line methods over the kit's: those of encoding,
// database/sql, JSON and fmt, and AddString, AddUint64, AddTime and the like.
type Sketch interface {
	baseHolder
	// Bytes is the memory that it takes now.
	Bytes() int
	// Blob encodes the sketch and leaves it unchanged.
	Blob() []byte
	// Reset takes away all keys of a sketch to which keys were added and nothing else was
	// done: it is what Make made. An aggregate uses the memory again for its next group.
	Reset()
}

// baseHolder is a sketch that embeds a Base.
type baseHolder interface{ self() *Base }

// Mergeable is a family's own Sketch, a pointer.
type Mergeable[S any] interface {
	comparable
	Sketch
	// Union takes other in, which is left unchanged, or is an error that wraps
	// sketch.ErrDiffer and changes nothing.
	Union(other S) error
}

// Spec describes a family: its Params are P, its Sketch is S and its View V.
// Optional fields say so.
type Spec[P comparable, S Mergeable[S], V any] struct {
	ID            sketch.ID
	Name, Article string // the prefix of its functions in SQL, and "a" or "an"
	Noun          string // in sentences: "Count-Min Sketch"
	// Title and About head its functions in the documentation.
	Title, About string
	Summaries    Summaries

	// Params of a sketch and what makes one.
	Options Options[P]
	// Defaults, if there is one, gives fields that are 0 the value that New
	// would take, so that a default that is spelt out is no difference.
	Defaults func(p *P)
	New      func(p P) (S, error)
	// Gather, where it is not nil, is New for a sketch that is built at once.
	Gather func(p P) (S, error)

	// Empty, if there is one, is what an empty sketch takes, and the seed of its keys'
	// hashes; 0 bytes where New fails or the sketch is ByValue. Without it the kit makes
	// a sketch to know, for every group whose parameters are others.
	Empty func(p P) (bytes, seed uint64)

	// Add counts ns[i] occurrences of the key (h1s[i], h2s[i]), or one of each
	// where ns is nil; nil where every sketch is ByValue. Remove takes n away again; nil where nothing can be.
	// RemoveFrom are the options, as SQL has them, without which it is refused.
	Add        func(s S, h1s, h2s, ns []uint64) error
	Remove     func(s S, h1, h2, n uint64) error
	RemoveFrom string

	// View checks a BLOB's structure; Check, if there is one, all of its body,
	// after the checksum was found right. Copy is the sketch in memory of a view
	// that was checked.
	View  func(blob []byte) (V, error)
	Check func(v *V) error
	Copy  func(v *V) (S, error)
	// Agree says whether a view can be united with a sketch, Unite does it and
	// is an error only where it changed nothing.
	Agree func(s S, v *V) error
	Unite func(s S, v *V) error
	// Subtract takes the occurrences of a view away from a sketch with which it
	// agrees, many keys at once; nil where nothing can be, or where the sketch of
	// some keys does not say enough of them. What is not part of the sketch is an
	// error that wraps sketch.ErrTooMany, as far as counters tell, and an error
	// changes nothing. RemoveFrom holds for it too.
	Subtract func(s S, v *V) error

	// Answers are the questions that it answers, the most important first.
	Answers []Answer[S, V]
	Info    Info[V]
	// Words say in a few words what a view is: "for 100,000 keys".
	Words func(v *V) string

	// Laws are what sketches of these parameters promise.
	Laws func(p P) sketch.Laws
	// Samples are small sketches of every form. The tests of all families take their
	// parameters and options from here.
	Samples []Sample[P, S]
}

// Summaries are the documentation of the functions that all families have, in one
// line each. Union has a default; Subtract is appended to its default. InfoField
// is the field that the example of Info shows, the first if it is empty.
type Summaries struct{ Agg, Union, Remove, Subtract, Info, InfoField string }

// Answer is a question about keys, or about all of them, that a family answers
// from a Sketch and from a View.
type Answer[S, V any] struct {
	Question
	counts       func(s S, dst, h1s, h2s []uint64)
	countsOfView func(v *V, dst, h1s, h2s []uint64)
	finds        func(s S, dst []bool, h1s, h2s []uint64)
	findsOfView  func(v *V, dst []bool, h1s, h2s []uint64)
	number       func(s S) float64
	numberOfView func(v *V) float64
}

// Question is an answer's function in SQL: its name after the prefix, its
// summary in one line, and options without which its example would show
// nothing.
type Question struct {
	Verb, Summary, Options string
	Kind                   QuestionKind
}

// QuestionKind is what is asked and answered.
type QuestionKind uint8

// The kinds of questions.
const (
	HowOften QuestionKind = iota // of a key: a whole number
	Whether                      // of a key: yes or no
	OneOfAll                     // of all keys: one number
)

// HowOftenIs answers how often a key occurred. Answers are written to dst, which
// is as long as h1s and h2s.
func HowOftenIs[S, V any](verb, summary string, ofSketch func(s S, dst, h1s, h2s []uint64), ofView func(v *V, dst, h1s, h2s []uint64)) Answer[S, V] {
	return Answer[S, V]{Question: Question{Verb: verb, Summary: summary, Kind: HowOften}, counts: ofSketch, countsOfView: ofView}
}

// WhetherThereIs answers whether a key may be there.
func WhetherThereIs[S, V any](verb, summary string, ofSketch func(s S, dst []bool, h1s, h2s []uint64), ofView func(v *V, dst []bool, h1s, h2s []uint64)) Answer[S, V] {
	return Answer[S, V]{Question: Question{Verb: verb, Summary: summary, Kind: Whether}, finds: ofSketch, findsOfView: ofView}
}

// OneNumber answers for all keys together, as an estimate of their number does.
func OneNumber[S, V any](verb, summary string, ofSketch func(s S) float64, ofView func(v *V) float64) Answer[S, V] {
	return Answer[S, V]{Question: Question{Verb: verb, Summary: summary, Kind: OneOfAll}, number: ofSketch, numberOfView: ofView}
}

// With is the answer with options for its example: "{duplicates: true}".
func (a Answer[S, V]) With(options string) Answer[S, V] {
	a.Options = options
	return a
}

// Unfailing is the Add of a sketch that always has room.
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

// lacks names the fields that must be there and are not.
func (spec *Spec[P, S, V]) lacks() (names []string) {
	var none S
	_, takesKeys := any(none).(valueSketch)
	for _, field := range []struct {
		name  string
		there bool
	}{
		{"ID", spec.ID != 0}, {"Name", spec.Name != ""}, {"Article", spec.Article != ""}, {"Noun", spec.Noun != ""},
		{"Title", spec.Title != ""}, {"About", spec.About != ""},
		{"Summaries.Agg", spec.Summaries.Agg != ""}, {"Summaries.Info", spec.Summaries.Info != ""},
		{"Summaries.Remove", spec.Summaries.Remove != "" || spec.Remove == nil},
		{"Options", len(spec.Options) > 0}, {"New", spec.New != nil}, {"Add", spec.Add != nil || takesKeys},
		{"View", spec.View != nil}, {"Copy", spec.Copy != nil}, {"Agree", spec.Agree != nil}, {"Unite", spec.Unite != nil},
		{"Answers", len(spec.Answers) > 0}, {"Info", spec.Info.append != nil}, {"Words", spec.Words != nil},
		{"Laws", spec.Laws != nil}, {"Samples", len(spec.Samples) > 0},
	} {
		if !field.there {
			names = append(names, field.name)
		}
	}
	return names
}

// Define makes the family of a Spec. It panics if the Spec is incomplete, or if the
// number or the name is another family's: mistakes in the program.
func Define[P comparable, S Mergeable[S], V any](spec Spec[P, S, V]) *Family[P, S, V] {
	if names := spec.lacks(); len(names) > 0 {
		panic(fmt.Sprintf("keyed.Define: the Spec of family %d %q has no %s", uint8(spec.ID), spec.Name, strings.Join(names, ", ")))
	}
	f := &Family[P, S, V]{spec: spec, views: sync.Pool{New: func() any { return new(V) }}}
	f.Family = sketch.Define(sketch.Family{
		ID: spec.ID, Name: spec.Name, Article: spec.Article, Title: spec.Title, About: spec.About,
		Check: f.Check, Describe: f.words, Samples: f.samples,
	})
	for _, o := range spec.Options {
		f.options = append(f.options, o.Option)
	}
	return f
}

// Check is nil for a BLOB that every function of the family accepts:
// structure, ranges, checksum, and the body in its only form. O(len(blob)).
func (f *Family[P, S, V]) Check(blob []byte) error {
	_, err := f.Verified(blob)
	return err
}

// Verified is the view of a BLOB that Check accepts.
func (f *Family[P, S, V]) Verified(blob []byte) (V, error) {
	v, err := f.spec.View(blob)
	if err == nil {
		err = f.check(blob, &v)
	}
	return v, err
}

func (f *Family[P, S, V]) check(blob []byte, v *V) error {
	if err := sketch.Verify(blob); err != nil {
		return err
	}
	if f.spec.Check == nil {
		return nil
	}
	return f.spec.Check(v)
}

// Decode makes a sketch from a BLOB, which it does not change: a bad BLOB is an
// error that wraps sketch.ErrInvalid.
func (f *Family[P, S, V]) Decode(blob []byte) (S, error) {
	v, err := f.Verified(blob)
	if err != nil {
		var none S
		return none, err
	}
	return f.spec.Copy(&v)
}

// UnionBlob unites s with the sketch of a BLOB, without a copy of it. The
// checksum is verified; a bad BLOB is an error that wraps sketch.ErrInvalid,
// one with different parameters an error that wraps sketch.ErrDiffer. An error
// changes nothing.
func (f *Family[P, S, V]) UnionBlob(s S, blob []byte) error {
	return f.apply(s, blob, f.spec.Unite)
}

// SubtractBlob subtracts the occurrences of the sketch of a BLOB, which must be part
// of s. If it is not, the error wraps sketch.ErrTooMany as far as counters tell; if
// nothing can be subtracted from a family, it wraps sketch.ErrUnsupported, and from a sketch
// sketch.ErrNotAdditive; other errors are those of UnionBlob. An error changes
// nothing.
func (f *Family[P, S, V]) SubtractBlob(s S, blob []byte) error {
	if f.spec.Subtract == nil {
		return fmt.Errorf("subtract from %s %s sketch: %w", f.Article, f.Name, sketch.ErrUnsupported)
	}
	return f.apply(s, blob, f.spec.Subtract)
}

// apply changes s by a BLOB that agrees with it and is verified.
func (f *Family[P, S, V]) apply(s S, blob []byte, change func(s S, v *V) error) (err error) {
	v := f.views.Get().(*V) // many BLOBs may be small
	defer func() {
		var none V // its memory is the caller's
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

func (f *Family[P, S, V]) words(blob []byte) (string, error) {
	v, err := f.spec.View(blob)
	if err != nil {
		return "", err
	}
	return f.spec.Words(&v), nil
}
