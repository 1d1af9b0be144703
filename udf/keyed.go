package udf

import (
	"fmt"
	"strings"
	"sync"

	"github.com/ccbfsql/ccbfsql/agg"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// This file is what the scalar functions of all families of keyed sketches
// share. A family's own file lists its functions and computes them by these.

// keyedFunctions are the functions that all families have and that need no
// words of their own: X_empty, X_add, X_union and X_is_valid.
func keyedFunctions[P comparable, S agg.KeyedSketch[S]](k *agg.Keyed[P, S], title string, check func(blob []byte) error) []duck.Function {
	const of = " FROM (SELECT X_agg(x % 3) s FROM range(10) t(x))"
	fn := func(verb string, f compute, summary, example string, ps []duck.Param, optional ...duck.Param) duck.Function {
		example = strings.ReplaceAll("SELECT (X_info("+example, "X_", k.Name+"_")
		return function(k.Name, k.Name+"_"+verb, duck.Blob, f, summary, example, ps, optional...)
	}
	return []duck.Function{
		fn("empty", keyedEmpty(k), "Sketch of no keys, to add to.", "X_empty())).total", nil, paramOptions),
		fn("add", keyedAdd(k), "Sketch with one more occurrence of a key, or with weight of them.",
			"X_add(s, 7, {weight: 5}))).total"+of, params(paramSketch, paramKey), paramOptions),
		fn("union", keyedUnion(k), "Sketch of the keys of both.", "X_union(s, s))).total"+of, params(paramLeft, paramRight)),
		isValid(k.Name, k.Name+"_is_valid", "Whether a BLOB is a "+title+", whole and unchanged. Never an error.",
			"SELECT "+k.Name+"_is_valid("+k.Name+"_empty()), "+k.Name+"_is_valid('no sketch'::BLOB)", check),
	}
}

// keyedEmpty computes X_empty.
func keyedEmpty[P comparable, S agg.KeyedSketch[S]](k *agg.Keyed[P, S]) compute {
	return func(rows *duck.Rows, out *duck.Result) error {
		var o args.Options
		options := k.Options()
		weight := len(options)
		if err := o.Reset(optional(rows, 0), append(options, agg.Weight)); err != nil {
			return err
		}
		if o.Has(weight) {
			return fmt.Errorf("option \"weight\" belongs to keys, an empty sketch has none")
		}
		m := making{out: out}
		for i := range out.Len() {
			p, err := k.Params(&o, i)
			if err != nil {
				return err
			}
			s, err := k.New(p)
			if err != nil {
				return err
			}
			if err := m.take(2 * int64(s.Bytes())); err != nil {
				return err
			}
			out.SetBytes(i, s.Blob())
			m.done()
		}
		return nil
	}
}

// keyedUnion computes X_union.
func keyedUnion[P comparable, S agg.KeyedSketch[S]](k *agg.Keyed[P, S]) compute {
	return eachUnion(func(m *making, a, b []byte) ([]byte, error) {
		if err := m.take(2*int64(len(a)) + int64(len(b))); err != nil {
			return nil, err
		}
		s, err := k.Decode(a)
		if err != nil {
			return nil, err
		}
		if err := m.take(int64(s.Bytes())); err != nil {
			return nil, err
		}
		if err := s.UnionBlob(b); err != nil {
			return nil, err
		}
		return s.Blob(), nil
	})
}

// weightOnly are the options of functions that add or remove a key.
var weightOnly = []args.Option{agg.Weight}

// keyedAdd computes X_add.
func keyedAdd[P comparable, S agg.KeyedSketch[S]](k *agg.Keyed[P, S]) compute {
	return keyedChange(k, func(s S, h1, h2, n uint64) error {
		return k.Add(s, []uint64{h1}, []uint64{h2}, []uint64{n})
	}, agg.ValueSketch.AddKey)
}

// keyedRemove computes X_remove.
func keyedRemove[P comparable, S agg.KeyedSketch[S]](k *agg.Keyed[P, S], remove func(s S, h1, h2, n uint64) error) compute {
	return keyedChange(k, remove, agg.ValueSketch.RemoveKey)
}

// keyedChange computes what adds or removes n occurrences of a key: change by
// its hash, byValue by its bytes where the sketch needs them.
func keyedChange[P comparable, S agg.KeyedSketch[S]](
	k *agg.Keyed[P, S], change func(s S, h1, h2, n uint64) error, byValue func(s agg.ValueSketch, b []byte, n uint64) error,
) compute {
	return func(rows *duck.Rows, out *duck.Result) error {
		var o args.Options
		options := optional(rows, 2)
		if err := o.Reset(options, weightOnly); err != nil {
			return err
		}
		var keys args.Keys
		if err := keys.Reset(rows.Col(1)); err != nil {
			return err
		}
		m := making{out: out}
		for i := range rows.Len() {
			if !rows.Col(0).Valid(i) {
				out.SetNull(i)
				continue
			}
			blob := rows.Col(0).Bytes(i)
			if !keys.Valid(i) || options != nil && options.Valid(i) && o.Has(0) && !o.Given(0, i) {
				out.SetBytes(i, blob)
				continue
			}
			if err := m.take(2 * int64(len(blob))); err != nil { // as it is read, and the result
				return err
			}
			s, err := k.Decode(blob)
			if err != nil {
				return err
			}
			if err := m.take(int64(s.Bytes())); err != nil { // more than it was written in, perhaps
				return err
			}
			if s.KeyClass() == key.None {
				if err := s.SetKeyClass(keys.Class); err != nil {
					return err
				}
			}
			n, err := o.Count(0, i, 1)
			if err != nil {
				return err
			}
			if v := agg.ByValue(s); v != nil {
				b, err := keys.Bytes(i, s.KeyClass())
				if err != nil {
					return err
				}
				if err := byValue(v, b, n); err != nil {
					return err
				}
			} else {
				h1, h2, err := keys.Hash(i, s.KeyClass(), s.Seed())
				if err != nil {
					return err
				}
				if err := change(s, h1, h2, n); err != nil {
					return err
				}
			}
			out.SetBytes(i, s.Blob())
			m.done()
		}
		return nil
	}
}

// viewOf is a pointer to a family's View, which has the methods.
type viewOf[V any] interface {
	*V
	Seed() uint64
	KeyClass() key.Class
	Total() (uint64, bool)
}

// lookup is what keyedLookup needs beside its arguments, for one chunk.
type lookup[V, R any] struct {
	keys     args.Keys
	view     V
	at       []int // the rows that are asked of the view
	h1s, h2s []uint64
	answers  []R
}

// keyedLookup computes X_get and X_contains: answer writes what a sketch says
// of each of many keys to dst. Rows with the same sketch are asked at once, so
// that their cache misses overlap.
func keyedLookup[V any, PV viewOf[V], R any](open func(blob []byte) (V, error), answer func(v PV, dst []R, h1s, h2s []uint64)) compute {
	pool := sync.Pool{New: func() any { return new(lookup[V, R]) }}
	return func(rows *duck.Rows, out *duck.Result) error {
		l := pool.Get().(*lookup[V, R])
		defer func() {
			var none V // its memory is DuckDB's
			l.view = none
			pool.Put(l)
		}()
		l.at, l.h1s, l.h2s = l.at[:0], l.h1s[:0], l.h2s[:0]
		if err := l.keys.Reset(rows.Col(1)); err != nil {
			return err
		}
		view := PV(&l.view)
		flush := func() {
			if cap(l.answers) < len(l.at) {
				l.answers = make([]R, len(l.at))
			}
			answers := l.answers[:len(l.at)]
			answer(view, answers, l.h1s, l.h2s)
			dst := duck.Out[R](out)
			for j, i := range l.at {
				dst[i] = answers[j]
			}
			l.at, l.h1s, l.h2s = l.at[:0], l.h1s[:0], l.h2s[:0]
		}
		blobs := rows.Col(0)
		var last []byte
		for i := range rows.Len() {
			if !blobs.Valid(i) || !l.keys.Valid(i) {
				out.SetNull(i)
				continue
			}
			if blob := blobs.Bytes(i); !sameBytes(blob, last) {
				flush()
				var err error
				if l.view, err = open(blob); err != nil {
					return err
				}
				last = blob
			}
			h1, h2, err := l.keys.Hash(i, view.KeyClass(), view.Seed())
			if err != nil {
				return err
			}
			l.at, l.h1s, l.h2s = append(l.at, i), append(l.h1s, h1), append(l.h2s, h2)
		}
		flush()
		return nil
	}
}

// keyedInfo describes X_info: the family's own fields, then those that all
// families have.
func keyedInfo[V any, PV viewOf[V], I any](
	group, summary, example string, open func(blob []byte) (V, error), info func(PV) I, own []duck.Field, write func(f *fields, info I),
) duck.Function {
	all := append(own[:len(own):len(own)],
		duck.Field{Name: "seed", Type: duck.UBigInt},
		duck.Field{Name: "key_type", Type: duck.Varchar},
		duck.Field{Name: "total", Type: duck.UBigInt},
		duck.Field{Name: "bytes", Type: duck.UBigInt},
	)
	return function(group, group+"_info", duck.StructOf(all...), func(rows *duck.Rows, out *duck.Result) error {
		type opened struct {
			view  V
			about I
		}
		return eachBlob(rows, out, func(blob []byte) (o opened, err error) {
			if o.view, err = open(blob); err == nil {
				o.about = info(&o.view) // it may take a look at every counter
			}
			return o, err
		}, func(o *opened, i int) error {
			f := fields{out: out, row: i}
			write(&f, o.about)
			v := PV(&o.view)
			f.count(v.Seed())
			if c := v.KeyClass(); c == key.None {
				f.null()
			} else {
				f.text(c.String())
			}
			f.known(v.Total())
			f.count(uint64(len(rows.Col(0).Bytes(i))))
			return nil
		})
	}, summary, example, params(paramSketch))
}
