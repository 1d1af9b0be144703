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

// ccbfPage is the page of a group: its builder, nil before the first point or sketch.
type ccbfPage struct {
	lease *duck.Lease
	b     *ccbf.Builder
	id    uint32 // number of the builder's configuration; 0 if it has none
}

// ccbfPageSize is about the number of bytes of an empty builder.
const ccbfPageSize = 1024

var ccbfPages = mergeAggregate[*ccbfPage]{
	size:  ccbfPageSize,
	fresh: func(l *duck.Lease) *ccbfPage { return &ccbfPage{lease: l} },
	merge: (*ccbfPage).merge,
	blob:  (*ccbfPage).blob,
}

// maxHold returns the largest number of bytes of cells that a builder holds, 16 for each cell. Pruning
// them takes ten times as much memory.
func maxHold() int64 { return duck.MemoryLimit() / 16 }

// builder returns the builder of a page, which it makes for a configuration if there is none.
func (t *ccbfPage) builder(c *ccbf.Config) *ccbf.Builder {
	if t.b == nil {
		t.b = ccbf.NewBuilder(*c, t.lease)
		t.b.Hold = maxHold()
	}
	return t.b
}

// addBlob adds the points of the sketch in a BLOB to the page.
func (t *ccbfPage) addBlob(blob []byte) error {
	v := ccbfViews.Get().(*ccbf.View)
	defer ccbfViews.Put(v)
	if err := v.Reset(blob); err != nil {
		return err
	}
	return t.builder(&v.Config).AddView(v)
}

// merge adds the points of the page from to t.
func (t *ccbfPage) merge(from *ccbfPage) error {
	if from.b == nil {
		return nil
	}
	return t.builder(&from.b.Config).Merge(from.b)
}

// blob appends the BLOB of the page's sketch to dst.
func (t *ccbfPage) blob(dst []byte) ([]byte, error) { return bridge.AppendBlob(t.b, dst) }

// ccbfIntersection is the page of a group of ccbf_intersect_agg: the intersection of its sketches so far.
type ccbfIntersection struct{ x *bridge.Intersector }

// addBlob intersects the page with the sketch in a BLOB.
func (t *ccbfIntersection) addBlob(blob []byte) error {
	v := ccbfViews.Get().(*ccbf.View)
	defer ccbfViews.Put(v)
	if err := v.Reset(blob); err != nil {
		return err
	}
	return t.x.AddView(v)
}

// mostPoints is the largest number of points that wait in a state and its slots.
const mostPoints = duck.MaxSlot

const _ = uint(bridge.MaxSmall - mostPoints) // bridge.Small encodes all of them

// canUseSlots reports whether points of a configuration can wait in slots. A sketch of
// so few points is an exact list, for which their order does not matter.
func canUseSlots(c *ccbf.Config) bool { return c.Exact }

// promote returns the page of a state, which it makes if there is none. It moves the points that
// wait in the state and in its slots to the page.
func (c *chunk) promote(s *duck.State) (*ccbfPage, error) {
	inSlots, err := c.own.one(s)
	if err != nil {
		return nil, err
	}
	t, err := ccbfPages.page(s)
	if err != nil {
		return nil, err
	}
	f := inlineOf(s)
	err = t.take(f, inSlots)
	f.n, f.inSlots = 0, 0
	return t, err
}

// take adds the points that wait in a state, inline and in its slots, to a page.
func (t *ccbfPage) take(f *inlineWords, inSlots []uint64) error {
	if f.words() == 0 {
		return nil
	}
	b := t.b
	if b == nil || t.id != f.config {
		var err error
		if b, err = t.builderOf(f.config, configs.config(f.config)); err != nil {
			return err
		}
	}
	if len(inSlots) > 0 {
		if err := bridge.AddKeys(b, inSlots); err != nil {
			return err
		}
	}
	return bridge.AddKeys(b, f.keys[:f.n])
}
