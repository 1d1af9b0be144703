package report

import (
	"bytes"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Series is a line of points.
type Series struct {
	Label string
	X, Y  []float64
	// Lo and Hi are the ends of the interval around each point; nil: no intervals are drawn.
	Lo, Hi []float64
	// Style selects colour, dashes and marks. A style looks the same in every panel.
	Style  int
	Only   string // the only part that is drawn, "marks" or "line"; "": both
	Dashed bool   // the line is dotted, whatever the style
}

// At adds a point.
func (s *Series) At(x, y float64) { s.X, s.Y = append(s.X, x), append(s.Y, y) }

// Within adds a point and its interval.
func (s *Series) Within(x, y, lo, hi float64) {
	s.At(x, y)
	s.Lo, s.Hi = append(s.Lo, lo), append(s.Hi, hi)
}

// shapes are the marks of styles. They are small in a file.
var shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
	draw.RingGlyph{}, draw.PlusGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{},
}

const (
	panelWidth  = 4.4 * vg.Inch
	panelHeight = 3.2 * vg.Inch
)

// drawPanels draws panels in rows of so many columns, as SVG.
func drawPanels(panels []*plot.Plot, columns int) []byte {
	rows := slices.Collect(slices.Chunk(panels, columns))
	last := len(rows) - 1
	rows[last] = append(slices.Clone(rows[last]), make([]*plot.Plot, columns-len(rows[last]))...)
	c := vgsvg.New(panelWidth*vg.Length(columns), panelHeight*vg.Length(len(rows)))
	tiles := draw.Tiles{Rows: len(rows), Cols: columns, PadX: 4 * vg.Millimeter, PadY: 4 * vg.Millimeter, PadTop: vg.Millimeter, PadRight: 2 * vg.Millimeter}
	for i, row := range plot.Align(rows, tiles, draw.New(c)) {
		for j, canvas := range row {
			if p := rows[i][j]; p != nil {
				p.Draw(canvas)
			}
		}
	}
	var b bytes.Buffer
	Must(c.WriteTo(&b))
	return b.Bytes()
}

// panel returns a pair of axes x and y with series. logarithmic names the logarithmic axes: "x", "y"
// or "xy". legend is the place of the legend, such as "top right"; "": none.
func panel(title, x, y, logarithmic, legend string, series []Series) *plot.Plot {
	out := plot.New()
	out.Title.Text, out.X.Label.Text, out.Y.Label.Text = title, x, y
	// Logarithms are plotted on linear axes, because the library misplaces the label of a
	// logarithmic one.
	logX, logY := strings.Contains(logarithmic, "x"), strings.Contains(logarithmic, "y")
	if logX {
		out.X.Tick.Marker = plot.TickerFunc(decades)
	}
	if logY {
		out.Y.Tick.Marker = plot.TickerFunc(decades)
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{225}, color.Gray{225}
	out.Add(grid)
	top := strings.HasPrefix(legend, "top")
	out.Legend.Top, out.Legend.Left = top, strings.HasSuffix(legend, "left")
	entries := 0
	for _, s := range series {
		shown := s.add(out, logX, logY)
		if legend != "" && s.Label != "" {
			out.Legend.Add(s.Label, shown...)
			entries++
		}
	}
	// The y axis is longer by the space of the legend's entries.
	if entries > 0 && out.Y.Min <= out.Y.Max {
		share := min(0.6, 0.085*float64(entries))
		space := (out.Y.Max - out.Y.Min) * (share / (1 - share))
		if top {
			out.Y.Max += space
		} else {
			out.Y.Min -= space
		}
	}
	return out
}

// decades returns the ticks of an axis of base-10 logarithms. At most seven powers of ten have
// labels. If there are few, 2 and 5 times these have labels too.
func decades(lo, hi float64) (ticks []plot.Tick) {
	first, last := int(math.Floor(lo)), int(math.Ceil(hi))
	every := (last-first)/7 + 1
	for e := first; e <= last; e++ {
		format := byte('f')
		if e < -4 || e > 6 {
			format = 'g'
		}
		for digit := 1.; digit < 10; digit++ {
			t := plot.Tick{Value: float64(e) + math.Log10(digit)}
			if digit == 1 && (e-first)%every == 0 || last-first <= 2 && (digit == 2 || digit == 5) {
				t.Label = strconv.FormatFloat(digit*math.Pow10(e), format, -1, 64)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// logarithm returns the value on an axis: on a logarithmic one its base-10 logarithm, or NaN if it
// has none.
func logarithm(is bool, v float64) float64 {
	switch {
	case !is:
		return v
	case v <= 0:
		return math.NaN()
	}
	return math.Log10(v)
}

// add draws the series without points that a logarithmic axis cannot show. It returns the parts for the
// legend.
func (s Series) add(out *plot.Plot, logX, logY bool) (shown []plot.Thumbnailer) {
	var at plotter.XYs
	var bars plotter.YErrors
	for i := range s.X {
		x, y := logarithm(logX, s.X[i]), logarithm(logY, s.Y[i])
		if math.IsNaN(x) || math.IsNaN(y) {
			continue
		}
		at = append(at, plotter.XY{X: x, Y: y})
		if s.Lo == nil {
			continue
		}
		low := logarithm(logY, s.Lo[i])
		if math.IsNaN(low) { // on a logarithmic axis an interval that reaches 0 has no lower end
			low = y - 1
		}
		bars = append(bars, struct{ Low, High float64 }{y - low, logarithm(logY, s.Hi[i]) - y})
	}
	// The library's constructors refuse series without points. Here such a series has an entry in
	// the legend, so its parts are made without them.
	l, points := &plotter.Line{XYs: at}, &plotter.Scatter{XYs: at}
	l.Color, l.Dashes, l.Width = plotutil.DarkColors[s.Style%len(plotutil.DarkColors)], plotutil.Dashes(s.Style), vg.Points(1.1)
	points.Color, points.Shape, points.Radius = l.Color, shapes[s.Style%len(shapes)], vg.Points(2.3)
	if s.Dashed {
		l.Dashes = []vg.Length{1, 3}
	}
	if s.Only != "marks" {
		shown = append(shown, l)
	}
	if s.Only != "line" {
		shown = append(shown, points)
	}
	if len(at) > 0 {
		for _, x := range shown {
			out.Add(x.(plot.Plotter))
		}
	}
	if len(bars) > 0 {
		style := plotter.DefaultLineStyle
		style.Color = l.Color
		out.Add(&plotter.YErrorBars{XYs: at, YErrors: bars, LineStyle: style, CapWidth: vg.Points(3)})
	}
	return shown
}
