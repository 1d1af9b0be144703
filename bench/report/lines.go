package report

import "fmt"

// Number is the value of a factor that all rows share, which is a number.
func (d *Data) Number(factor string) float64 { return number(d.At[factor]) }

// FigureLines are a series for each of several figures, of its mean over a factor, which is
// a number.
func (d *Data) FigureLines(x string, figures ...string) (all []Series) {
	for i, figure := range figures {
		line := Series{Label: figure, Style: i}
		for _, at := range d.By(x) {
			if at.Has(figure) {
				line.At(at.Number(x), at.Mean(figure))
			}
		}
		all = append(all, line)
	}
	return all
}

// Within are a series for each value of a factor, of points with their intervals, one for
// each value of another factor.
func (d *Data) Within(factor, by string, point func(at *Data) (x, y, lo, hi float64)) (all []Series) {
	for i, of := range d.By(factor) {
		line := Series{Label: fmt.Sprint(of.At[factor]), Style: i}
		for _, at := range of.By(by) {
			line.Within(point(at))
		}
		all = append(all, line)
	}
	return all
}

// Panels are p for each value of a factor, which the format title names, with the lines of
// the rows that have it; the legend is in the first.
func (d *Data) Panels(factor, title string, p Panel, lines func(d *Data) []Series) (row []Panel) {
	for _, of := range d.By(factor) {
		p.Title, p.Series = fmt.Sprintf(title, of.At[factor]), lines(of)
		row = append(row, p)
		p.Legend = Nowhere
	}
	return row
}

// Drawn are series of which only a part is drawn, their labels put into a format, in
// these styles where there are any.
func Drawn(lines []Series, label string, only Part, styles ...int) []Series {
	for i := range lines {
		lines[i].Label, lines[i].Only = fmt.Sprintf(label, lines[i].Label), only
		if len(styles) > 0 {
			lines[i].Style = styles[i]
		}
	}
	return lines
}

// Of are the rows with one of several values of a factor, in the order of these.
func (d *Data) Of(factor string, values ...string) *Data {
	out := &Data{At: d.At}
	for _, v := range values {
		out.rows = append(out.rows, d.Where(factor, v).rows...)
	}
	return out
}
