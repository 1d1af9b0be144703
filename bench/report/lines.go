package report

import (
	"fmt"
	"slices"
	"strings"
	"text/template"

	"gonum.org/v1/plot"
)

// This file makes series from rows, for the plots of texts.

// each returns a series for each value of a factor. add adds its points.
func (d *Data) each(factor string, add func(line *Series, of *Data)) (all []Series) {
	for i, of := range d.By(factor) {
		line := Series{Label: fmt.Sprint(of.At[factor]), Style: i}
		add(&line, of)
		all = append(all, line)
	}
	return all
}

// over adds the means of a figure over a numeric factor.
func (s *Series) over(d *Data, x, figure string) {
	for _, at := range d.By(x) {
		if at.Has(figure) {
			s.At(at.Number(x), at.Mean(figure))
		}
	}
}

// Lines returns a series for each value of a factor: the means of a figure over another, numeric
// factor.
func (d *Data) Lines(factor, x, figure string) []Series {
	return d.each(factor, func(line *Series, of *Data) { line.over(of, x, figure) })
}

// FigureLines returns a series for each figure: its means over a numeric factor.
func (d *Data) FigureLines(x string, figures ...string) (all []Series) {
	for i, figure := range figures {
		line := Series{Label: figure, Style: i}
		line.over(d, x, figure)
		all = append(all, line)
	}
	return all
}

// Points returns a series for each value of a factor: one figure over another, for rows that have
// both.
func (d *Data) Points(factor, x, y string) []Series {
	return d.each(factor, func(line *Series, of *Data) {
		for _, r := range of.rows {
			x, there := r.figures[x]
			if y, both := r.figures[y]; there && both {
				line.At(x, y)
			}
		}
	})
}

// spreads returns a figure's middle and the ends of its interval, by kind.
var spreads = map[string]func(at *Data, figure string) (middle, lo, hi float64){
	// mean: the mean over the seeds, with its 95% interval.
	"mean": func(at *Data, figure string) (float64, float64, float64) { return meanInterval(at.All(figure)) },
	// rounds: the median over the rounds of a measurement, with the least and the largest value.
	"rounds": func(at *Data, figure string) (float64, float64, float64) {
		all := at.All(figure)
		return Median(all), slices.Min(all), slices.Max(all)
	},
	// share: a rate, the figure "hits" over the figure "asked", with its 95% interval.
	"share": func(at *Data, figure string) (float64, float64, float64) {
		lo, hi := Wilson(int(at.Sum("hits")), int(at.Sum("asked")))
		return at.Mean(figure), lo, hi
	},
}

// Within returns a series for each value of a factor: points with intervals of a kind, one for each
// value of by. x is a figure or a numeric factor.
func (d *Data) Within(kind, factor, by, x, figure string) []Series {
	return d.each(factor, func(line *Series, of *Data) {
		for _, at := range of.By(by) {
			middle, lo, hi := spreads[kind](at, figure)
			if at.Has(x) {
				line.Within(at.Mean(x), middle, lo, hi)
			} else {
				line.Within(at.Number(x), middle, lo, hi)
			}
		}
	})
}

// plotting returns the functions of a text that declare plots: panels and columns by the plot's name.
func plotting(panels map[string][]*plot.Plot, columns map[string]int) template.FuncMap {
	return template.FuncMap{
		// panel adds a panel to a plot: see the function panel. Only the plot's first panel has a
		// legend, unless the place ends with ", each".
		"panel": func(name, title, x, y, logarithmic, legend string, series ...[]Series) string {
			place, each := strings.CutSuffix(legend, ", each")
			if len(panels[name]) > 0 && !each {
				place = ""
			}
			panels[name] = append(panels[name], panel(title, x, y, logarithmic, place, slices.Concat(series...)))
			return ""
		},
		// columns sets how many panels of a plot are side by side. By default all are.
		"columns": func(name string, n int) string { columns[name] = n; return "" },
		// drawn returns series of which only the marks or only the line is drawn. label is a format
		// for the present labels. styles, if given, has a style for each series.
		"drawn": func(label string, only string, lines []Series, styles ...int) []Series {
			for i := range lines {
				lines[i].Label, lines[i].Only = fmt.Sprintf(label, lines[i].Label), only
				if len(styles) > 0 {
					lines[i].Style = styles[i]
				}
			}
			return lines
		},
		// dashed makes series dotted: the one with index from, and each every-th series after it.
		"dashed": func(from, every int, lines []Series) []Series {
			for i := from; i < len(lines); i += every {
				lines[i].Dashed = true
			}
			return lines
		},
		// through returns a series through the points xy: x and y alternate.
		"through": func(label string, only string, style int, xy ...float64) []Series {
			s := Series{Label: label, Only: only, Style: style}
			for point := range slices.Chunk(xy, 2) {
				s.At(point[0], point[1])
			}
			return []Series{s}
		},
	}
}
