package report

import (
	"bytes"
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

// The axis: from the least to the largest power of ten, in pixels.
const (
	chartLeft, chartDecade = 252, 128
	chartLeast             = -2
	chartOne               = chartLeft - chartLeast*chartDecade
)

// bar is a bar as the template draws it.
type bar struct {
	Name, Value    string
	Y, Left, Width int
	Label, TextTop int
	Anchor, Colour string
	LabelColour    string
}

// draw is the chart of these results, nil where some are not there.
func (c *Chart) draw(sections map[string]*Section) []byte {
	var bars []bar
	for i, b := range c.Bars {
		s := sections[b.Section]
		if s == nil {
			return nil
		}
		bars = append(bars, b.draw(s.number(b), 49+26*i))
	}
	var out bytes.Buffer
	Check(chartSVG.Execute(&out, map[string]any{"Chart": c, "Bars": bars, "Bottom": 50 + 26*len(bars)}))
	return out.Bytes()
}

// number is the figure of a bar as it stands in its table, without its range.
func (s *Section) number(b ChartBar) string {
	for _, block := range s.blocks {
		t, ok := block.(*Table)
		if !ok {
			continue
		}
		column := slices.Index(t.head, b.Column)
		for _, r := range t.rows {
			if column >= 0 && slices.Equal(r[:min(len(r), len(b.Row))], b.Row) {
				value, _, _ := strings.Cut(r[column], " ")
				return value
			}
		}
	}
	panic(failure{fmt.Errorf("%s has no row %q with %q", s.name, b.Row, b.Column)})
}

func (b ChartBar) draw(value string, y int) bar {
	v := Must(strconv.ParseFloat(value, 64))
	end := max(chartLeft, chartOne+int(math.Round(math.Log10(v)*chartDecade)))
	out := bar{Name: b.Name, Value: value, Y: y, TextTop: y + 12, LabelColour: "#222"}
	if v > 1 {
		out.Left, out.Width, out.Label, out.Anchor, out.Colour = chartOne, end-chartOne, end+5, "start", "#c0432f"
	} else {
		out.Left, out.Width, out.Label, out.Anchor, out.Colour = end, chartOne-end, end-5, "end", "#2f6fb0"
	}
	if end < chartLeft+40 { // no room before the bar
		out.Label, out.Anchor, out.LabelColour = end+6, "start", "#fff"
	}
	return out
}
