package grid

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/paulmach/orb"
	"github.com/paulmach/orb/encoding/wkb"
	"github.com/paulmach/orb/encoding/wkt"
)

// All rows of all countries of the world; one operation is the whole world.
func BenchmarkScanWorld(b *testing.B) {
	for _, res := range []struct {
		name string
		res  float64
	}{{"res=0.1", 0.1}, {"res=0.01", 0.01}} {
		b.Run(res.name, func(b *testing.B) {
			all := countries(b)
			g := mustGrid(b, res.res)
			b.ReportAllocs()
			var cells, rows uint64
			for b.Loop() {
				cells, rows = 0, 0
				for i := range all {
					s, err := g.Scan(all[i].mp, MaxRect())
					if err != nil {
						b.Fatal(err)
					}
					cells += count(s)
					rows += s.Bounds().Height()
				}
			}
			b.ReportMetric(float64(cells), "cells")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
		})
	}
}

// Squares of all countries at 0.01 degrees, from 4096 by 4096 cells down to 2 by
// 2: what a sum over levels asks at most. BenchmarkScanWorld/res=0.01 is the
// same by rows.
func BenchmarkDescendWorld(b *testing.B) {
	all := countries(b)
	g := mustGrid(b, 0.01)
	b.ReportAllocs()
	squares := 0
	var visit func(d *Descent, level int, x, y int64)
	visit = func(d *Descent, level int, x, y int64) {
		squares++
		if d.Enter(Rect{x << level, y << level, (x+1)<<level - 1, (y+1)<<level - 1}) != Partly {
			return
		}
		for i := range int64(4) {
			if level > 1 {
				visit(d, level-1, 2*x+i&1, 2*y+i>>1)
			} else {
				d.Contains(Cell{2*x + i&1, 2*y + i>>1})
			}
		}
		d.Leave()
	}
	for b.Loop() {
		squares = 0
		for i := range all {
			const top = 12
			d := mustDescend(b, g, all[i].mp)
			r := d.Bounds()
			for y := r.MinY >> top; y <= r.MaxY>>top; y++ {
				for x := r.MinX >> top; x <= r.MaxX>>top; x++ {
					visit(d, top, x, y)
				}
			}
		}
	}
	b.ReportMetric(float64(squares), "squares")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(squares), "ns/square")
}

// Setting up only: what a query pays before its first row.
func BenchmarkScanWorldSetup(b *testing.B) {
	all := countries(b)
	g := mustGrid(b, 0.01)
	b.ReportAllocs()
	for b.Loop() {
		for i := range all {
			if _, err := g.Scan(all[i].mp, MaxRect()); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkScanSmall(b *testing.B) {
	g := mustGrid(b, 0.01)
	for _, c := range []struct{ name, wkt string }{
		{"square", "POLYGON((13.40 52.50, 13.43 52.50, 13.43 52.53, 13.40 52.53, 13.40 52.50))"},
		{"holed", "POLYGON((13.40 52.50, 13.45 52.50, 13.46 52.55, 13.40 52.55, 13.40 52.50),(13.41 52.51,13.43 52.51,13.43 52.53,13.41 52.51))"},
	} {
		mp := mustWKT(b, c.wkt)
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s, err := g.Scan(mp, MaxRect())
				if err != nil || count(s) == 0 {
					b.Fatal(err)
				}
			}
		})
	}
}

// One operation reads the geometries of all countries.
func BenchmarkParseWorld(b *testing.B) {
	all := countries(b)
	for _, format := range []struct {
		name  string
		write func(c country) []byte
	}{
		{"feature", func(c country) []byte { return c.raw }},
		{"geojson", func(c country) []byte { return []byte(asGeoJSON(b, c.mp)) }},
		{"wkt", func(c country) []byte { return wkt.Marshal(c.mp) }},
		{"wkb", func(c country) []byte { return wkb.MustMarshal(c.mp) }},
	} {
		b.Run(format.name, func(b *testing.B) {
			var in [][]byte
			size := 0
			for _, c := range all {
				in = append(in, format.write(c))
				size += len(in[len(in)-1])
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				for _, s := range in {
					if _, err := ParsePolygon(s); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// One operation reads the file of all countries as one collection.
func BenchmarkParseCollection(b *testing.B) {
	s := worldFile(b)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParsePolygon(s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseSmall(b *testing.B) {
	s := []byte("POLYGON((13.40 52.50, 13.43 52.50, 13.43 52.53, 13.40 52.53, 13.40 52.50))")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParsePolygon(s); err != nil {
			b.Fatal(err)
		}
	}
}

func perRow(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/row")
}

func points() (xs, ys []float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	xs, ys = make([]float64, 2048), make([]float64, 2048)
	for i := range xs {
		xs[i], ys[i] = 360*rng.Float64()-180, 160*rng.Float64()-80
	}
	return xs, ys
}

func BenchmarkCells(b *testing.B) {
	xs, ys := points()
	dst := make([]Cell, len(xs))
	g := mustGrid(b, 0.001)
	for b.Loop() {
		if _, err := g.Cells(dst, xs, ys); err != nil {
			b.Fatal(err)
		}
	}
	perRow(b, len(xs))
}

func BenchmarkAppendQuadkey(b *testing.B) {
	xs, ys := points()
	buf := make([]byte, 0, 64)
	for b.Loop() {
		for i := range xs {
			buf, _ = AppendQuadkey(buf[:0], xs[i], ys[i], 12)
		}
	}
	perRow(b, len(xs))
}

func BenchmarkTileY(b *testing.B) {
	_, ys := points()
	sum := int64(0)
	for b.Loop() {
		for i := range ys {
			y, _ := TileY(ys[i], 12)
			sum += y
		}
	}
	perRow(b, len(ys))
}

func BenchmarkInterleave(b *testing.B) {
	var sum uint64
	for b.Loop() {
		for i := range uint32(1024) {
			sum += Interleave(i, uint32(sum))
		}
	}
	perRow(b, 1024)
}

// A star of a million points: the worst that large polygons usually are.
func BenchmarkScanMillionPoints(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	ring := orb.Ring{}
	for i := range 1_000_000 {
		a := 2 * math.Pi * float64(i) / 1e6
		d := 100 + rng.Float64()
		ring = append(ring, orb.Point{d * math.Cos(a), d * math.Sin(a)})
	}
	mp := orb.MultiPolygon{{append(ring, ring[0])}}
	g := mustGrid(b, 0.1)
	for b.Loop() {
		if count(mustScan(b, g, mp, MaxRect())) == 0 {
			b.Fatal("empty")
		}
	}
}
