package agg

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// CCBF returns the aggregate functions of CascadeCBF.
func CCBF() functions {
	points := []duck.Param{{Name: "x", Type: duck.Double}, {Name: "y", Type: duck.Double}, {Name: "res", Type: duck.Double}}
	shapes := []duck.Param{{Name: "points", Type: duck.Geometry}, {Name: "res", Type: duck.Double}}
	build, shaped := &ccbfPoints{}, &ccbfPoints{geometry: true}
	return []duck.Function{
		{
			Name: "ccbf_agg", Group: "ccbf", Options: args.CCBFOptions,
			Summary: "Sketch of the number of points in each cell of a grid with cells of size res. From DuckDB 1.5.2 on, points can be a GEOMETRY: a POINT, or a MULTIPOINT each of whose points counts.",
			Example: "SELECT ccbf_get(ccbf_agg(x, y, 0.5), 1.2, 3.4) FROM (VALUES (1.1, 3.3), (1.4, 3.1), (9.0, 9.0)) p(x, y)",
			Overloads: []duck.Overload{
				{Params: points, Returns: duck.Blob, Aggregate: build},
				{Params: append(points[:3:3], duck.Param{Name: "options", Type: duck.Any}), Returns: duck.Blob, Aggregate: build},
				{Params: shapes, Returns: duck.Blob, Aggregate: shaped},
				{Params: append(shapes[:2:2], duck.Param{Name: "options", Type: duck.Any}), Returns: duck.Blob, Aggregate: shaped},
			},
		},
		overBlobs("ccbf_union_agg", "ccbf",
			"Union of sketches: the sketch of all their points. To sum an area over exact sketches, no union is needed: sum(ccbf_bbox_sum(s, ...)) returns the same number in a fraction of the time.",
			"SELECT ccbf_total(ccbf_union_agg(s)) FROM (SELECT ccbf_agg(x, x, 1) s FROM range(10) t(x) GROUP BY x % 2)",
			&blobAggregate[*ccbfPage]{ccbfPages, (*ccbfPage).addBlob}),
		overBlobs("ccbf_intersect_agg", "ccbf",
			"Intersection of sketches: each cell has the smallest of their counts. For trees that were united, or whose intersection does not fit, the excess of counts can depend on the order of rows.",
			"SELECT ccbf_total(ccbf_intersect_agg(s)) FROM (SELECT ccbf_agg(x, x, 1) s FROM (VALUES (1, 1), (2, 1), (2, 2)) t(x, g) GROUP BY g)",
			&blobAggregate[*ccbfIntersection]{mergeAggregate[*ccbfIntersection]{
				size:  256,
				fresh: func(l *duck.Lease) *ccbfIntersection { return &ccbfIntersection{x: bridge.NewIntersector(l)} },
				merge: func(into, from *ccbfIntersection) error { return into.x.Merge(from.x) },
				blob: func(t *ccbfIntersection, dst []byte) ([]byte, error) {
					s, err := t.x.Sketch()
					if err != nil {
						return nil, err
					}
					return s.AppendBinary(dst)
				},
				cost: func(t *ccbfIntersection) int64 { return t.x.EncodeBytes() },
			}, (*ccbfIntersection).addBlob}),
	}
}

// ccbfPage is a group's builder; nil inside until the first point or sketch
// says what it is to build.
type ccbfPage struct {
	lease *duck.Lease
	b     *ccbf.Builder
	id    uint32 // of the builder's configuration, where it has one
}

// ccbfPageSize is about what a builder takes before it holds anything.
const ccbfPageSize = 1024

var ccbfPages = mergeAggregate[*ccbfPage]{
	size:  ccbfPageSize,
	fresh: func(l *duck.Lease) *ccbfPage { return &ccbfPage{lease: l} },
	merge: (*ccbfPage).merge,
	blob:  (*ccbfPage).blob,
}

// holdMost is how many bytes of cells a builder keeps, at 16 for each: pruning takes ten times as much.
func holdMost() int64 { return duck.MemoryLimit() / 16 }

// builder is the builder of a page, made for a configuration where there is
// none yet.
func (t *ccbfPage) builder(c *ccbf.Config) *ccbf.Builder {
	if t.b == nil {
		t.b = ccbf.NewBuilder(*c, t.lease)
		t.b.Hold = holdMost()
	}
	return t.b
}

func (t *ccbfPage) addBlob(blob []byte) error {
	v := ccbfViews.Get().(*ccbf.View)
	defer ccbfViews.Put(v)
	if err := v.Reset(blob); err != nil {
		return err
	}
	return t.builder(&v.Config).AddView(v)
}

func (t *ccbfPage) merge(from *ccbfPage) error {
	if from.b == nil {
		return nil
	}
	return t.builder(&from.b.Config).Merge(from.b)
}

func (t *ccbfPage) blob(dst []byte) ([]byte, error) { return bridge.AppendBlob(t.b, dst) }

type ccbfIntersection struct{ x *bridge.Intersector }

func (t *ccbfIntersection) addBlob(blob []byte) error {
	v := ccbfViews.Get().(*ccbf.View)
	defer ccbfViews.Put(v)
	if err := v.Reset(blob); err != nil {
		return err
	}
	return t.x.AddView(v)
}

// mostPoints is how many points a state and its slot have at most.
const mostPoints = duck.MaxSlot

const _ = uint(bridge.MaxSmall - mostPoints) // no group of them needs a Builder

// holds reports whether points of a configuration, without a category, can wait in slots: where
// their order does not matter, as long as so few of them are exact.
func holds(c *ccbf.Config) bool { return c.Exact }

// promote gives a state a page, if it has none, and the page the points that wait in the state and
// in its slots.
func (c *chunk) promote(s *duck.State) (*ccbfPage, error) {
	held, err := c.own.one(s)
	if err != nil {
		return nil, err
	}
	t, err := ccbfPages.of(s)
	if err != nil {
		return nil, err
	}
	f := inlineOf(s)
	err = t.take(f, held)
	f.n, f.held = 0, 0
	return t, err
}

// take adds points that wait in a state and in its slots, which are held.
func (t *ccbfPage) take(f *inlineWords, held []uint64) error {
	if f.words() == 0 {
		return nil
	}
	b := t.b
	if b == nil || t.id != f.config {
		var err error
		if b, err = t.of(f.config, configs.config(f.config)); err != nil {
			return err
		}
	}
	if len(held) > 0 {
		if err := bridge.AddKeys(b, held); err != nil {
			return err
		}
	}
	return bridge.AddKeys(b, f.keys[:f.n])
}
