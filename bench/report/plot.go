package report

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
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
