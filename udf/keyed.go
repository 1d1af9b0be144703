package udf

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/keyed"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// special is the functions of a single family, by its number. The family's own file adds them.
var special = map[sketch.ID][]duck.Function{}

// only adds functions of a single family to special. Names and examples have X_ for the family's
// prefix, and examples have no SELECT.
func only(f keyed.Any, fs ...duck.Function) bool { //nolint:unparam // a variable of the package calls it, so it needs a result
	about := f.About()
	for _, fn := range fs {
		fn.Group = about.Name
		fn.Name = named(about.Name, fn.Name)
		fn.Example = named(about.Name, "SELECT "+fn.Example)
		special[about.ID] = append(special[about.ID], fn)
	}
	return true
}

// named replaces the prefix X_ of function names in text by the family's name.
func named(family, text string) string { return strings.ReplaceAll(text, "X_", family+"_") }

// Keyed returns the scalar functions of a family of sketches of keys.
func Keyed(f keyed.Any) functions {
	about, say := f.About(), f.Summaries()
	from := func(options string) string {
		if options != "" {
			options = ", " + options
		}
		return " FROM (SELECT X_agg(x % 3" + options + ") s FROM range(10) t(x))"
	}
	fn := func(verb string, returns duck.Type, compute compute, summary, example string, ps []duck.Param, optional ...duck.Param) duck.Function {
		return function(about.Name, about.Name+"_"+verb, returns, compute, summary, named(about.Name, "SELECT "+example), ps, optional...)
	}
	fs := []duck.Function{
		fn("empty", duck.Blob, keyedEmpty(f), "Empty sketch, to add keys to.", "(X_info(X_empty())).total", nil, withOptions(append(f.Options(), sketch.Option{Name: "weight"}))),
		fn("add", duck.Blob, keyedChange(f, f.AddKey), "Returns the sketch with one more occurrence of a key, or with weight more.",
			"(X_info(X_add(s, 7, {weight: 5}))).total"+from(""), params(paramSketch, paramKey), weightOnly),
		fn("union", duck.Blob, eachUnion(keyedPair(f, 1, f.UnionBlob)), "Returns the sketch of the keys of both.", "(X_info(X_union(s, s))).total"+from(""), params(paramLeft, paramRight)),
		isValid(about.Name, about.Name+"_is_valid", "Whether a BLOB is a "+f.Noun()+", complete and unchanged. Never an error.",
			named(about.Name, "SELECT X_is_valid(X_empty()), X_is_valid('no sketch'::BLOB)"), about),
	}
	questions := f.Questions()
	if options, is := f.Removes(); is {
		// For an example of a removal, the best question is how often a key still occurs.
		q, weight := questions[0], ""
		if i := slices.IndexFunc(questions, func(q keyed.Question) bool { return q.Kind == keyed.HowOften }); i >= 0 {
			q = questions[i]
		}
		if q.Kind == keyed.Whether { // remove all three occurrences, so that the answer changes
			weight = ", {weight: 3}"
		}
		fs = append(fs, fn("remove", duck.Blob, keyedChange(f, f.RemoveKey), say.Remove,
			"X_"+q.Verb+"(X_remove(s, 2"+weight+"), 2)"+from(options), params(paramSketch, paramKey), weightOnly))
		if f.Subtracts() {
			fs = append(fs, fn("subtract", duck.Blob, eachPair(keyedPair(f, 2, f.SubtractBlob)), say.Subtract,
				"X_"+q.Verb+"(X_subtract(s, X_add(X_empty("+options+"), 2"+weight+")), 2)"+from(options), params(paramLeft, paramRight)))
		}
	}
	for _, q := range questions {
		example := "X_" + q.Verb + "(s, 1)" + from(q.Options)
		returns, lookup := duck.UBigInt, keyedLookup(f, keyed.Reader.CountHashes)
		if q.Kind == keyed.Whether {
			returns, lookup = duck.Boolean, keyedLookup(f, keyed.Reader.ContainsHashes)
		}
		fs = append(fs, fn(q.Verb, returns, lookup, q.Summary, example, params(paramSketch, paramKey)))
	}
	known := f.InfoFields()
	info := fn("info", structType(known), func(c *call) error {
		values := func(dst []sketch.Value, r *keyed.Reader) []sketch.Value { return (*r).Info(dst) }
		r := f.Reader()
		return describe(c, known, func(blob []byte) (keyed.Reader, error) { return r, r.Open(blob) }, values, nil)
	}, say.Info, "(X_info(s))."+cmp.Or(say.InfoField, known[0].Name)+from(""), params(paramSketch))
	return append(append(fs, special[about.ID]...), info)
}

// keyedEmpty returns the function X_empty.
func keyedEmpty(f keyed.Any) compute {
	weight := len(f.Options())
	return func(c *call) error {
		if c.options.Has(weight) {
			return fmt.Errorf("option \"weight\" belongs to keys, and an empty sketch has none")
		}
		settings := f.Settings()
		return c.eachSketch(func(i int) (encoder, error) {
			p, err := c.options.Params(settings, i)
			if err != nil {
				return nil, err
			}
			// Reserve the memory before the sketch and its BLOB are made.
			bytes, _ := f.Empty(p)
			if err := c.out.Grow(2 * int64(bytes)); err != nil {
				return nil, err
			}
			s, err := f.Make(p)
			if err != nil {
				return nil, err
			}
			return s, c.out.Grow(2 * int64(s.Bytes()-int(bytes)))
		})
	}
}

// keyedPair returns a function that changes a sketch by the sketch of a BLOB. It reserves memory for as
// many copies of the first sketch.
func keyedPair(f keyed.Any, copies int64, change func(s keyed.Sketch, blob []byte) error) pair {
	return func(c *call, a, b []byte) (encoder, error) {
		if err := c.out.Grow(int64(len(b))); err != nil {
			return nil, err
		}
		s, err := c.keyed(f, a, copies)
		if err != nil {
			return nil, err
		}
		return s, change(s, b)
	}
}

// weightOnly is the options of functions that add or remove a key.
var weightOnly = withOptions([]sketch.Option{keyed.Weight})

// keyedChange returns the function X_add or X_remove. change adds or removes n occurrences of a key.
func keyedChange(f keyed.Any, change func(s keyed.Sketch, key []byte, n uint64) error) compute {
	return func(c *call) error {
		var keys args.Keys
		if err := keys.Reset(c.Col(1)); err != nil {
			return err
		}
		c.needed = 1
		return c.eachSketch(func(i int) (encoder, error) {
			blob := c.Col(0).Bytes(i)
			if !keys.Valid(i) || c.options.Null(0, i) {
				return rawBlob(blob), nil
			}
			s, err := c.keyed(f, blob, 1)
			if err != nil {
				return nil, err
			}
			base := keyed.BaseOf(s)
			if base.KeyClass() == key.None {
				if err := base.SetKeyClass(keys.Class); err != nil {
					return nil, err
				}
			}
			n, err := c.options.Count(0, i, 1)
			if err != nil {
				return nil, err
			}
			b, err := keys.Bytes(i, base.KeyClass())
			if err != nil {
				return nil, err
			}
			return s, change(s, b, n)
		})
	}
}

// keyedLookup returns a function that looks up keys, such as X_get. answer writes the results of keys in one
// sketch to dst. It is called once for consecutive rows with the same BLOB, as it may read the whole sketch.
func keyedLookup[R any](f keyed.Any, answer func(r keyed.Reader, dst []R, h1s, h2s []uint64)) compute {
	batches := sync.Pool{New: func() any { return new(batch[R]) }}
	return func(c *call) error {
		var keys args.Keys
		if err := keys.Reset(c.Col(1)); err != nil {
			return err
		}
		r, answers := f.Reader(), duck.Out[R](c.out)
		base, b := keyed.BaseOf(r), batches.Get().(*batch[R])
		defer batches.Put(b)
		b.clear()
		lookUp := func() {
			if len(b.rows) == 0 {
				return
			}
			b.results = slices.Grow(b.results[:0], len(b.rows))[:len(b.rows)]
			answer(r, b.results, b.h1s, b.h2s)
			for j, i := range b.rows {
				answers[i] = b.results[j]
			}
			b.clear()
		}
		err := eachBlob(c, func(blob []byte) (keyed.Reader, error) {
			lookUp()
			return r, r.Open(blob)
		}, func(_ *keyed.Reader, i int) error {
			h1, h2, err := keys.Hash(i, base.KeyClass(), base.Seed())
			b.rows, b.h1s, b.h2s = append(b.rows, i), append(b.h1s, h1), append(b.h2s, h2)
			return err
		})
		if err == nil {
			lookUp()
		}
		return err
	}
}

// batch has the hashes of keys to look up, by their rows.
type batch[R any] struct {
	rows     []int
	h1s, h2s []uint64
	results  []R
}

func (b *batch[R]) clear() { b.rows, b.h1s, b.h2s = b.rows[:0], b.h1s[:0], b.h2s[:0] }
