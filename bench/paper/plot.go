package main

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strconv"

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
	// Logarithms are plotted on linear axes: the library misplaces the label of
	// a logarithmic one.
	if p.logX {
		out.X.Tick.Marker = plot.TickerFunc(decades)
	}
	if p.logY {
		out.Y.Tick.Marker = plot.TickerFunc(decades)
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
	entries := 0
	for _, s := range p.series {
		if err := s.add(out, p); err != nil {
			return nil, err
		}
		if p.legend != nowhere && s.label != "" {
			entries++
		}
	}
	makeRoom(&out.Y, p, entries)
	return out, nil
}

// makeRoom widens the y axis, at the end where the legend is, by what its
// entries take.
func makeRoom(y *plot.Axis, p panel, entries int) {
	if y.Min > y.Max || entries == 0 {
		return
	}
	share := min(0.6, 0.085*float64(entries))
	grow := share / (1 - share)
	if p.legend == topLeft || p.legend == topRight {
		y.Max += (y.Max - y.Min) * grow
	} else {
		y.Min -= (y.Max - y.Min) * grow
	}
}

// decades are the ticks of an axis of logarithms to base 10: whole ones, not
// more than seven of them with a label, and where there are few also those of 2
// and 5 times the powers.
func decades(lo, hi float64) []plot.Tick {
	from, to := int(math.Ceil(lo-1e-9)), int(math.Floor(hi+1e-9))
	every := (to-from)/7 + 1
	var ticks []plot.Tick
	for e := from - 1; e <= to; e++ {
		for digit := 1; digit <= 9; digit++ {
			at := float64(e) + math.Log10(float64(digit))
			if at < lo-1e-9 || at > hi+1e-9 || digit > 1 && to-from >= 6 {
				continue
			}
			t := plot.Tick{Value: at}
			if digit == 1 && (e-from)%every == 0 || to-from < 2 && (digit == 2 || digit == 5) {
				t.Label = tickLabel(digit, e)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// tickLabel is digit times 10^e.
func tickLabel(digit, e int) string {
	if e >= -3 && e <= 6 {
		return strconv.FormatFloat(float64(digit)*math.Pow10(e), 'f', max(0, -e), 64)
	}
	return fmt.Sprintf("%de%d", digit, e)
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
		x, y := s.x[i], s.y[i]
		if p.logX {
			x = math.Log10(x)
		}
		if p.logY {
			y = math.Log10(y)
		}
		at = append(at, plotter.XY{X: x, Y: y})
		if s.lo != nil {
			lo, hi := s.lo[i], s.hi[i]
			if p.logY {
				lo, hi = math.Log10(max(lo, s.y[i]/10)), math.Log10(hi)
			}
			bars = append(bars, struct{ Low, High float64 }{y - lo, hi - y})
		}
	}
	colour, dash, shape := colours[s.style%len(colours)], dashes[s.style%len(dashes)], shapes[s.style%len(shapes)]
	if s.dashed {
		dash = []vg.Length{1, 3}
	}
	// Without points, which the library refuses, there is still a legend.
	l, points := &plotter.Line{XYs: at}, &plotter.Scatter{XYs: at}
	l.Color, l.Dashes, l.Width = colour, dash, vg.Points(1.1)
	points.Color, points.Shape, points.Radius = colour, shape, vg.Points(2.3)
	var shown []plot.Thumbnailer
	if s.only != marks {
		shown = append(shown, l)
	}
	if s.only != line {
		shown = append(shown, points)
	}
	if len(at) > 0 {
		for _, x := range shown {
			out.Add(x.(plot.Plotter))
		}
	}
	if s.lo != nil && len(at) > 0 {
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
