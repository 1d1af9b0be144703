package render

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// grid holds the rows that a duckbox shows.
type grid struct {
	rows  [][]string
	total int // number of rows of the result, shown or not
	gap   int // number of shown rows before the omitted ones; -1: no row is omitted
}

// collect reads the whole result. It keeps all rows or, if there are more than MaxRows, the first
// and the last half of MaxRows.
func collect(rows Rows, o Options) (*grid, error) {
	g := &grid{gap: -1}
	bottom := o.MaxRows / 2
	var tail [][]string // the last rows of the result that are not in g.rows
	for row, err := range rows.All {
		if err != nil {
			return nil, err
		}
		g.total++
		if o.MaxRows == 0 || len(g.rows) < o.MaxRows {
			g.rows = append(g.rows, cellTexts(rows.Columns, row, o, oneLine))
		} else if row.Rest < bottom {
			tail = append(tail, cellTexts(rows.Columns, row, o, oneLine))
			tail = tail[max(0, len(tail)-bottom):]
		}
	}
	if len(g.rows) < g.total {
		g.gap = o.MaxRows - bottom
		all := append(g.rows, tail...)
		g.rows = slices.Concat(all[:g.gap], all[len(all)-bottom:])
	}
	return g, nil
}

// names returns the texts of the columns' names.
func names(columns []Column, escape func(text string) string) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = escape(c.Name)
	}
	return out
}

// cellTexts returns the texts of a row's table cells.
func cellTexts(columns []Column, row Row, o Options, escape func(text string) string) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		v := row.Cell(i)
		if out[i] = escape(plain(c, v, o)); v.Null {
			out[i] = o.dim(out[i])
		}
	}
	return out
}

func (g *grid) naturalWidths(columns []Column, o Options) []int {
	widths := make([]int, len(columns))
	for i, c := range columns {
		widths[i] = 1
		if o.Header {
			widths[i] = max(1, text.StringWidth(oneLine(c.Name)), min(enoughWidth, text.StringWidth(c.Type)))
		}
		for _, row := range g.rows {
			widths[i] = max(widths[i], text.StringWidthWithoutEscSequences(row[i]))
		}
	}
	return widths
}

// footer returns the line with the number of rows and columns, or "" for a short result. widths are
// those of the table's columns, and hidden is the number of columns that are left out.
func (g *grid) footer(columns, hidden int, widths []int) string {
	if g.total > 0 && g.total < fewRows && g.gap < 0 && hidden == 0 {
		return ""
	}

	left := []string{count(g.total, "row")}
	if g.gap >= 0 {
		left = append(left, fmt.Sprintf("(%d shown)", len(g.rows)))
	}
	var right []string
	if columns > 1 {
		right = append(right, count(columns, "column"))
	}
	if hidden > 0 {
		right = append(right, fmt.Sprintf("(%d shown)", columns-hidden))
	}
	inner := len(widths) - 1 // inside the table's frame: columns and the lines between them, without blanks
	for _, w := range widths {
		inner += w
	}
	l, r := strings.Join(left, " "), strings.Join(right, " ")
	if len(l)+len(r)+1 > inner {
		return keepTogether(strings.Join(append(left, right...), "\n"))
	}
	// The table library justifies this line: it widens the only blank, between the two parts.
	return strings.TrimSpace(keepTogether(l) + " " + keepTogether(r))
}

const joint = "\u00A0"

func keepTogether(words string) string { return strings.ReplaceAll(words, " ", joint) }

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// fit chooses the widths of columns for a line of the given width. Wide columns become narrower,
// but not below enoughWidth. If that is not enough, the columns in the middle are left out: those from
// number from to number to-1. A width of 0 means no limit.
func fit(natural []int, width int) (widths []int, from, to int) {
	if width == 0 {
		return natural, 0, 0
	}
	for shown := len(natural); ; shown-- {
		room := width - 1 - 3*shown
		if from, to = (shown+1)/2, len(natural)-shown/2; from < to {
			room -= 4 // a column of one character
		}
		asked := slices.Concat(natural[:from], natural[to:])
		least := 0
		for _, w := range asked {
			least += min(w, enoughWidth)
		}
		if least <= room || shown <= 1 {
			limit := widest(asked, room)
			for _, w := range natural {
				widths = append(widths, min(w, limit))
			}
			return widths, from, to
		}
	}
}

// leaveOut returns all values with gap in place of those from number from to number to-1, if there are any.
func leaveOut[T any](all []T, from, to int, gap T) []T {
	if from == to {
		return all
	}
	return slices.Concat(all[:from], []T{gap}, all[to:])
}

// widest returns the largest limit for column widths with which all columns fit in the room, at
// least 1.
func widest(widths []int, room int) int {
	sorted := slices.Sorted(slices.Values(widths))
	for n, w := range sorted {
		left := len(sorted) - n
		if w*left > room {
			return max(1, room/left)
		}
		room -= w
	}
	return math.MaxInt
}

// turn transposes a result: each column becomes a row, with the first MaxRows values beside each
// other.
func turn(rows Rows, o Options) (Rows, error) {
	columns := []Column{{Name: "column", Type: "varchar"}, {Name: "type", Type: "varchar"}}
	turned := make([][]Cell, len(rows.Columns))
	for i, c := range rows.Columns {
		turned[i] = []Cell{{Text: c.Name}, {Text: c.Type}}
	}
	n := 0
	for row, err := range rows.All {
		if err != nil {
			return Rows{}, err
		}
		n++
		columns = append(columns, Column{Name: "row " + strconv.Itoa(n), Type: "varchar"})
		for i, c := range rows.Columns {
			v := row.Cell(i)
			if !v.Null {
				v.Text = plain(c, v, o)
			}
			turned[i] = append(turned[i], v)
		}
		if n == o.MaxRows {
			break
		}
	}
	return Rows{columns, func(yield func(Row, error) bool) {
		for i, cells := range turned {
			if !yield(Row{func(col int) Cell { return cells[col] }, len(turned) - 1 - i}, nil) {
				return
			}
		}
	}}, nil
}
