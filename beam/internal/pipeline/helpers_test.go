package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/data"
)

func TestMain(m *testing.M) {
	if asCommand() || dieInTheMiddle() { // a child of the tests of processes, or of TestAWorkerThatDies
		return
	}
	ptest.Main(m)
}

// must is the value of a call that a test relies on.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// ukCrime is a million real points.
func ukCrime(t testing.TB) string {
	t.Helper()
	return data.Path(t, "uk_crime_2018q4.parquet")
}

// visit is a point of the files that tests write.
type visit struct {
	lon, lat float64
	at       time.Time
}

// someVisits are around three cities, in two years.
func someVisits(seed uint64, n int) []visit {
	rng := rand.New(rand.NewPCG(8, seed))
	cities := [][2]float64{{13.4, 52.5}, {-0.1, 51.5}, {2.3, 48.9}}
	out := make([]visit, n)
	for i := range out {
		c := cities[rng.IntN(3)]
		out[i] = visit{c[0] + rng.NormFloat64()*0.05, c[1] + rng.NormFloat64()*0.05,
			time.Date(2017, 1, 1+rng.IntN(730), rng.IntN(24), 0, 0, 0, time.UTC)}
	}
	return out
}

// writeVisits writes a Parquet file in row groups of 1,000.
func writeVisits(t testing.TB, path string, visits []visit) {
	t.Helper()
	writeGroups(t, path, visits, 1000)
}

// writeGroups writes a Parquet file in row groups of so many rows.
func writeGroups(t testing.TB, path string, visits []visit, group int) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "lon", Type: arrow.PrimitiveTypes.Float64}, {Name: "lat", Type: arrow.PrimitiveTypes.Float64},
		{Name: "at", Type: arrow.FixedWidthTypes.Timestamp_us},
	}, nil)
	f := must(os.Create(path))
	w := must(pqarrow.NewFileWriter(schema, f, parquet.NewWriterProperties(), pqarrow.DefaultWriterProps()))
	for len(visits) > 0 {
		n := min(group, len(visits))
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		for _, v := range visits[:n] {
			b.Field(0).(*array.Float64Builder).Append(v.lon)
			b.Field(1).(*array.Float64Builder).Append(v.lat)
			b.Field(2).(*array.TimestampBuilder).Append(arrow.Timestamp(v.at.UnixMicro()))
		}
		if err := w.Write(b.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
		visits = visits[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// options are those of the tests' files: a sketch per tile and month.
func options(in, out string) *Options {
	return &Options{In: []string{in}, Out: out, X: "lon", Y: "lat", Zoom: 6, Time: "at", Bucket: "month",
		Files: 3, Sketch: ccbf.Params{Res: 0.01}}
}

// wanted are the sketches that SQL makes of the visits, by key.
func wanted(p ccbf.Params, visits []visit) map[string][]byte {
	builders := map[string]*ccbf.Builder{}
	c := must(p.Config())
	for _, v := range visits {
		cell := must(c.Grid.Cell(v.lon, v.lat))
		lon, lat := c.Grid.Center(cell)
		k := fmt.Sprint(must(grid.Quadkey(lon, lat, 6)), " ", v.at.Format("2006-01-02")[:8], "01")
		if builders[k] == nil {
			builders[k] = ccbf.NewBuilder(c, nil)
		}
		if err := builders[k].Add(cell, nil, 0, 1); err != nil {
			panic(err)
		}
	}
	out := map[string][]byte{}
	for k, b := range builders {
		out[k] = must(b.Sketch()).Blob()
	}
	return out
}

// stored are the sketches of a run's files, by the text of their key. A key that
// is there twice fails the test.
func stored(t testing.TB, glob string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, name := range must(filepath.Glob(glob)) {
		columns := must(columnsOf(context.Background(), []string{name}))
		read := readSketchesFn{columns}
		err := read.ProcessElement(context.Background(), Piece{name, -1}, func(key, blob []byte) {
			var text []string
			_ = splitKey(key, len(columns), func(_ int, part []byte, _ bool) error {
				text = append(text, string(part))
				return nil
			})
			k := fmt.Sprint(text)
			k = k[1 : len(k)-1]
			if _, twice := out[k]; twice {
				t.Errorf("key %s is there twice", k)
			}
			out[k] = blob
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func same(t testing.TB, got, want map[string][]byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d keys, want %d", len(got), len(want))
	}
	for k, blob := range want {
		if !bytes.Equal(got[k], blob) {
			t.Errorf("key %s: %d bytes that differ from the %d wanted", k, len(got[k]), len(blob))
		}
	}
}

// files are the names in a folder.
func files(t testing.TB, dir string) []string {
	t.Helper()
	var out []string
	for _, e := range must(os.ReadDir(dir)) {
		out = append(out, e.Name())
	}
	return out
}

// build runs Build without its progress.
func build(o *Options) (Report, error) { return Build(context.Background(), o, io.Discard) }

func compact(o *Options) (Report, error) { return Compact(context.Background(), o, io.Discard) }

func format(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
