package main

import (
	"fmt"
	"strings"

	"github.com/ccbfsql/ccbfsql/bench/report"
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
)

// claimSide is the side whose sums stand for large areas in the claims.
const claimSide = 64

// levels compares sums over squares of dense sketches of equal size, with
// levels of quads and without.
func levels(c report.Config, s *report.Section) {
	seeds := report.Pick(c, 1, 2, 4)
	squares := report.Pick(c, 10, 100, 300)
	const levels = 8
	cells, counts, what := crimes(c.Data, 0.01)
	truth := newArea(cells, counts)
	s.Text("With the option `levels` a dense sketch counts the quads above the cells as well (range trees, as in \"Spectral Bloom Filters\", "+
		"section 5.5, in two dimensions). A sum over an area is then made of few counts in place of many, each of them too high at most "+
		"by what one lookup is; but more keys share the counters, so that each is further off. Here on %s, at 0.01 degrees: %d cells with points. Squares of side n "+
		"cells, %d of each, each around a point drawn at random, with %d seeds of the hash; sketches with `exact: false`, default mode, k and layers, and %d levels. "+
		"The error of a sum is its excess in parts of the truth, in the mean over the squares; sums are never below the truth.", what, len(cells), squares, seeds, levels)
	sides := []int64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512}
	perCell := []float64{14, 7.4, 4}
	t := s.Table("side n", "points, mean")
	for _, counters := range perCell {
		t.Heads(fmt.Sprintf("%s counters a cell: without", report.Num(counters)), "with levels")
	}
	rows := make([][]any, len(sides))
	var panels []report.Panel
	var finding []string
	probe := report.Must(ccbf.Params{Res: 0.01, Bytes: 1 << 20, Dense: true}.Config())
	perCounter := float64(probe.DenseBytes()) / float64(probe.Counters()[0]) // of all layers
	for _, counters := range perCell {
		bytes := uint64(counters * float64(len(cells)) * perCounter)
		type excess [2]float64 // without levels, with
		sums := report.Parallel(s, seeds, func(seed int) []excess {
			var views [2]ccbf.View
			for i := range views {
				config := report.Must(ccbf.Params{Res: 0.01, Bytes: bytes, Dense: true, Seed: seedOf(seed), Levels: i * levels}.Config())
				report.Check(views[i].Reset(sketched(config, cells, counts)))
			}
			r := random(seedOf(seed), 31)
			out := make([]excess, len(sides))
			for j, side := range sides {
				for range squares {
					at := cells[r.IntN(len(cells))]
					x, y := at.X-r.Int64N(side), at.Y-r.Int64N(side)
					box := grid.Rect{MinX: x, MinY: y, MaxX: x + side - 1, MaxY: y + side - 1}
					want := float64(truth.sum(box))
					for i := range views {
						got := report.Must(views[i].BoxSum(box, nil))
						report.Require(float64(got) >= want, "a sum of %d, the truth is %v", got, want)
						out[j][i] += (float64(got) - want) / want / float64(squares)
					}
				}
			}
			return out
		})
		var x, without, with []float64
		cross := int64(0)
		for j, side := range sides {
			var e excess
			for _, of := range sums {
				e[0] += of[j][0] / float64(seeds)
				e[1] += of[j][1] / float64(seeds)
			}
			rows[j] = append(rows[j], report.Percent2(e[0]), report.Percent2(e[1]))
			if side == claimSide {
				s.Compare(fmt.Sprintf("excess of a sum over %d x %d cells, %s counters a cell: without levels; with 8 (spectral paper, section 5.5, in two dimensions)", side, side, report.Num(counters)), "-").
					Defaults(report.Percent2(e[0]) + "; " + report.Percent2(e[1])).Bytes(sketch.Number(bytes))
			}
			x, without, with = append(x, float64(side)), append(without, 100*e[0]), append(with, 100*e[1])
			if e[1] > e[0] {
				cross = side
			}
		}
		panels = append(panels, report.Panel{
			Title: report.Num(counters) + " counters a cell", X: "side of the square in cells", Y: "excess in percent", LogX: true, Legend: report.TopRight,
			Series: []report.Series{{Label: "without levels", X: x, Y: without}, {Label: "with 8 levels", X: x, Y: with, Style: 1}},
		})
		finding = append(finding, fmt.Sprintf("%d with %s counters a cell", cross, report.Num(counters)))
	}
	r := random(seedOf(0), 32)
	for j, side := range sides {
		mean := 0.0
		for range squares {
			at := cells[r.IntN(len(cells))]
			x, y := at.X-r.Int64N(side), at.Y-r.Int64N(side)
			mean += float64(truth.sum(grid.Rect{MinX: x, MinY: y, MaxX: x + side - 1, MaxY: y + side - 1})) / float64(squares)
		}
		t.Row(append([]any{side, report.Num(mean)}, rows[j]...)...)
	}
	s.Short("in the same bytes sums with levels are closer from squares of some cells on; the largest side at which they are further off is %s.", strings.Join(finding, ", "))
	s.Figure("excess", "Excess of sums over squares, with levels and without, at equal bytes.", panels)
}

// sketched is the BLOB of a sketch of cells and their counts.
func sketched(config ccbf.Config, cells []grid.Cell, counts []uint64) []byte {
	b := ccbf.NewBuilder(config, nil)
	for i, c := range cells {
		report.Check(b.Add(c, nil, key.None, counts[i]))
	}
	return report.Must(b.Sketch()).Blob()
}
