package agg

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// Keyed returns the aggregates X_agg and X_union_agg of a family.
func Keyed(f keyed.Any) functions {
	name, about := f.About().Name, f.Summaries()
	build := newKeyedAgg(f)
	// word ends the arguments of the first example's call: it is a key of the example's sketch.
	word := map[keyed.QuestionKind]string{keyed.HowOften: ", 'to'", keyed.Whether: ", 'or'"}
	q := f.Questions()[0]
	ask := func(s, key string) string { return "SELECT " + name + "_" + q.Verb + "(" + s + key + ")" }
	return []duck.Function{
		{
			Name: name + "_agg", Group: name, Summary: about.Agg,
			Example: ask(name+"_agg(word)", word[q.Kind]) + " FROM (VALUES ('to'), ('be'), ('or'), ('not'), ('to'), ('be')) t(word)",
			Overloads: []duck.Overload{
				{Params: []duck.Param{{Name: "key", Type: duck.Any}}, Returns: duck.Blob, Aggregate: build},
				{Params: []duck.Param{{Name: "key", Type: duck.Any}, {Name: "options", Type: duck.Any, Options: build.options}}, Returns: duck.Blob, Aggregate: build},
			},
		},
		overBlobs(name+"_union_agg", name, about.Union,
			ask(name+"_union_agg(s)", ", 3")+" FROM (SELECT "+name+"_agg(x % 5) s FROM range(10) t(x) GROUP BY x % 2)",
			&blobAggregate[*keyedPage]{build.aggregate, build.addBlob}),
	}
}

// keyedPage is the page of a group: its sketch, nil before the first sketch and while keys wait.
type keyedPage struct {
	basePage
	params any // the family's Params; nil if the sketch comes from a BLOB
	s      keyed.Sketch
	bytes  int64 // memory reserved for s
}

// charge reserves the bytes that the sketch has now. The error wraps ErrBudget.
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

// addBlob unites the page's sketch with the sketch in a BLOB.
func (a *keyedAgg) addBlob(t *keyedPage, blob []byte) error {
	if t.s != nil {
		if err := a.family.UnionBlob(t.s, blob); err != nil {
			return err
		}
		return t.charge()
	}
	// Reserve the BLOB's length first: in memory the sketch has about as many bytes, or more.
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

// merge unites the sketch of t with that of from, and does not change from.
func (a *keyedAgg) merge(t, from *keyedPage) error {
	if t.s != nil {
		if err := t.mustHave(from.params); err != nil {
			return err
		}
		if err := a.family.Unite(t.s, from.s); err != nil {
			return err
		}
		return t.charge()
	}
	if err := t.lease.Grow(from.bytes); err != nil {
		return err
	}
	t.bytes = from.bytes
	t.params, t.s = from.params, a.family.Clone(from.s)
	return t.charge()
}

// prepare gives a page a sketch without keys if it has none. The error says that its sketch has other parameters.
func (a *keyedAgg) prepare(t *keyedPage, params any, class key.Class) (err error) {
	if t.s != nil {
		return t.mustHave(params)
	}
	if t.s, err = a.empty(params, class); err != nil {
		return err
	}
	t.params = params
	return t.charge()
}

// empty returns a sketch without keys.
func (a *keyedAgg) empty(params any, class key.Class) (keyed.Sketch, error) {
	s, err := a.family.Make(params)
	if err != nil {
		return nil, err
	}
	if err := keyed.BaseOf(s).SetKeyClass(class); err != nil {
		return nil, err
	}
	if l, ok := s.(keyed.Later); ok {
		l.Later()
	}
	return s, nil
}

// mustHave returns an error if the sketch of a page was made with other parameters, if both are known.
func (t *keyedPage) mustHave(params any) error {
	if t.params == nil || params == nil || t.params == params {
		return nil
	}
	return paramsDiffer(t.params, params)
}

// paramsDiffer returns the error for two sets of parameters in one group. It names the option of the
// first field that differs.
func paramsDiffer(a, b any) error {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		name := x.Type().Field(i).Name
		// A number is 0 only if no option set it. The seed is the exception: 0 is a seed.
		value := func(v reflect.Value) any {
			if v.IsZero() && (v.CanFloat() || v.Kind() == reflect.Uint64) && name != "Seed" {
				return "none"
			}
			return v.Interface()
		}
		if p, q := x.Field(i), y.Field(i); p.Interface() != q.Interface() {
			return optionsDiffer(fmt.Errorf("%s %v vs %v", strings.ToLower(wordEnd.ReplaceAllString(name, "${1}_$2")), value(p), value(q)))
		}
	}
	return nil
}

// optionsDiffer returns the error for options that differ within a group. in says which one differs.
func optionsDiffer(in error) error {
	return fmt.Errorf("options differ within a group: %w; all of its rows must have the same options: add what they depend on to GROUP BY", in)
}

// wordEnd is where a word ends in the name of a field: the option for CounterBits is counter_bits.
var wordEnd = regexp.MustCompile(`([a-z])([A-Z])`)
