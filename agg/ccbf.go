package agg

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/memory"
)

// CCBF returns the aggregate functions of CascadeCBF.
func CCBF() functions {
	points := []duck.Param{{Name: "x", Type: duck.Double}, {Name: "y", Type: duck.Double}, {Name: "res", Type: duck.Double}}
	shapes := []duck.Param{{Name: "points", Type: duck.Geometry}, {Name: "res", Type: duck.Double}}
	options := duck.Param{Name: "options", Type: duck.Any, Options: args.CCBFOptions}
	build, shaped := newCCBFPoints(false), newCCBFPoints(true)
	return []duck.Function{
		{
			Name: "ccbf_agg", Group: "ccbf",
			Summary: "Sketch of the number of points in each cell of a grid with cells of size res. From DuckDB 1.5.2 on, points can be a GEOMETRY: a POINT, or a MULTIPOINT each of whose points counts.",
			Example: "SELECT ccbf_get(ccbf_agg(x, y, 0.5), 1.2, 3.4) FROM (VALUES (1.1, 3.3), (1.4, 3.1), (9.0, 9.0)) p(x, y)",
			Overloads: []duck.Overload{
				{Params: points, Returns: duck.Blob, Aggregate: build},
				{Params: append(points[:3:3], options), Returns: duck.Blob, Aggregate: build},
				{Params: shapes, Returns: duck.Blob, Aggregate: shaped},
				{Params: append(shapes[:2:2], options), Returns: duck.Blob, Aggregate: shaped},
			},
		},
		overBlobs("ccbf_union_agg", "ccbf",
			"Union of sketches: it merges them into the sketch of all their points. To sum an area over exact sketches, no union is needed: sum(ccbf_bbox_sum(s, ...)) returns the same number in a fraction of the time.",
			"SELECT ccbf_total(ccbf_union_agg(s)) FROM (SELECT ccbf_agg(x, x, 1) s FROM range(10) t(x) GROUP BY x % 2)",
			&blobAggregate[*ccbfPage]{ccbfPages, (*ccbfPage).addBlob}),
		overBlobs("ccbf_intersect_agg", "ccbf",
			"Intersection of sketches: each cell has the smallest of their counts. For trees that were united, or whose intersection does not fit, the excess of counts can depend on the order of rows.",
			"SELECT ccbf_total(ccbf_intersect_agg(s)) FROM (SELECT ccbf_agg(x, x, 1) s FROM (VALUES (1, 1), (2, 1), (2, 2)) t(x, g) GROUP BY g)",
			&blobAggregate[*ccbfIntersection]{aggregate[*ccbfIntersection]{
				fresh: func() *ccbfIntersection {
					t := new(ccbfIntersection)
					t.x = bridge.NewIntersector(&t.lease)
					return t
				},
				merge: func(into, from *ccbfIntersection) error { return into.x.Merge(from.x) },
				blob: func(t *ccbfIntersection, _ []byte) ([]byte, error) {
					s, err := t.x.Sketch()
					if err != nil {
						return nil, err
					}
					return s.Blob(), nil
				},
				cost: func(t *ccbfIntersection) int64 { return t.x.EncodeBytes() },
			}, (*ccbfIntersection).addBlob}),
	}
}

// ccbfPage is the page of a group: its builder, nil before the first sketch, and while points wait.
type ccbfPage struct {
	basePage
	b *ccbf.Builder
}

// builderBytes is about the number of bytes of an empty builder.
const builderBytes = 1024

var ccbfPages = aggregate[*ccbfPage]{
	fresh: func() *ccbfPage { return new(ccbfPage) },
	merge: (*ccbfPage).merge,
	blob:  func(t *ccbfPage, dst []byte) ([]byte, error) { return bridge.AppendBlob(t.b, dst) },
}

// maxHold returns the largest number of bytes of cells that a builder holds, 16 for each. Two
// builders with as many cells can be merged.
func maxHold() int64 { return memory.Limit() / 32 }

// builder returns the builder of a page, which it makes for a configuration if there is none.
func (t *ccbfPage) builder(c *ccbf.Config) (*ccbf.Builder, error) {
	if t.b == nil {
		if err := t.lease.Grow(builderBytes); err != nil {
			return nil, err
		}
		t.b = ccbf.NewBuilder(*c, &t.lease)
		t.b.Hold = maxHold()
	}
	return t.b, nil
}

// Free gives the memory of cells to other pages.
func (t *ccbfPage) Free() {
	if t.b != nil {
		bridge.Free(t.b)
	}
}

// addBlob adds the points of the sketch in a BLOB to the page.
func (t *ccbfPage) addBlob(blob []byte) error {
	v := ccbfViews.Get().(*ccbf.View)
	defer ccbfViews.Put(v)
	if err := v.Reset(blob); err != nil {
		return err
	}
	b, err := t.builder(&v.Config)
	if err != nil {
		return err
	}
	return b.AddView(v)
}

// merge adds the points of the page from to t.
func (t *ccbfPage) merge(from *ccbfPage) error {
	b, err := t.builder(&from.b.Config)
	if err != nil {
		return err
	}
	return b.Merge(from.b)
}

// ccbfIntersection is the page of a group of ccbf_intersect_agg: the intersection of its sketches so far.
type ccbfIntersection struct {
	basePage
	x bridge.Intersector
}

// addBlob intersects the page with the sketch in a BLOB.
func (t *ccbfIntersection) addBlob(blob []byte) error {
	v := ccbfViews.Get().(*ccbf.View)
	defer ccbfViews.Put(v)
	if err := v.Reset(blob); err != nil {
		return err
	}
	return t.x.AddView(v)
}
