package keyed

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// Any is a family whose Params, Sketch and View are not known: a *Family. Its
// methods take sketches that it made; with another family's sketch they panic,
// which is a mistake in the program.
type Any interface {
	// About is what is known of families of any kind.
	About() sketch.Family
	// Noun is the family in a sentence: "Count-Min Sketch".
	Noun() string
	Summaries() Summaries
	Questions() []Question
	// Options are those of its Params, in the order of Settings.
	Options() []sketch.Option
	// Settings are Params to be set by options.
	Settings() Settings
	// ReadParams reads Params from JSON.
	ReadParams(text []byte) (params any, err error)
	// Forms are those of the Samples, so that code and tests for any family reach every form.
	Forms() []Form
	// Laws are what sketches of these parameters promise.
	Laws(params any) sketch.Laws

	// Empty is about what an empty sketch of Params takes, and the seed of its keys'
	// hashes; 0 bytes where Make fails or where the sketch is ByValue.
	Empty(params any) (bytes, seed uint64)
	// Make makes an empty sketch of Params, to be built at once.
	Make(params any) (Sketch, error)
	// Load makes a sketch from a BLOB.
	Load(blob []byte) (Sketch, error)
	// Clone is a copy.
	Clone(s Sketch) (Sketch, error)
	// Add counts ns[i] occurrences of the key (h1s[i], h2s[i]), or one of each
	// where ns is nil. Not for sketches ByValue.
	Add(s Sketch, h1s, h2s, ns []uint64) error
	// AddKey counts n occurrences of a key by its bytes (package key), RemoveKey
	// takes them away again.
	AddKey(s Sketch, key []byte, n uint64) error
	RemoveKey(s Sketch, key []byte, n uint64) error
	// Removes reports whether there is a RemoveKey, and the options, as SQL has
	// them, without which it is refused.
	Removes() (options string, is bool)
	// Unite takes from into s, and leaves it unchanged; UniteBlob the sketch of a
	// BLOB.
	Unite(s, from Sketch) error
	UniteBlob(s Sketch, blob []byte) error
	// Subtracts reports whether there is a Subtract, which takes the sketch of a
	// BLOB, part of s, away from it.
	Subtracts() bool
	Subtract(s Sketch, blob []byte) error

	// InfoFields name what a Reader's Info has.
	InfoFields() []InfoField
	// Reader is a Reader without a BLOB.
	Reader() Reader
}

// Reader answers from BLOBs, one after the other. Its memory is reused, so many
// small BLOBs cost no allocation.
type Reader interface {
	baseHolder
	// Open points the reader at a BLOB, of which it checks the structure. The
	// BLOB must stay as it is until Close or the next Open.
	Open(blob []byte) error
	Close()
	// HowOften and Whether write the answers of a question for many keys to dst,
	// OneOfAll is the answer for all keys.
	HowOften(question int, dst, h1s, h2s []uint64)
	Whether(question int, dst []bool, h1s, h2s []uint64)
	OneOfAll(question int) float64
	// Info appends the values of InfoFields.
	Info(dst []sketch.Value) []sketch.Value
}

// Settings are Params that options are set on.
type Settings interface {
	Reset()
	// Len is the number of Options.
	Len() int
	// Set sets option i of Options to a value that is not NULL.
	Set(i int, v sketch.Value) error
	// Params are the Params, with defaults: a value that compares with == and
	// costs an allocation only where they are others than the last.
	Params() any
}

// BaseOf returns what a sketch or a view has besides its counters.
func BaseOf(b baseHolder) *Base { return b.self() }

// ByValue reports whether a sketch needs the keys themselves and not only their
// hashes, as one that answers for ranges of keys or lists them does: it then has
// AddKey of its own, and RemoveKey where keys can be removed.
func ByValue(s Sketch) bool {
	v, ok := s.(valueSketch)
	return ok && v.ByValue()
}

type valueSketch interface {
	ByValue() bool
	AddKey(b []byte, n uint64) error
}

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
func (f *Family[P, S, V]) Questions() []Question {
	var qs []Question
	for _, a := range f.spec.Answers {
		qs = append(qs, a.Question)
	}
	return qs
}

// Options implements Any.
func (f *Family[P, S, V]) Options() []sketch.Option { return slices.Clip(f.options) }

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
	if f.spec.Empty != nil {
		return f.spec.Empty(params.(P))
	}
	s, err := f.gather(params.(P))
	if err != nil || ByValue(s) {
		return 0, 0
	}
	return uint64(s.Bytes()), s.self().seed
}

// Make implements Any.
func (f *Family[P, S, V]) Make(params any) (Sketch, error) {
	s, err := f.gather(params.(P))
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (f *Family[P, S, V]) gather(p P) (S, error) {
	if f.spec.Gather != nil {
		return f.spec.Gather(p)
	}
	return f.spec.New(p)
}

// Load implements Any.
func (f *Family[P, S, V]) Load(blob []byte) (Sketch, error) {
	s, err := f.Decode(blob)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Clone implements Any. A sketch that, while it is built, knows more than its
// BLOB has its own Clone.
func (f *Family[P, S, V]) Clone(s Sketch) (Sketch, error) {
	if c, ok := s.(interface{ Clone() S }); ok {
		return c.Clone(), nil
	}
	return f.Load(s.Blob())
}

// Add implements Any.
func (f *Family[P, S, V]) Add(s Sketch, h1s, h2s, ns []uint64) error {
	if f.spec.Add == nil {
		return fmt.Errorf("add hashes to %s %s sketch, which keeps keys: %w", f.Article, f.Name, sketch.ErrUnsupported)
	}
	return f.spec.Add(s.(S), h1s, h2s, ns)
}

// AddKey implements Any.
func (f *Family[P, S, V]) AddKey(s Sketch, b []byte, n uint64) error {
	if ByValue(s) {
		return s.(valueSketch).AddKey(b, n)
	}
	k := ones.Get().(*singleKey)
	defer ones.Put(k)
	k.h1[0], k.h2[0] = key.Hash(s.self().seed, b)
	k.n[0] = n
	return f.Add(s, k.h1[:], k.h2[:], k.n[:])
}

// singleKey holds one key for functions that take many.
type singleKey struct{ h1, h2, n [1]uint64 }

var ones = sync.Pool{New: func() any { return new(singleKey) }}

// Removes implements Any.
func (f *Family[P, S, V]) Removes() (options string, is bool) {
	return f.spec.RemoveFrom, f.spec.Remove != nil
}

// RemoveKey implements Any.
func (f *Family[P, S, V]) RemoveKey(s Sketch, b []byte, n uint64) error {
	switch {
	case f.spec.Remove == nil:
		return fmt.Errorf("remove from %s %s sketch: %w", f.Article, f.Name, sketch.ErrUnsupported)
	case ByValue(s):
		return s.(interface {
			RemoveKey(b []byte, n uint64) error
		}).RemoveKey(b, n)
	}
	h1, h2 := key.Hash(s.self().seed, b)
	return f.spec.Remove(s.(S), h1, h2, n)
}

// Unite implements Any.
func (f *Family[P, S, V]) Unite(s, from Sketch) error { return s.(S).Union(from.(S)) }

// UniteBlob implements Any.
func (f *Family[P, S, V]) UniteBlob(s Sketch, blob []byte) error { return f.UnionBlob(s.(S), blob) }

// Subtracts implements Any.
func (f *Family[P, S, V]) Subtracts() bool { return f.spec.Subtract != nil }

// Subtract implements Any.
func (f *Family[P, S, V]) Subtract(s Sketch, blob []byte) error { return f.SubtractBlob(s.(S), blob) }

// InfoFields implements Any.
func (f *Family[P, S, V]) InfoFields() []InfoField {
	own := f.spec.Info.fields
	return append(own[:len(own):len(own)], common...)
}

// Settings implements Any.
func (f *Family[P, S, V]) Settings() Settings {
	return &settings[P]{options: f.spec.Options, defaults: f.spec.Defaults}
}

type settings[P comparable] struct {
	options  Options[P]
	defaults func(*P)
	p        P
	last     any // a P
}

func (s *settings[P]) Reset() {
	var none P
	s.p = none
}

func (s *settings[P]) Len() int { return len(s.options) }

func (s *settings[P]) Set(i int, v sketch.Value) error { return s.options[i].Set(&s.p, v) }

func (s *settings[P]) Params() any {
	if s.defaults != nil {
		s.defaults(&s.p)
	}
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

type reader[P comparable, S Mergeable[S], V any] struct {
	f    *Family[P, S, V]
	v    V
	base *Base // of v
	blob []byte
}

func (r *reader[P, S, V]) self() *Base { return r.base }

func (r *reader[P, S, V]) Open(blob []byte) (err error) {
	r.blob = blob
	r.v, err = r.f.spec.View(blob)
	return err
}

func (r *reader[P, S, V]) Close() {
	var none V
	r.v, r.blob = none, nil
}

func (r *reader[P, S, V]) HowOften(q int, dst, h1s, h2s []uint64) {
	r.f.spec.Answers[q].countsOfView(&r.v, dst, h1s, h2s)
}

func (r *reader[P, S, V]) Whether(q int, dst []bool, h1s, h2s []uint64) {
	r.f.spec.Answers[q].findsOfView(&r.v, dst, h1s, h2s)
}

func (r *reader[P, S, V]) OneOfAll(q int) float64 { return r.f.spec.Answers[q].numberOfView(&r.v) }

func (r *reader[P, S, V]) Info(dst []sketch.Value) []sketch.Value {
	return appendCommon(r.f.spec.Info.append(dst, &r.v), r.base, len(r.blob))
}
