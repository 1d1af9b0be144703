package report

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

// Panel is one pair of axes.
type Panel struct {
	Title, X, Y string
	LogX, LogY  bool
	Series      []Series
	Legend      Place
}

// Place is where the legend stands.
type Place int

// Places of the legend.
const (
	Nowhere Place = iota
	TopRight
	TopLeft
	BottomRight
	BottomLeft
)

// Series is one row of points.
type Series struct {
	Label string
	X, Y  []float64
	// Lo and Hi are the ends of the intervals; nil for none.
	Lo, Hi []float64
	// Style says how it is drawn; series of one style look alike in every panel.
	Style  int
	Only   Part
	Dashed bool // with dots, whatever the style's dashes
}

// At adds a point.
func (s *Series) At(x, y float64) { s.X, s.Y = append(s.X, x), append(s.Y, y) }

// Within adds a point and its interval.
func (s *Series) Within(x, y, lo, hi float64) {
	s.At(x, y)
	s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, hi)
}

// Lines are empty series of those names, in different styles.
func Lines(names ...string) []Series {
	all := make([]Series, len(names))
	for i, name := range names {
		all[i] = Series{Label: name, Style: i}
	}
	return all
}

// Part of a line that is drawn alone.
type Part int

// What of a series is drawn.
const (
	Both Part = iota
	Marks
	Line
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
func drawPanels(rows [][]Panel) ([]byte, error) {
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

func (p Panel) plot() (*plot.Plot, error) {
	out := plot.New()
	out.Title.Text, out.X.Label.Text, out.Y.Label.Text = p.Title, p.X, p.Y
	// Logarithms are plotted on linear axes: the library misplaces the label of
	// a logarithmic one.
	if p.LogX {
		out.X.Tick.Marker = plot.TickerFunc(decades)
	}
	if p.LogY {
		out.Y.Tick.Marker = plot.TickerFunc(decades)
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{225}, color.Gray{225}
	out.Add(grid)
	switch p.Legend {
	case TopLeft:
		out.Legend.Top, out.Legend.Left = true, true
	case TopRight:
		out.Legend.Top = true
	case BottomLeft:
		out.Legend.Left = true
	}
	entries := 0
	for _, s := range p.Series {
		if err := s.add(out, p); err != nil {
			return nil, err
		}
		if p.Legend != Nowhere && s.Label != "" {
			entries++
		}
	}
	makeRoom(&out.Y, p, entries)
	return out, nil
}

// makeRoom widens the y axis, at the end where the legend is, by what its
// entries take.
func makeRoom(y *plot.Axis, p Panel, entries int) {
	if y.Min > y.Max || entries == 0 {
		return
	}
	share := min(0.6, 0.085*float64(entries))
	grow := share / (1 - share)
	if p.Legend == TopLeft || p.Legend == TopRight {
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
func (s Series) add(out *plot.Plot, p Panel) error {
	var at plotter.XYs
	var bars plotter.YErrors
	for i := range s.X {
		if math.IsNaN(s.Y[i]) || p.LogY && s.Y[i] <= 0 || p.LogX && s.X[i] <= 0 {
			continue
		}
		x, y := s.X[i], s.Y[i]
		if p.LogX {
			x = math.Log10(x)
		}
		if p.LogY {
			y = math.Log10(y)
		}
		at = append(at, plotter.XY{X: x, Y: y})
		if s.Lo != nil {
			lo, hi := s.Lo[i], s.Hi[i]
			if p.LogY {
				lo, hi = math.Log10(max(lo, s.Y[i]/10)), math.Log10(hi)
			}
			bars = append(bars, struct{ Low, High float64 }{y - lo, hi - y})
		}
	}
	colour, dash, shape := colours[s.Style%len(colours)], dashes[s.Style%len(dashes)], shapes[s.Style%len(shapes)]
	if s.Dashed {
		dash = []vg.Length{1, 3}
	}
	// Without points, which the library refuses, there is still a legend.
	l, points := &plotter.Line{XYs: at}, &plotter.Scatter{XYs: at}
	l.Color, l.Dashes, l.Width = colour, dash, vg.Points(1.1)
	points.Color, points.Shape, points.Radius = colour, shape, vg.Points(2.3)
	var shown []plot.Thumbnailer
	if s.Only != Marks {
		shown = append(shown, l)
	}
	if s.Only != Line {
		shown = append(shown, points)
	}
	if len(at) > 0 {
		for _, x := range shown {
			out.Add(x.(plot.Plotter))
		}
	}
	if s.Lo != nil && len(at) > 0 {
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
	if p.Legend != Nowhere && s.Label != "" {
		out.Legend.Add(s.Label, shown...)
	}
	return nil
}
