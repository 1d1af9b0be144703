package udf

import (
	"fmt"
	"math"

	"github.com/ccbfsql/ccbfsql/agg"
	"github.com/ccbfsql/ccbfsql/filters/cms"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// CMS are the scalar functions of the Count-Min Sketch.
func CMS() []duck.Function {
	const q = "cms_agg(x % 3) s FROM range(10) t(x)"
	fn := func(name string, returns duck.Type, f compute, summary, example string, ps []duck.Param, optional ...duck.Param) duck.Function {
		return function("cms", name, returns, f, summary, "SELECT "+example, ps, optional...)
	}
	return []duck.Function{
		fn("cms_empty", duck.Blob, cmsEmpty, "Sketch of no keys, to add to.",
			"cms_add(cms_empty({epsilon: 0.01}), 'key')", nil, paramOptions),
		fn("cms_add", duck.Blob, cmsChange(func(s *cms.Sketch, h1, h2, n uint64) error {
			s.Add(h1, h2, n)
			return nil
		}), "Sketch with one more occurrence of a key, or with weight of them.",
			"cms_get(cms_add(s, 2, {weight: 5}), 2) FROM (SELECT "+q+")", params(paramSketch, paramKey), paramOptions),
		fn("cms_remove", duck.Blob, cmsChange((*cms.Sketch).Remove),
			"Sketch with one occurrence of a key less, or with weight of them less; not where it is conservative.",
			"cms_get(cms_remove(s, 2), 2) FROM (SELECT "+q+")", params(paramSketch, paramKey), paramOptions),
		fn("cms_union", duck.Blob, eachUnion(cmsUnion), "Sketch of the keys of both.",
			"cms_get(cms_union(s, s), 2) FROM (SELECT "+q+")", params(paramLeft, paramRight)),
		fn("cms_get", duck.UBigInt, cmsGet, "Occurrences of a key: never below the true count.",
			"cms_get(s, 1) FROM (SELECT "+q+")", params(paramSketch, paramKey)),
		fn("cms_join_size", duck.UHugeInt, cmsJoinSize,
			"Number of pairs of occurrences with equal keys, one from each sketch: never below the true number; not where they are conservative.",
			"cms_join_size(s, s) FROM (SELECT "+q+")", params(paramLeft, paramRight)),
		fn("cms_info", cmsInfoType, cmsInfo, "Every parameter of a sketch, its error bound, fill and size.",
			"(cms_info(s)).width FROM (SELECT "+q+")", params(paramSketch)),
		isValid("cms", "cms_is_valid", "Whether a BLOB is a Count-Min Sketch, whole and unchanged. Never an error.",
			"SELECT cms_is_valid(cms_empty())", cms.Family.Check),
	}
}

func cmsEmpty(rows *duck.Rows, out *duck.Result) error {
	var o args.Options
	if err := o.Reset(optional(rows, 0), agg.CMSOptions); err != nil {
		return err
	}
	for i := range out.Len() {
		if o.Given(agg.CMSWeight, i) {
			return fmt.Errorf("option \"weight\" belongs to keys, an empty sketch has none")
		}
		p, err := agg.CMSParams(&o, i)
		if err != nil {
			return err
		}
		s, err := cms.New(p)
		if err != nil {
			return err
		}
		out.SetBytes(i, s.Blob())
	}
	return nil
}

// weightOnly are the options of functions that add or remove a key.
var weightOnly = []args.Option{{Name: "weight", Kind: args.Whole, PerRow: true}}

// cmsChange computes functions that change the count of one key.
func cmsChange(change func(s *cms.Sketch, h1, h2, n uint64) error) compute {
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
			s, err := cms.Decode(blob)
			if err != nil {
				return err
			}
			if s.KeyClass() == key.None {
				if err := s.SetKeyClass(keys.Class); err != nil {
					return err
				}
			}
			h1, h2, err := keys.Hash(i, s.KeyClass(), s.Seed())
			if err != nil {
				return err
			}
			n, err := o.Count(0, i, 1)
			if err != nil {
				return err
			}
			if err := change(s, h1, h2, n); err != nil {
				return err
			}
			out.SetBytes(i, s.Blob())
		}
		return nil
	}
}

func cmsUnion(a, b []byte) ([]byte, error) {
	s, err := cms.Decode(a)
	if err != nil {
		return nil, err
	}
	if err := s.UnionBlob(b); err != nil {
		return nil, err
	}
	return s.Blob(), nil
}

func cmsGet(rows *duck.Rows, out *duck.Result) error {
	var keys args.Keys
	if err := keys.Reset(rows.Col(1)); err != nil {
		return err
	}
	counts := duck.Out[uint64](out)
	var view cms.View
	var last []byte
	return eachValid(rows, out, func(i int) error {
		if blob := rows.Col(0).Bytes(i); !sameBytes(blob, last) {
			var err error
			if view, err = cms.NewView(blob); err != nil {
				return err
			}
			last = blob
		}
		h1, h2, err := keys.Hash(i, view.KeyClass(), view.Seed())
		if err != nil {
			return err
		}
		counts[i] = view.Count(h1, h2)
		return nil
	})
}

func cmsJoinSize(rows *duck.Rows, out *duck.Result) error {
	sizes := duck.Out[[2]uint64](out)
	return eachValid(rows, out, func(i int) error {
		hi, lo, err := cms.JoinSizeBlobs(rows.Col(0).Bytes(i), rows.Col(1).Bytes(i))
		sizes[i] = [2]uint64{lo, hi}
		return err
	})
}

var cmsInfoType = duck.StructOf(
	duck.Field{Name: "width", Type: duck.UBigInt},
	duck.Field{Name: "depth", Type: duck.UBigInt},
	duck.Field{Name: "epsilon", Type: duck.Double},
	duck.Field{Name: "delta", Type: duck.Double},
	duck.Field{Name: "conservative", Type: duck.Boolean},
	duck.Field{Name: "seed", Type: duck.UBigInt},
	duck.Field{Name: "key_type", Type: duck.Varchar},
	duck.Field{Name: "total", Type: duck.UBigInt},
	duck.Field{Name: "error_bound", Type: duck.Double},
	duck.Field{Name: "saturated", Type: duck.Boolean},
	duck.Field{Name: "counter_bits", Type: duck.UBigInt},
	duck.Field{Name: "fill", Type: duck.Double},
	duck.Field{Name: "bytes", Type: duck.UBigInt},
)

func cmsInfo(rows *duck.Rows, out *duck.Result) error {
	var info cms.Info
	var last []byte
	return eachValid(rows, out, func(i int) error {
		if blob := rows.Col(0).Bytes(i); !sameBytes(blob, last) { // it takes a look at every counter
			v, err := cms.NewView(blob)
			if err != nil {
				return err
			}
			info, last = v.Info(), blob
		}
		f := fields{out: out, row: i}
		f.count(info.Width)
		f.count(info.Depth)
		f.float(info.Epsilon)
		f.float(info.Delta)
		f.flag(info.Conservative)
		f.count(info.Seed)
		if info.KeyClass == key.None {
			f.null()
		} else {
			f.text(info.KeyClass.String())
		}
		f.known(info.Total, info.TotalKnown)
		if math.IsInf(info.ErrorBound, 0) {
			f.null()
		} else {
			f.float(info.ErrorBound)
		}
		f.flag(info.Saturated)
		f.count(uint64(info.CounterBits))
		f.float(info.Fill)
		f.count(uint64(info.Bytes))
		return nil
	})
}
