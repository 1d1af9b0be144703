package agg

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unicode"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// KeyedSketch is what the functions of a family of keyed sketches need of its
// Sketch in memory.
type KeyedSketch[S any] interface {
	comparable
	Seed() uint64
	KeyClass() key.Class
	SetKeyClass(key.Class) error
	Bytes() int // memory now
	Union(S) error
	UnionBlob([]byte) error
	Blob() []byte
}

// ValueSketch is a sketch that may need the keys themselves and not only their
// hashes, as one that answers for ranges of keys does.
type ValueSketch interface {
	ByValue() bool
	AddKey(b []byte, n uint64) error
	RemoveKey(b []byte, n uint64) error
}

// ByValue is a sketch that takes keys by their bytes; nil for others.
func ByValue(s any) ValueSketch {
	if v, ok := s.(ValueSketch); ok && v.ByValue() {
		return v
	}
	return nil
}

// Keyed describes a family of keyed sketches, whose Params are P and whose
// Sketch is S, to what all such families share: the aggregates X_agg and
// X_union_agg here, and the scalar functions of package udf.
type Keyed[P comparable, S KeyedSketch[S]] struct {
	Name     string       // X
	Settings []Setting[P] // the options of X_agg and X_empty; X_agg has weight too
	// Defaults, if there is one, gives fields that no option set the value that
	// New would take, so that a default that is spelt out is no difference.
	Defaults func(*P)
	New      func(P) (S, error)
	Decode   func(blob []byte) (S, error)
	// Add counts occurrences of many keys: ns[i] of the key (h1s[i], h2s[i]),
	// or one of each where ns is nil.
	Add func(s S, h1s, h2s, ns []uint64) error
}

// unfailing is the Add of a sketch that always has room.
func unfailing[S any](add func(s S, h1s, h2s, ns []uint64)) func(s S, h1s, h2s, ns []uint64) error {
	return func(s S, h1s, h2s, ns []uint64) error {
		add(s, h1s, h2s, ns)
		return nil
	}
}

// Options are those of X_empty: all but the weight.
func (k *Keyed[P, S]) Options() []args.Option {
	options := make([]args.Option, len(k.Settings))
	for i, s := range k.Settings {
		options[i] = s.Option
	}
	return options
}

// Params are the parameters that a row's options ask for. o has the options of
// X_empty or of X_agg.
func (k *Keyed[P, S]) Params(o *args.Options, row int) (p P, err error) {
	for i, s := range k.Settings {
		if !o.Given(i, row) {
			continue
		}
		if err := s.set(&p, o, i, row); err != nil {
			return p, err
		}
	}
	if k.Defaults != nil {
		k.Defaults(&p)
	}
	return p, nil
}

// aggregates describes X_agg and X_union_agg.
func (k *Keyed[P, S]) aggregates(summary, example, unionSummary, unionExample string) []duck.Function {
	b := &keyedBlocks[P, S]{Keyed: k}
	b.merging = merging[*keyedBlock[P, S]]{
		size:  256,
		fresh: func(l *duck.Lease) *keyedBlock[P, S] { return &keyedBlock[P, S]{lease: l} },
		merge: b.merge,
		blob:  func(t *keyedBlock[P, S], _ []byte) ([]byte, error) { return t.s.Blob(), nil },
		cost:  func(t *keyedBlock[P, S]) int64 { return 2 * t.bytes }, // the BLOB, and what is put in order for it
	}
	build := &keyedAgg[P, S]{
		keyedBlocks: b, options: append(k.Options(), Weight),
		chunks: sync.Pool{New: func() any { return new(keyedChunk[P]) }},
	}
	return []duck.Function{
		{
			Name: k.Name + "_agg", Group: k.Name, Summary: summary, Example: example,
			Overloads: []duck.Overload{
				{Params: []duck.Param{{Name: "key", Type: duck.Any}}, Returns: duck.Blob, Aggregate: build},
				{Params: []duck.Param{{Name: "key", Type: duck.Any}, {Name: "options", Type: duck.Any}}, Returns: duck.Blob, Aggregate: build},
			},
		},
		overBlobs(k.Name+"_union_agg", k.Name, unionSummary, unionExample, &ofBlobs[*keyedBlock[P, S]]{b.merging, b.addBlob}),
	}
}

// keyedBlock is a group's sketch, none until the first key or sketch says what
// it is to be.
type keyedBlock[P comparable, S KeyedSketch[S]] struct {
	lease  *duck.Lease
	params P
	s      S
	bytes  int64 // charged for s
}

// charge brings the lease up to what the sketch takes.
func (t *keyedBlock[P, S]) charge() error {
	now := int64(t.s.Bytes())
	if now == t.bytes {
		return nil
	}
	if err := t.lease.Grow(now - t.bytes); err != nil {
		return err
	}
	t.bytes = now
	return nil
}

// keyedBlocks is what the aggregates of a family share.
type keyedBlocks[P comparable, S KeyedSketch[S]] struct {
	*Keyed[P, S]
	merging[*keyedBlock[P, S]]
}

func (a *keyedBlocks[P, S]) addBlob(t *keyedBlock[P, S], blob []byte) error {
	var none S
	if t.s != none {
		if err := t.s.UnionBlob(blob); err != nil {
			return err
		}
		return t.charge()
	}
	// A sketch in memory is about as large as its BLOB, or larger.
	if err := t.lease.Grow(int64(len(blob))); err != nil {
		return err
	}
	t.bytes = int64(len(blob))
	s, err := a.Decode(blob)
	if err != nil {
		return err
	}
	t.s = s
	return t.charge()
}

// cloner is a sketch that, while it is built, knows more than its BLOB has.
type cloner[S any] interface{ Clone() S }

func (a *keyedBlocks[P, S]) merge(t, from *keyedBlock[P, S]) error {
	var none S
	if from.s == none {
		return nil
	}
	if t.s == none {
		t.params = from.params
		if c, ok := any(from.s).(cloner[S]); ok {
			if err := t.lease.Grow(from.bytes); err != nil {
				return err
			}
			t.bytes, t.s = from.bytes, c.Clone()
			return t.charge()
		}
		if err := t.lease.Grow(from.bytes); err != nil { // for the BLOB
			return err
		}
		if err := a.addBlob(t, from.s.Blob()); err != nil {
			return err
		}
		return t.lease.Grow(-from.bytes)
	}
	if err := t.s.Union(from.s); err != nil {
		return err
	}
	return t.charge()
}

// keyedAgg is X_agg.
type keyedAgg[P comparable, S KeyedSketch[S]] struct {
	*keyedBlocks[P, S]
	options []args.Option
	chunks  sync.Pool
}

// keyedChunk is what Update needs beside its arguments.
type keyedChunk[P comparable] struct {
	options args.Options
	keys    args.Keys
	given   *duck.Vector // the column of options
	weight  int          // index of the option
	uniform bool         // every row has the parameters of the first
	params  P
	known   bool // params is set

	h1s, h2s, ns []uint64 // of a run of rows
}

// Options are those of X_agg, for the reference.
func (a *keyedAgg[P, S]) Options() []args.Option { return a.options }

func (a *keyedAgg[P, S]) Update(rows *duck.Rows, states duck.States) error {
	c := a.chunks.Get().(*keyedChunk[P])
	defer a.chunks.Put(c)
	c.given, c.known, c.weight = nil, false, len(a.options)-1
	if rows.NumCols() > 1 {
		c.given = rows.Col(1)
	}
	if err := c.options.Reset(c.given, a.options); err != nil {
		return err
	}
	if states.Single() || rows.Len() == 1 {
		if err := c.options.CheckParts(states.At(0)); err != nil {
			return err
		}
	}
	if err := c.keys.Reset(rows.Col(0)); err != nil {
		return err
	}
	c.uniform = c.options.Uniform()
	if states.Single() {
		return a.run(c, states.At(0), 0, rows.Len())
	}
	// Rows of one group that follow each other are taken at once: all of them
	// where there is no GROUP BY.
	all := states.Slice()
	for i := 0; i < len(all); {
		from := i
		for i++; i < len(all) && all[i] == all[from]; i++ {
		}
		if err := a.run(c, all[from], from, i); err != nil {
			return err
		}
	}
	return nil
}

// skip reports whether row i has no key, or NULL for its weight.
func (c *keyedChunk[P]) skip(i int) bool {
	return !c.keys.Valid(i) || c.options.Has(c.weight) && c.given.Valid(i) && !c.options.Given(c.weight, i)
}

// run counts the keys of rows from..to-1, all of one group.
func (a *keyedAgg[P, S]) run(c *keyedChunk[P], state *duck.State, from, to int) error {
	var t *keyedBlock[P, S]
	var value ValueSketch
	c.h1s, c.h2s, c.ns = c.h1s[:0], c.h2s[:0], c.ns[:0]
	weighted := c.options.Has(c.weight)
	for i := from; i < to; i++ {
		if c.skip(i) {
			continue
		}
		if t == nil || !c.uniform {
			var err error
			if t, err = a.block(c, state, i); err != nil {
				return err
			}
			value = ByValue(t.s)
		}
		n, err := c.options.Count(c.weight, i, 1)
		if err != nil {
			return err
		}
		if value != nil {
			if err := c.addValue(value, i, t.s.KeyClass(), n); err != nil {
				return err
			}
			continue
		}
		h1, h2, err := c.keys.Hash(i, t.s.KeyClass(), t.s.Seed())
		if err != nil {
			return err
		}
		c.h1s, c.h2s = append(c.h1s, h1), append(c.h2s, h2)
		if weighted {
			c.ns = append(c.ns, n)
		}
	}
	if t == nil {
		return nil
	}
	if len(c.h1s) > 0 { // none where keys were taken by value
		ns := c.ns
		if !weighted {
			ns = nil
		}
		if err := a.Add(t.s, c.h1s, c.h2s, ns); err != nil {
			return err
		}
	}
	return t.charge()
}

func (c *keyedChunk[P]) addValue(s ValueSketch, i int, class key.Class, n uint64) error {
	b, err := c.keys.Bytes(i, class)
	if err != nil {
		return err
	}
	return s.AddKey(b, n)
}

// block is the sketch of a group, which row i's options must agree with.
func (a *keyedAgg[P, S]) block(c *keyedChunk[P], state *duck.State, i int) (*keyedBlock[P, S], error) {
	if !c.known || !c.uniform {
		p, err := a.Params(&c.options, i)
		if err != nil {
			return nil, err
		}
		c.params, c.known = p, true
	}
	t, err := a.of(state)
	if err != nil {
		return nil, err
	}
	var none S
	if t.s != none {
		if t.params != c.params {
			return nil, differingParams(t.params, c.params)
		}
		return t, nil
	}
	s, err := a.New(c.params)
	if err != nil {
		return nil, err
	}
	if err := s.SetKeyClass(c.keys.Class); err != nil {
		return nil, err
	}
	t.s, t.params = s, c.params
	return t, t.charge()
}

// differingParams is the error for two sets of parameters in one group. It
// names the first field that differs as the option that sets it.
func differingParams(a, b any) error {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		name := x.Type().Field(i).Name
		// A number that no option set is 0, which only a seed can be.
		value := func(v reflect.Value) any {
			if v.IsZero() && (v.CanFloat() || v.Kind() == reflect.Uint64) && name != "Seed" {
				return "none"
			}
			return v.Interface()
		}
		if p, q := x.Field(i), y.Field(i); p.Interface() != q.Interface() {
			return fmt.Errorf("options differ within a group: %s %v vs %v", snake(name), value(p), value(q))
		}
	}
	return nil
}

// snake is the name of an option for the name of a field: counter_bits for
// CounterBits, fpp for FPP.
func snake(name string) string {
	var b strings.Builder
	lower := false // the letter before is
	for _, r := range name {
		if unicode.IsUpper(r) && lower {
			b.WriteByte('_')
		}
		lower = !unicode.IsUpper(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
