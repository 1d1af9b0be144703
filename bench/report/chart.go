package report

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/template"
)

// Chart is a small chart of quotients for a page that people see first, drawn of
// results that are kept: a bar from 1, where things are equal, on a logarithmic axis.
type Chart struct {
	File, Title, Below string // its name beside the pages, what stands above and below the bars
	Bars               []ChartBar
}

// ChartBar is where a bar's number stands: in a table of a section, in the row that
// begins with these cells, in the column of that head. Its median is drawn.
type ChartBar struct {
	Name, Section string
	Row           []string
	Column        string
}

//go:embed chart.svg
var chartText string

var chartSVG = template.Must(template.New("chart.svg").Parse(chartText))

// The axis: from the least power of ten on, in pixels.
const chartLeft, chartDecade, chartLeast = 252, 128, -2

// bar is a bar as the template draws it.
type bar struct {
	Name, Value                 string
	Y, TextTop                  int
	Left, Width, Label          int
	Anchor, Colour, LabelColour string
}

// draw is the chart of these results, empty where some are not there.
func (c *Chart) draw(sections map[string]*Section) string {
	var bars []bar
	for i, b := range c.Bars {
		s := sections[b.Section]
		if s == nil {
			return ""
		}
		value := s.number(b)
		const one = chartLeft - chartLeast*chartDecade
		end := max(chartLeft, one+int(math.Round(math.Log10(Must(strconv.ParseFloat(value, 64)))*chartDecade)))
		drawn := bar{b.Name, value, 49 + 26*i, 61 + 26*i, end, one - end, end - 5, "end", "#2f6fb0", "#222"}
		if end > one {
			drawn.Left, drawn.Width, drawn.Label, drawn.Anchor, drawn.Colour = one, end-one, end+5, "start", "#c0432f"
		} else if end < chartLeft+40 { // no room before the bar
			drawn.Label, drawn.Anchor, drawn.LabelColour = end+6, "start", "#fff"
		}
		bars = append(bars, drawn)
	}
	var out strings.Builder
	Check(chartSVG.Execute(&out, map[string]any{"Chart": c, "Bars": bars, "Bottom": 50 + 26*len(bars)}))
	return out.String()
}

// number is the figure of a bar as it stands in its table, without its range.
func (s *Section) number(b ChartBar) string {
	for _, t := range s.blocks {
		column := slices.Index(t.cells[0], b.Column)
		for _, r := range t.cells[1:] {
			if column >= 0 && slices.Equal(r[:min(len(r), len(b.Row))], b.Row) {
				value, _, _ := strings.Cut(r[column], " ")
				return value
			}
		}
	}
	panic(failure{fmt.Errorf("%s has no row %q with %q", s.name, b.Row, b.Column)})
}
