package main

import (
	"bytes"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// panel is one pair of axes.
type panel struct {
	title, x, y string
	logX, logY  bool
	series      []series
	legend      place
}

// place is where the legend stands.
type place int

const (
	nowhere place = iota
	topRight
	topLeft
	bottomRight
	bottomLeft
)

// series is one row of points.
type series struct {
	label string
	x, y  []float64
	// lo and hi are the ends of the intervals; nil for none.
	lo, hi []float64
	// style says how it is drawn; series of one style look alike in every panel.
	style  int
	only   part
	dashed bool // with dots, whatever the style's dashes
}

// part of a line that is drawn alone.
type part int

const (
	both part = iota
	marks
	line
)

// Told apart by dashes and shapes; colours only help.
var (
	dashes = [][]vg.Length{nil, {6, 3}, {2, 2}, {8, 3, 2, 3}, {4, 2}, {12, 2}, {10, 4}, {3, 3, 1, 3}}
	shapes = []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
		draw.RingGlyph{}, draw.PlusGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{},
	}
	colours = []color.Color{
		color.RGBA{0, 0, 0, 255}, color.RGBA{0, 90, 160, 255}, color.RGBA{190, 70, 0, 255}, color.RGBA{0, 120, 80, 255},
		color.RGBA{120, 60, 130, 255}, color.RGBA{90, 90, 90, 255}, color.RGBA{150, 110, 0, 255}, color.RGBA{160, 0, 60, 255},
	}
)

const (
	panelWidth  = 4.4 * vg.Inch
	panelHeight = 3.2 * vg.Inch
)

// drawPanels makes a picture of rows of panels.
func drawPanels(rows [][]panel) ([]byte, error) {
	width := 0
	plots := make([][]*plot.Plot, len(rows))
	for i, row := range rows {
		width = max(width, len(row))
		for _, p := range row {
			made, err := p.plot()
			if err != nil {
				return nil, err
			}
			plots[i] = append(plots[i], made)
		}
	}
	for i := range plots {
		for len(plots[i]) < width {
			plots[i] = append(plots[i], nil)
		}
	}
	c := vgsvg.New(panelWidth*vg.Length(width), panelHeight*vg.Length(len(rows)))
	tiles := draw.Tiles{Rows: len(rows), Cols: width, PadX: 4 * vg.Millimeter, PadY: 4 * vg.Millimeter, PadTop: vg.Millimeter, PadRight: 2 * vg.Millimeter}
	canvases := plot.Align(plots, tiles, draw.New(c))
	for i := range plots {
		for j, p := range plots[i] {
			if p != nil {
				p.Draw(canvases[i][j])
			}
		}
	}
	var b bytes.Buffer
	_, err := c.WriteTo(&b)
	return b.Bytes(), err
}

func (p panel) plot() (*plot.Plot, error) {
	out := plot.New()
	out.Title.Text, out.X.Label.Text, out.Y.Label.Text = p.title, p.x, p.y
	if p.logX {
		out.X.Scale, out.X.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	if p.logY {
		out.Y.Scale, out.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{225}, color.Gray{225}
	out.Add(grid)
	switch p.legend {
	case topLeft:
		out.Legend.Top, out.Legend.Left = true, true
	case topRight:
		out.Legend.Top = true
	case bottomLeft:
		out.Legend.Left = true
	}
	for _, s := range p.series {
		if err := s.add(out, p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// add draws the series. Points that a logarithmic axis cannot show are left
// out.
func (s series) add(out *plot.Plot, p panel) error {
	var at plotter.XYs
	var bars plotter.YErrors
	for i := range s.x {
		if math.IsNaN(s.y[i]) || p.logY && s.y[i] <= 0 || p.logX && s.x[i] <= 0 {
			continue
		}
		at = append(at, plotter.XY{X: s.x[i], Y: s.y[i]})
		if s.lo != nil {
			lo := s.lo[i]
			if p.logY && lo <= 0 {
				lo = s.y[i]
			}
			bars = append(bars, struct{ Low, High float64 }{s.y[i] - lo, s.hi[i] - s.y[i]})
		}
	}
	if len(at) == 0 {
		return nil
	}
	colour, dash, shape := colours[s.style%len(colours)], dashes[s.style%len(dashes)], shapes[s.style%len(shapes)]
	if s.dashed {
		dash = []vg.Length{1, 3}
	}
	l, points, err := plotter.NewLinePoints(at)
	if err != nil {
		return err
	}
	l.Color, l.Dashes, l.Width = colour, dash, vg.Points(1.1)
	points.Color, points.Shape, points.Radius = colour, shape, vg.Points(2.3)
	var shown []plot.Thumbnailer
	if s.only != marks {
		out.Add(l)
		shown = append(shown, l)
	}
	if s.only != line {
		out.Add(points)
		shown = append(shown, points)
	}
	if s.lo != nil {
		e, err := plotter.NewYErrorBars(struct {
			plotter.XYs
			plotter.YErrors
		}{at, bars})
		if err != nil {
			return err
		}
		e.Color, e.CapWidth = colour, vg.Points(3)
		out.Add(e)
	}
	if p.legend != nowhere && s.label != "" {
		out.Legend.Add(s.label, shown...)
	}
	return nil
}
