package tree

import (
	"bufio"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccbfsql/ccbfsql/filters/grid"
)

// dataBias puts the cells of the data sets where those of sketches are, off the
// corners of the curve.
const dataBias = 0x5555_5555

// dataCells are the cells of a data set, from a file NAME.csv of lines x,y,count in
// the folder that CCBF_CELLS names; ok is false without one. Such a file is
//
//	COPY (SELECT floor(lon / 0.001)::BIGINT, floor(lat / 0.001)::BIGINT, count(*)
//	      FROM 'uk_crime_2018q4.parquet' WHERE lon IS NOT NULL GROUP BY ALL)
//	TO 'uk.csv' (HEADER false);
func dataCells(tb testing.TB, name string) (s Squares, ok bool) {
	folder := os.Getenv("CCBF_CELLS")
	if folder == "" {
		return s, false
	}
	f, err := os.Open(filepath.Join(folder, name+".csv"))
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	type cell struct{ key, n uint64 }
	var cells []cell
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var x, y int64
		var n uint64
		if _, err := fmt.Fscanf(strings.NewReader(lines.Text()), "%d,%d,%d", &x, &y, &n); err != nil {
			tb.Fatalf("%s: %q: %v", name, lines.Text(), err)
		}
		cells = append(cells, cell{grid.Interleave(uint32(x+dataBias), uint32(y+dataBias)), n})
	}
	slices.SortFunc(cells, func(a, b cell) int { return cmp.Compare(a.key, b.key) })
	for _, c := range cells {
		s.Keys, s.Counts = append(s.Keys, c.key), append(s.Counts, c.n)
	}
	return s, true
}

// benchCells are the cells of the UK file, or where there is none clusters.
func benchCells(b *testing.B) Squares {
	if s, ok := dataCells(b, "uk"); ok {
		return s
	}
	return squaresOf(clusters(rand.New(rand.NewPCG(41, 0)), 300_000))
}

// benchTree is the tree of half the bytes that all cells take, written and read.
func benchTree(b *testing.B) (cells Squares, sheets []Sheet) {
	cells = benchCells(b)
	whole := CodeFor([][]Squares{{cells}})
	p, ok := Fit([]Squares{cells}, whole.Size()/2)
	if !ok {
		b.Fatal("half the bytes are too few")
	}
	b.Logf("%d cells, %d leaves, %d bytes, threshold %d", len(cells.Keys), p.Parts[0].Len(), p.Size(), p.Tau.Value())
	return cells, encoded(b, p.Code, p.Sheets[0])
}

func BenchmarkFit(b *testing.B) {
	cells := benchCells(b)
	limit := CodeFor([][]Squares{{cells}}).Size() / 2
	for b.Loop() {
		Fit([]Squares{cells}, limit)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(cells.Len()), "ns/cell")
}

// Groups of a query, each of them a few cells.
func BenchmarkFitSmall(b *testing.B) {
	for _, points := range []int{100, 1000} {
		b.Run(fmt.Sprint(points), func(b *testing.B) {
			s := squaresOf(clusters(rand.New(rand.NewPCG(44, 0)), points))
			limit := CodeFor([][]Squares{{s}}).Size() / 2
			for b.Loop() {
				Fit([]Squares{s}, limit)
			}
		})
	}
}

// What a question to another tree begins with.
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
	cells, sheets := benchTree(b)
	r := rand.New(rand.NewPCG(42, 0))
	keys := make([]uint64, 1<<14)
	for i := range keys {
		keys[i] = cells.Keys[r.IntN(cells.Len())] + r.Uint64N(2)
	}
	var block Block
	i := 0
	for b.Loop() {
		sheets[0].Find(keys[i], &block)
		i = (i + 1) % len(keys)
	}
}

// Questions in batches, in Z-order: for cells anywhere, and for neighbours; with
// blocks read anew each time, and kept.
func BenchmarkFindAll(b *testing.B) {
	cells, sheets := benchTree(b)
	const batch = 2048
	r := rand.New(rand.NewPCG(42, 0))
	for _, where := range []string{"anywhere", "neighbours"} {
		batches := make([][]uint64, 16)
		for i := range batches {
			from := r.IntN(max(1, cells.Len()-batch))
			for j := range batch {
				k := r.IntN(cells.Len())
				if where == "neighbours" {
					k = min(from+j, cells.Len()-1)
				}
				batches[i] = append(batches[i], cells.Keys[k]+r.Uint64N(2))
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
				var block Block
				out := make([]Leaf, batch)
				i := 0
				for b.Loop() {
					s.FindAll(batches[i], out, &block)
					i = (i + 1) % len(batches)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batch, "ns/key")
			})
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	cells := benchCells(b)
	whole := CodeFor([][]Squares{{cells}})
	p, _ := Fit([]Squares{cells}, whole.Size()/2)
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
	cells, sheets := benchTree(b)
	for _, side := range []uint64{16, 256} {
		b.Run(fmt.Sprint(side), func(b *testing.B) {
			r := rand.New(rand.NewPCG(43, side))
			boxes := make([]box, 1000)
			for i := range boxes {
				x, y := grid.Deinterleave(cells.Keys[r.IntN(cells.Len())])
				boxes[i] = box{x0: uint64(x) - r.Uint64N(side), y0: uint64(y) - r.Uint64N(side)}
				boxes[i].x1, boxes[i].y1 = boxes[i].x0+side, boxes[i].y0+side
			}
			var block Block
			i := 0
			for b.Loop() {
				sheets[0].Sum(&boxes[i], &block)
				i = (i + 1) % len(boxes)
			}
		})
	}
}
