package pipeline

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/ccbfsql/ccbfsql/beam/internal/prismtest"
	"github.com/ccbfsql/ccbfsql/beam/sketches"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
)

func init() {
	beam.RegisterDoFn(reflect.TypeFor[*shareFn]())
}

// shareFn emits every Of-th piece of a file, last one first where Reverse says
// so, but not before its siblings run as well.
type shareFn struct {
	Test, File string
	Index, Of  int
	Reverse    bool
}

func (f *shareFn) ProcessElement(ctx context.Context, _ []byte, emit func(Piece)) error {
	if err := prismtest.Join(ctx, f.Test); err != nil {
		return err
	}
	var all []Piece
	if err := emitPieces(ctx, f.File, func(p Piece) { all = append(all, p) }); err != nil {
		return err
	}
	for i := range all {
		if f.Reverse {
			i = len(all) - 1 - i
		}
		if i%f.Of == f.Index {
			emit(all[i])
		}
	}
	return nil
}

// ukKey is the month of a point and the tile of zoom 8 of its cell's centre.
func ukKey(month string, g grid.Grid, cell grid.Cell) string {
	lon, lat := g.Center(cell)
	return string(appendText(appendText(nil, month), must(grid.Quadkey(lon, lat, 8))))
}

// ukTruth calls f with every point of the file, read without the pipeline's
// reader of points.
func ukTruth(t testing.TB, file string, f func(month string, lon, lat float64)) {
	t.Helper()
	err := withParquet(context.Background(), file, func(in parquet.ReaderAtSeeker) error {
		r, err := openParquet(in)
		if err != nil {
			return err
		}
		return eachBatch(context.Background(), r, []string{"lon", "lat", "month"}, -1, func(_ int64, b arrow.RecordBatch) error {
			at := func(name string) arrow.Array { return b.Column(b.Schema().FieldIndices(name)[0]) }
			lon, lat, month := at("lon").(*array.Float64), at("lat").(*array.Float64), at("month").(*array.String)
			for i := range int(b.NumRows()) {
				f(month.Value(i), lon.Value(i), lat.Value(i))
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A million points by month and tile, in 1, 2 and 8 bundles at once, forwards and
// backwards: the bytes of the whole for every key where the form is exact or the
// mode standard, and no cell below the truth of a tree.
func TestUKOnPrism(t *testing.T) {
	file := ukCrime(t)
	for _, p := range []ccbf.Params{
		{Res: 0.001},
		{Res: 0.001, Bytes: 4096, Mode: ccbf.Standard},
		{Res: 0.001, Bytes: 4096},
	} {
		c := must(p.Config())
		builders, truth := map[string]*ccbf.Builder{}, map[string]map[grid.Cell]uint64{}
		ukTruth(t, file, func(month string, lon, lat float64) {
			cell := must(c.Grid.Cell(lon, lat))
			k := ukKey(month, c.Grid, cell)
			if builders[k] == nil {
				builders[k], truth[k] = ccbf.NewBuilder(c, nil), map[grid.Cell]uint64{}
			}
			truth[k][cell]++
			if err := builders[k].Add(cell, nil, 0, 1); err != nil {
				t.Fatal(err)
			}
		})
		want, dense := map[string][]byte{}, 0
		for k, b := range builders {
			want[k] = must(b.Sketch()).Blob()
			if v := must(ccbf.NewView(want[k])); !v.IsExact() {
				dense++
			}
		}
		if (dense > 0) != (p.Bytes != 0) {
			t.Fatalf("%d of %d sketches are dense with %d bytes", dense, len(want), p.Bytes)
		}
		for i, n := range []int{1, 2, 8} {
			t.Run(fmt.Sprintf("%v %d/%d", p.Mode, p.Bytes, n), func(t *testing.T) {
				o := Options{X: "lon", Y: "lat", Keys: []string{"month"}, Zoom: 8, In: []string{file}, Out: "unused", Files: 1, Sketch: p}
				fn := must(sketches.CCBF(p))
				prismtest.Meet(t.Name(), n)
				ptest.BuildAndRun(t, func(s beam.Scope) {
					parts := make([]beam.PCollection, n)
					for j := range parts {
						share := beam.ParDo(s, &shareFn{t.Name(), file, j, n, i%2 == 1}, beam.Impulse(s))
						points, _ := beam.ParDo2(s, &readFn{Options: o}, share)
						parts[j] = sketches.CombinePerKey(s, fn, points)
					}
					prismtest.Collect(s, t.Name(), sketches.UnionPerKey(s, beam.Flatten(s, parts...)))
				})
				got := prismtest.Collected(t.Name())
				if p.Bytes == 0 || p.Mode == ccbf.Standard {
					same(t, got, want)
				}
				for k, cells := range truth {
					var v ccbf.View
					if err := v.Reset(got[k]); err != nil {
						t.Fatal(err)
					}
					for cell, n := range cells {
						if count := v.Count(cell, nil); count < n {
							t.Fatalf("cell %v of key %q counts %d, of %d points", cell, k, count, n)
						}
					}
				}
			})
		}
	}
}
