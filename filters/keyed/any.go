package keyed

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Any is a *Family whose Params, Sketch and View are not known. Its methods take sketches that it made.
// With another family's sketch they panic, which is a mistake in the program.
type Any interface {
	// About returns what is known of families of any kind.
	About() sketch.Family
	// Noun returns the family's name in a sentence: "Count-Min Sketch".
	Noun() string
	Summaries() Summaries
	Questions() []Question
	// Options returns the options that set its Params, in the order of Settings.
	Options() []sketch.Option
	// Settings returns Params that options can set.
	Settings() Settings
	// ReadParams reads Params from JSON.
	ReadParams(text []byte) (params any, err error)
	// Forms returns the samples of the Spec, so that code and tests for any family reach every form.
	Forms() []Sample
	// Laws returns the promises of sketches of these parameters.
	Laws(params any) sketch.Laws

	// Empty returns about how many bytes an empty sketch of Params takes, and the seed of its keys'
	// hashes. It returns 0 bytes if Make fails or the sketch is ByValue.
	Empty(params any) (bytes, seed uint64)
	// Make makes an empty sketch of Params that is built once and then encoded.
	Make(params any) (Sketch, error)
	// Load makes a sketch from a BLOB.
	Load(blob []byte) (Sketch, error)
	// Clone returns a copy.
	Clone(s Sketch) Sketch
	// Add counts ns[i] occurrences of the key (h1s[i], h2s[i]), or one of each if ns is nil. Do
	// not call it for sketches that are ByValue: it returns an error or panics.
	Add(s Sketch, h1s, h2s, ns []uint64) error
	// AddKey counts n occurrences of a key by its bytes (package key). RemoveKey subtracts them again.
	AddKey(s Sketch, key []byte, n uint64) error
	RemoveKey(s Sketch, key []byte, n uint64) error
	// Removes reports whether keys can be removed, and the options, as SQL writes them, without which a
	// removal is refused.
	Removes() (options string, is bool)
	// Unite adds from, which is unchanged, to s. UnionBlob adds the sketch of a BLOB.
	Unite(s, from Sketch) error
	UnionBlob(s Sketch, blob []byte) error
	// Subtracts reports whether sketches can be subtracted. SubtractBlob subtracts the sketch of a BLOB,
	// which must be part of s.
	Subtracts() bool
	SubtractBlob(s Sketch, blob []byte) error

	// InfoFields returns the names of the values that a Reader's Info returns.
	InfoFields() []InfoField
	// Reader returns a Reader without a BLOB.
	Reader() Reader
}

// Reader answers queries from BLOBs, one after the other. It reuses its memory, so many small BLOBs
// cost no allocation.
type Reader interface {
	baseHolder
	// Open points the reader at a BLOB and checks its structure. The BLOB must stay unchanged while it is
	// read.
	Open(blob []byte) error
	// CountHashes and ContainsHashes answer the family's question of their kind. They panic if it has
	// none.
	counter
	container
	// Info appends the values of InfoFields.
	Info(dst []sketch.Value) []sketch.Value
	// Rows returns the bits, counters or fingerprints. It has the errors of Listable.
	Rows() ([][]uint64, error)
}

// Settings holds Params and sets options on them.
type Settings interface {
	Reset()
	// Len returns the number of Options.
	Len() int
	// Set sets option i of Options to a value that is not NULL.
	Set(i int, v sketch.Value) error
	// Params returns the Params, with defaults: a value that can be compared with ==. It allocates only
	// if they differ from the last ones.
	Params() any
}

// BaseOf returns the Base of a sketch or a view.
func BaseOf(b baseHolder) *Base { return b.self() }

// ByValue reports whether a sketch needs the keys themselves and not only their hashes, as for ranges
// or lists of keys.
func ByValue(s Sketch) bool {
	v, ok := s.(valueSketch)
	return ok && v.ByValue()
}

// valueSketch is a sketch that may need keys and not only their hashes.
type valueSketch interface{ ByValue() bool }

// About implements Any.
func (f *Family[P, S, V]) About() sketch.Family { return f.Family }

// Noun implements Any.
func (f *Family[P, S, V]) Noun() string { return f.spec.Noun }

// Summaries implements Any.
func (f *Family[P, S, V]) Summaries() Summaries {
	s := f.spec.Summaries
	if s.Union == "" {
		s.Union = "Union of sketches: the sketch of all their keys."
	}
	s.Subtract = "Returns a without the occurrences of b, which must be part of a. This removes many keys at once. " +
		"It is an error if b is found not to be part of a. If that goes unnoticed, answers for other keys can be too low." + s.Subtract
	return s
}

// Questions implements Any.
func (f *Family[P, S, V]) Questions() []Question { return slices.Clip(f.spec.Questions) }

// Options implements Any.
func (f *Family[P, S, V]) Options() []sketch.Option { return f.spec.Options.Plain() }

// Laws implements Any.
func (f *Family[P, S, V]) Laws(params any) sketch.Laws { return f.spec.Laws(params.(P)) }

// ReadParams implements Any.
func (f *Family[P, S, V]) ReadParams(text []byte) (any, error) {
	var p P
	err := json.Unmarshal(text, &p)
	return p, err
}

// Empty implements Any.
func (f *Family[P, S, V]) Empty(params any) (bytes, seed uint64) {
	if f.spec.Empty == nil {
		return 0, 0
	}
	bytes, seed, err := f.spec.Empty(params.(P))
	if err != nil {
		return 0, 0
	}
	return bytes, seed
}

// Make implements Any.
func (f *Family[P, S, V]) Make(params any) (Sketch, error) { return f.Gather(params.(P)) }

// Load implements Any.
func (f *Family[P, S, V]) Load(blob []byte) (Sketch, error) { return f.Decode(blob) }

// Clone implements Any.
func (f *Family[P, S, V]) Clone(s Sketch) Sketch { return s.(S).Clone() }

// Add implements Any.
func (f *Family[P, S, V]) Add(s Sketch, h1s, h2s, ns []uint64) error {
	switch s := s.(type) {
	case hashAdder:
		s.AddHashes(h1s, h2s, ns)
		return nil
	case hashFiller:
		return s.AddHashes(h1s, h2s, ns)
	}
	return fmt.Errorf("add hashes to %s %s sketch, which keeps keys: %w", f.Article, f.Name, sketch.ErrUnsupported)
}

// AddKey implements Any.
func (f *Family[P, S, V]) AddKey(s Sketch, b []byte, n uint64) error {
	if s, is := s.(keyAdder); is {
		s.AddKey(b, n)
		return nil
	}
	return s.(keyFiller).AddKey(b, n)
}

// Removes implements Any.
func (f *Family[P, S, V]) Removes() (options string, is bool) {
	var none S
	_, is = any(none).(keyRemover)
	return f.spec.RemoveFrom, is
}

// RemoveKey implements Any.
func (f *Family[P, S, V]) RemoveKey(s Sketch, b []byte, n uint64) error {
	if s, is := s.(keyRemover); is {
		return s.RemoveKey(b, n)
	}
	return fmt.Errorf("remove from %s %s sketch: %w", f.Article, f.Name, sketch.ErrUnsupported)
}

// Unite implements Any.
func (f *Family[P, S, V]) Unite(s, from Sketch) error { return s.(S).Union(from.(S)) }

// Subtracts implements Any.
func (f *Family[P, S, V]) Subtracts() bool {
	var none S
	_, is := any(none).(subtracter[S])
	return is
}

// InfoFields implements Any.
func (f *Family[P, S, V]) InfoFields() []InfoField {
	return slices.Concat(f.spec.Info.Fields, common.Fields)
}

// Settings implements Any.
func (f *Family[P, S, V]) Settings() Settings {
	return &settings[P]{options: f.spec.Options, defaults: f.spec.Defaults}
}

// settings implements Settings for the Params P.
type settings[P comparable] struct {
	options  Options[P]
	defaults func(*P)
	p        P
	last     any // the P that Params returned last
}

func (s *settings[P]) Reset() {
	var none P
	s.p = none
}

func (s *settings[P]) Len() int { return len(s.options) }

func (s *settings[P]) Set(i int, v sketch.Value) error { return s.options[i].Set(&s.p, v) }

func (s *settings[P]) Params() any {
	s.defaults(&s.p)
	if last, ok := s.last.(P); !ok || last != s.p {
		s.last = s.p
	}
	return s.last
}

// Reader implements Any.
func (f *Family[P, S, V]) Reader() Reader {
	r := &reader[P, S, V]{f: f}
	r.base = any(&r.v).(baseHolder).self()
	return r
}

// reader implements Reader for the family f.
type reader[P comparable, S Mergeable[S], V any] struct {
	f    *Family[P, S, V]
	v    V
	base *Base // the Base of v
}

func (r *reader[P, S, V]) self() *Base { return r.base }

func (r *reader[P, S, V]) Open(blob []byte) (err error) {
	r.v, err = r.f.spec.View(blob)
	return err
}

func (r *reader[P, S, V]) CountHashes(dst, h1s, h2s []uint64) {
	any(&r.v).(counter).CountHashes(dst, h1s, h2s)
}

func (r *reader[P, S, V]) ContainsHashes(dst []bool, h1s, h2s []uint64) {
	any(&r.v).(container).ContainsHashes(dst, h1s, h2s)
}

func (r *reader[P, S, V]) Info(dst []sketch.Value) []sketch.Value {
	return common.Append(r.f.spec.Info.Append(dst, &r.v), r.base)
}

func (r *reader[P, S, V]) Rows() ([][]uint64, error) { return r.f.spec.Rows(&r.v) }
