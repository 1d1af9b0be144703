package agg

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unicode"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Keyed describes X_agg and X_union_agg of a family.
func Keyed(f keyed.Any) functions {
	name, about := f.About().Name, f.Summaries()
	b := &keyedBlocks{family: f}
	b.merging = merging[*keyedBlock]{
		size:  256,
		fresh: func(l *duck.Lease) *keyedBlock { return &keyedBlock{lease: l} },
		merge: b.merge,
		blob:  func(t *keyedBlock, _ []byte) ([]byte, error) { return t.s.Blob(), nil },
		cost:  func(t *keyedBlock) int64 { return 2 * t.bytes }, // the BLOB, and what is put in order for it
	}
	options := f.Options()
	build := &keyedAgg{
		keyedBlocks: b, options: append(options[:len(options):len(options)], keyed.Weight),
		chunks: sync.Pool{New: func() any { return &keyedChunk{settings: f.Settings()} }},
	}
	// One key in the examples is there and answers.
	key := map[keyed.QuestionKind]string{keyed.HowOften: ", 'to'", keyed.Whether: ", 'or'"}
	number := map[keyed.QuestionKind]string{keyed.HowOften: ", 3", keyed.Whether: ", 3"}
	q := f.Questions()[0]
	ask := func(s, key string) string { return "SELECT " + name + "_" + q.Verb + "(" + s + key + ")" }
	return []duck.Function{
		{
			Name: name + "_agg", Group: name, Summary: about.Agg, Options: build.options,
			Example: ask(name+"_agg(word)", key[q.Kind]) + " FROM (VALUES ('to'), ('be'), ('or'), ('not'), ('to'), ('be')) t(word)",
			Overloads: []duck.Overload{
				{Params: []duck.Param{{Name: "key", Type: duck.Any}}, Returns: duck.Blob, Aggregate: build},
				{Params: []duck.Param{{Name: "key", Type: duck.Any}, {Name: "options", Type: duck.Any}}, Returns: duck.Blob, Aggregate: build},
			},
		},
		overBlobs(name+"_union_agg", name, about.Union,
			ask(name+"_union_agg(s)", number[q.Kind])+" FROM (SELECT "+name+"_agg(x % 5) s FROM range(10) t(x) GROUP BY x % 2)",
			&ofBlobs[*keyedBlock]{b.merging, b.addBlob}),
	}
}

// keyedBlock is a group's sketch, none until the first key or sketch says what
// it is to be.
type keyedBlock struct {
	lease  *duck.Lease
	params any // of the family; nil where a BLOB said what the sketch is
	s      keyed.Sketch
	bytes  int64 // charged for s
}

// charge brings the lease up to what the sketch takes.
func (t *keyedBlock) charge() error {
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
type keyedBlocks struct {
	family keyed.Any
	merging[*keyedBlock]
}

func (a *keyedBlocks) addBlob(t *keyedBlock, blob []byte) error {
	if t.s != nil {
		if err := a.family.UniteBlob(t.s, blob); err != nil {
			return err
		}
		return t.charge()
	}
	// A sketch in memory is about as large as its BLOB, or larger.
	if err := t.lease.Grow(int64(len(blob))); err != nil {
		return err
	}
	t.bytes = int64(len(blob))
	s, err := a.family.Load(blob)
	if err != nil {
		return err
	}
	t.s = s
	return t.charge()
}

func (a *keyedBlocks) merge(t, from *keyedBlock) error {
	if from.s == nil {
		return nil
	}
	if t.s != nil {
		if err := a.family.Unite(t.s, from.s); err != nil {
			return err
		}
		return t.charge()
	}
	if err := t.lease.Grow(2 * from.bytes); err != nil { // the copy, and a BLOB that it may be made of
		return err
	}
	t.bytes = 2 * from.bytes
	s, err := a.family.Clone(from.s)
	if err != nil {
		return err
	}
	t.params, t.s = from.params, s
	return t.charge()
}

// keyedAgg is X_agg.
type keyedAgg struct {
	*keyedBlocks
	options []args.Option
	chunks  sync.Pool
}

// keyedChunk is what Update needs beside its arguments.
type keyedChunk struct {
	options  args.Options
	settings keyed.Settings
	keys     args.Keys
	given    *duck.Vector // the column of options
	weight   int          // index of the option
	uniform  bool         // every row has the parameters of the first
	params   any          // nil where they were not read yet

	h1s, h2s, ns []uint64 // of a run of rows
}

func (a *keyedAgg) Update(rows *duck.Rows, states duck.States) error {
	c := a.chunks.Get().(*keyedChunk)
	defer a.chunks.Put(c)
	c.given, c.params, c.weight = nil, nil, len(a.options)-1
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
func (c *keyedChunk) skip(i int) bool {
	return !c.keys.Valid(i) || c.options.Has(c.weight) && c.given.Valid(i) && !c.options.Given(c.weight, i)
}

// run counts the keys of rows from..to-1, all of one group.
func (a *keyedAgg) run(c *keyedChunk, state *duck.State, from, to int) error {
	var t *keyedBlock
	var byValue bool
	var class key.Class
	var seed uint64
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
			base := keyed.BaseOf(t.s)
			class, seed, byValue = base.KeyClass(), base.Seed(), keyed.ByValue(t.s)
		}
		n, err := c.options.Count(c.weight, i, 1)
		if err != nil {
			return err
		}
		if byValue {
			b, err := c.keys.Bytes(i, class)
			if err != nil {
				return err
			}
			if err := a.family.AddKey(t.s, b, n); err != nil {
				return err
			}
			continue
		}
		h1, h2, err := c.keys.Hash(i, class, seed)
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
		if err := a.family.Add(t.s, c.h1s, c.h2s, ns); err != nil {
			return err
		}
	}
	return t.charge()
}

// block is the sketch of a group, which row i's options must agree with.
func (a *keyedAgg) block(c *keyedChunk, state *duck.State, i int) (*keyedBlock, error) {
	if c.params == nil || !c.uniform {
		p, err := c.options.Params(c.settings, i)
		if err != nil {
			return nil, err
		}
		c.params = p
	}
	t, err := a.of(state)
	if err != nil {
		return nil, err
	}
	if t.s != nil {
		if t.params != c.params {
			return nil, differingParams(t.params, c.params)
		}
		return t, nil
	}
	s, err := a.family.Make(c.params)
	if err != nil {
		return nil, err
	}
	if err := keyed.BaseOf(s).SetKeyClass(c.keys.Class); err != nil {
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
