package agg

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unicode"

	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Keyed describes X_agg and X_union_agg of a family.
func Keyed(f keyed.Any) functions {
	name, about := f.About().Name, f.Summaries()
	b := &keyedPages{family: f}
	b.mergeAggregate = mergeAggregate[*keyedPage]{
		size:  256,
		fresh: func(l *duck.Lease) *keyedPage { return &keyedPage{lease: l} },
		merge: b.merge,
		blob:  (*keyedPage).blob,
		cost:  func(t *keyedPage) int64 { return 2 * t.bytes }, // the BLOB, and what is put in order for it
	}
	options := f.Options()
	build := &keyedAgg{
		keyedPages: b, options: append(options[:len(options):len(options)], keyed.Weight),
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
			&blobAggregate[*keyedPage]{b.mergeAggregate, b.addBlob}),
	}
}

// keyedPage is a group's sketch, none until the first key or sketch says what
// it is to be.
type keyedPage struct {
	lease  *duck.Lease
	params any // of the family; nil where a BLOB said what the sketch is
	s      keyed.Sketch
	bytes  int64 // charged for s
	rest   int   // chunks in which repeated keys are not looked for
}

func (t *keyedPage) blob(_ []byte) ([]byte, error) { return keyed.Finish(t.s) }

// charge brings the lease up to what the sketch takes.
func (t *keyedPage) charge() error {
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

// keyedPages is what the aggregates of a family share.
type keyedPages struct {
	family keyed.Any
	mergeAggregate[*keyedPage]
}

func (a *keyedPages) addBlob(t *keyedPage, blob []byte) error {
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

func (a *keyedPages) merge(t, from *keyedPage) error {
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
			return optionsDiffer(fmt.Errorf("%s %v vs %v", snake(name), value(p), value(q)))
		}
	}
	return nil
}

// optionsDiffer is the error for options that differ within a group.
func optionsDiffer(in error) error {
	return fmt.Errorf("options differ within a group: %w; all of its rows must have the same options: add what they depend on to GROUP BY", in)
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
