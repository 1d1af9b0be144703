//go:build amd64 || arm64

// (Where the real data are read: `make machines` need not compile what reads them.)

package tree

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/kit"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/internal/cells"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/internal/data"
)

// dataBias puts the cells of the data sets where those of sketches are, off the
// corners of the curve.
const dataBias = 0x5555_5555

// dataSets are the real points of test/data, at resolutions in degrees.
var dataSets = map[string]struct {
	file string
	res  float64
}{
	"uk":        {"uk_crime_2018q4.parquet", 0.001},
	"uk01":      {"uk_crime_2018q4.parquet", 0.01},
	"uk0001":    {"uk_crime_2018q4.parquet", 0.0001},
	"cities":    {"geonames_cities.parquet", 0.01},
	"cities001": {"geonames_cities.parquet", 0.001},
	"nyc":       {"nyc_taxi_pickups.parquet", 0.001},
	"covid":     {"jhu_covid19_confirmed_global.csv", 0.01},
}

// dataCells are the cells of a data set.
func dataCells(tb testing.TB, name string) (s cells.Squares) {
	tb.Helper()
	d := dataSets[name]
	counts := map[uint64]uint64{}
	add := func(lon, lat float64, n uint64) {
		x, y := int64(math.Floor(lon/d.res)), int64(math.Floor(lat/d.res))
		counts[grid.Interleave(uint32(x+dataBias), uint32(y+dataBias))] += n
	}
	path := data.Path(tb, d.file)
	if strings.HasSuffix(d.file, ".csv") {
		readCases(tb, path, add)
	} else {
		readPoints(tb, path, add)
	}
	return squaresOf(counts)
}

// readPoints reads the columns lon and lat of a Parquet file, a point for each row that
// has both.
func readPoints(tb testing.TB, path string, add func(lon, lat float64, n uint64)) {
	f := kit.Must(file.OpenParquetFile(path, false))
	defer f.Close()
	for g := range f.NumRowGroups() {
		group := f.RowGroup(g)
		n := group.NumRows()
		var at [2][]float64
		var is [2][]int16
		for c, column := range []string{"lon", "lat"} {
			in := kit.Must(group.Column(f.MetaData().Schema.ColumnIndexByName(column)))
			values, levels := make([]float64, n), make([]int16, n)
			for rows, have := int64(0), 0; rows < n; {
				all, some, err := in.(*file.Float64ColumnChunkReader).ReadBatch(n-rows, values[have:], levels[rows:], nil)
				if err != nil || all == 0 {
					tb.Fatalf("%s: %d of %d rows: %v", path, rows, n, err)
				}
				rows, have = rows+all, have+some
			}
			at[c], is[c] = values, levels
		}
		next := [2]int{}
		for i := range n {
			lon, lat := at[0][next[0]:], at[1][next[1]:]
			next[0], next[1] = next[0]+int(is[0][i]), next[1]+int(is[1][i])
			if is[0][i]*is[1][i] > 0 {
				add(lon[0], lat[0], 1)
			}
		}
	}
}

// readCases reads the last column of the COVID-19 cases.
func readCases(tb testing.TB, path string, add func(lon, lat float64, n uint64)) {
	f := kit.Must(os.Open(path))
	defer f.Close()
	rows := kit.Must(csv.NewReader(f).ReadAll())
	for _, row := range rows[1:] {
		lat, err := strconv.ParseFloat(row[2], 64)
		lon, errOfLon := strconv.ParseFloat(row[3], 64)
		n, errOfN := strconv.ParseUint(row[len(row)-1], 10, 64)
		if errors.Join(err, errOfLon, errOfN) == nil && n > 0 { // two places have no coordinates
			add(lon, lat, n)
		}
	}
}

// benchCells are the cells of the UK file.
func benchCells(b *testing.B) cells.Squares { return dataCells(b, "uk") }

// benchTree is the tree of half the bytes that all cells take, written and read.
func benchTree(b *testing.B) (held cells.Squares, sheets []Sheet) {
	held = benchCells(b)
	whole := CodeFor([][]cells.Squares{{held}})
	p, ok := Fit([]cells.Squares{held}, whole.Size()/2)
	if !ok {
		b.Fatal("half the bytes are too few")
	}
	b.Logf("%d cells, %d leaves, %d bytes, threshold %d", len(held.Keys), p.Parts[0].Len(), p.Size(), p.Tau.Value())
	return held, encoded(b, p.Code, p.Sheets[0])
}

func BenchmarkFit(b *testing.B) {
	held := benchCells(b)
	limit := CodeFor([][]cells.Squares{{held}}).Size() / 2
	for b.Loop() {
		Fit([]cells.Squares{held}, limit)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(held.Len()), "ns/cell")
}

// Groups of a query, each of them a few cells.
func BenchmarkFitSmall(b *testing.B) {
	for _, points := range []int{100, 1000} {
		b.Run(fmt.Sprint(points), func(b *testing.B) {
			s := squaresOf(clusters(rand.New(rand.NewPCG(44, 0)), points))
			limit := CodeFor([][]cells.Squares{{s}}).Size() / 2
			for b.Loop() {
				Fit([]cells.Squares{s}, limit)
			}
		})
	}
}

// BenchmarkRead measures how long it takes to open a tree.
func BenchmarkRead(b *testing.B) {
	for _, points := range []int{100, 1000, 100000} {
		b.Run(fmt.Sprint(points), func(b *testing.B) {
			s := squaresOf(clusters(rand.New(rand.NewPCG(44, 0)), points))
			blob := written(&s)
			for b.Loop() {
				if _, _, err := readTree(blob); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Single questions, for cells with points and for those beside them.
func BenchmarkFind(b *testing.B) {
	held, sheets := benchTree(b)
	r := rand.New(rand.NewPCG(42, 0))
	keys := make([]uint64, 1<<14)
	for i := range keys {
		keys[i] = held.Keys[r.IntN(held.Len())] + r.Uint64N(2)
	}
	i := 0
	for b.Loop() {
		find(&sheets[0], keys[i])
		i = (i + 1) % len(keys)
	}
}

// Questions in batches, in Z-order: for cells anywhere, and for neighbours; with
// packets read anew each time, and kept.
func BenchmarkFindAll(b *testing.B) {
	held, sheets := benchTree(b)
	const batch = 2048
	r := rand.New(rand.NewPCG(42, 0))
	for _, where := range []string{"anywhere", "neighbours"} {
		batches := make([][]uint64, 16)
		for i := range batches {
			from := r.IntN(max(1, held.Len()-batch))
			for j := range batch {
				k := r.IntN(held.Len())
				if where == "neighbours" {
					k = min(from+j, held.Len()-1)
				}
				batches[i] = append(batches[i], held.Keys[k]+r.Uint64N(2))
			}
			slices.Sort(batches[i])
		}
		for _, kept := range []string{"read", "kept"} {
			b.Run(where+"/"+kept, func(b *testing.B) {
				s := sheets[0]
				if kept == "kept" {
					room := int64(16 << 20)
					s.Keep(&room)
				}
				out := make([]cells.Leaf, batch)
				i := 0
				for b.Loop() {
					s.FindAll(batches[i], out)
					i = (i + 1) % len(batches)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batch, "ns/key")
			})
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	held := benchCells(b)
	whole := CodeFor([][]cells.Squares{{held}})
	p, _ := Fit([]cells.Squares{held}, whole.Size()/2)
	for b.Loop() {
		NewEncoder(p.Code).AppendSheet(nil, &p.Sheets[0][0])
	}
}

func BenchmarkAll(b *testing.B) {
	_, sheets := benchTree(b)
	for b.Loop() {
		sheets[0].All()
	}
}

// Boxes around cells with points.
func BenchmarkSum(b *testing.B) {
	held, sheets := benchTree(b)
	for _, side := range []uint64{16, 256} {
		b.Run(fmt.Sprint(side), func(b *testing.B) {
			r := rand.New(rand.NewPCG(43, side))
			boxes := make([]box, 1000)
			for i := range boxes {
				x, y := grid.Deinterleave(held.Keys[r.IntN(held.Len())])
				boxes[i] = box{x0: uint64(x) - r.Uint64N(side), y0: uint64(y) - r.Uint64N(side)}
				boxes[i].x1, boxes[i].y1 = boxes[i].x0+side, boxes[i].y0+side
			}
			i := 0
			for b.Loop() {
				boxes[i].sum(sheets)
				i = (i + 1) % len(boxes)
			}
		})
	}
}
