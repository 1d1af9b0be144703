package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Row is a named quotient with its spread. Rows of one name share a line; kinds
// tell them apart, and stand in the legend.
type Row struct {
	Name, Kind string
	At, Lo, Hi float64
}

// Rows adds a figure of positive quotients, a line for each name, the first on
// top, on a logarithmic axis with a thick line at 1, where things are equal.
func (s *Section) Rows(name, caption, axis string, rows []Row) {
	s.blocks = append(s.blocks, &figure{file: s.name + "-" + name + ".svg", caption: caption, svg: Must(drawRows(axis, rows))})
}

func drawRows(axis string, rows []Row) ([]byte, error) {
	names, kinds := distinct(rows, func(r Row) string { return r.Name }), distinct(rows, func(r Row) string { return r.Kind })
	slices.Reverse(names) // the axis goes up
	out := plot.New()
	out.X.Label.Text = axis
	out.X.Tick.Marker = plot.TickerFunc(decades)
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{225}, color.Gray{225}
	top := float64(len(names)) - 0.5
	one, err := plotter.NewLine(plotter.XYs{{X: 0, Y: -0.5}, {X: 0, Y: top}})
	if err != nil {
		return nil, err
	}
	one.Width = vg.Points(1.5)
	out.Add(grid, one)
	out.NominalY(names...)
	out.Legend.Top, out.Legend.Left = true, true
	out.Y.Padding = 0.3 * vg.Inch // names are wider where the font is another
	for i, kind := range kinds {
		var points plotter.XYs
		var bars plotter.XErrors
		for _, r := range rows {
			if r.Kind != kind {
				continue
			}
			if !(r.Lo > 0) || math.IsInf(r.Hi, 1) {
				return nil, fmt.Errorf("row %q goes from %v to %v", r.Name, r.Lo, r.Hi)
			}
			at := math.Log10(r.At)
			// Kinds lie below one another within their line.
			points = append(points, plotter.XY{X: at, Y: (float64(slices.Index(names, r.Name)) + 0.3*(float64(len(kinds)-1)/2-float64(i)))})
			bars = append(bars, struct{ Low, High float64 }{at - math.Log10(r.Lo), math.Log10(r.Hi) - at})
		}
		whiskers, err := plotter.NewXErrorBars(struct {
			plotter.XYs
			plotter.XErrors
		}{points, bars})
		if err != nil {
			return nil, err
		}
		marks, err := plotter.NewScatter(points)
		if err != nil {
			return nil, err
		}
		whiskers.Color, whiskers.CapWidth = colours[i%len(colours)], vg.Points(3)
		marks.Color, marks.Shape, marks.Radius = colours[i%len(colours)], rowShapes[i%len(rowShapes)], vg.Points(2.6)
		out.Add(whiskers, marks)
		if kind != "" {
			out.Legend.Add(kind, marks)
			top += 0.8
		}
	}
	lo, hi := math.Log10(0.5), math.Log10(2) // of the axis, in any case
	for _, r := range rows {
		lo, hi = min(lo, math.Log10(r.Lo)), max(hi, math.Log10(r.Hi))
	}
	margin := 0.03 * (hi - lo)
	out.X.Min, out.X.Max = lo-margin, hi+margin
	out.Y.Min, out.Y.Max = -0.5, top
	c := vgsvg.New(2*panelWidth, (vg.Length(top+2)*rowHeight*max(1, vg.Length(len(kinds))*0.7))+0.4*vg.Inch)
	out.Draw(draw.Crop(draw.New(c), vg.Millimeter, -3*vg.Millimeter, vg.Millimeter, -vg.Millimeter))
	var b bytes.Buffer
	_, err = c.WriteTo(&b)
	return b.Bytes(), err
}

// rowHeight is that of a line with one kind.
const rowHeight = 0.19 * vg.Inch

// rowShapes are the shapes that differ most: full and empty ones in turn.
var rowShapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.RingGlyph{}, draw.PyramidGlyph{}, draw.BoxGlyph{}}

// distinct are the different keys of rows, in the order of their first.
func distinct(rows []Row, key func(Row) string) []string {
	var out []string
	for _, r := range rows {
		if k := key(r); !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}
