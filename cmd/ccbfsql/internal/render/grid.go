package render

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
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
	columns := rows.Columns()
	cells := func(chunk Chunk, row int) []string {
		out := make([]string, len(columns))
		for i, c := range columns {
			out[i] = cellText(c, chunk.Cell(row, i), o, oneLine)
		}
		return out
	}

	g := &grid{gap: -1}
	bottom := o.MaxRows / 2
	var tail [][]string // the last rows of the result that are not in g.rows
	for chunk, err := range rows.Chunks() {
		if err != nil {
			return nil, err
		}
		from := 0
		for from < chunk.Len() && (o.MaxRows == 0 || len(g.rows) < o.MaxRows) {
			g.rows = append(g.rows, cells(chunk, from))
			from++
		}
		for row := max(from, chunk.Len()-bottom); row < chunk.Len(); row++ {
			tail = append(tail, cells(chunk, row))
		}
		tail = tail[max(0, len(tail)-bottom):]
		g.total += chunk.Len()
	}
	if len(g.rows) < g.total {
		g.gap = o.MaxRows - bottom
		all := append(g.rows, tail...)
		g.rows = slices.Concat(all[:g.gap], all[len(all)-bottom:])
	}
	return g, nil
}

// cellText returns the text of a table cell.
func cellText(c Column, v Cell, o Options, escape func(text string) string) string {
	text := escape(plain(c, v, o))
	if v.Null {
		return o.dim(text)
	}
	return text
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

// tableRow returns a table row with the values of the shown columns.
func tableRow(shown []int, value func(i int) string) table.Row {
	out := make(table.Row, len(shown))
	for n, i := range shown {
		if i < 0 {
			out[n] = "…"
		} else {
			out[n] = value(i)
		}
	}
	return out
}

// footer returns the line with the number of rows and columns, or "" for a short result.
func (g *grid) footer(columns int, shown, widths []int) string {
	// inner is the width inside the table's frame: its columns and the lines between them, without
	// blanks.
	visible, inner := 0, len(shown)-1
	for _, i := range shown {
		if i < 0 {
			inner++
			continue
		}
		visible++
		inner += widths[i]
	}
	hidden := visible < columns
	if g.total > 0 && g.total < fewRows && g.gap < 0 && !hidden {
		return ""
	}

	left := []string{count(g.total, "row")}
	if g.gap >= 0 {
		left = append(left, fmt.Sprintf("(%d shown)", len(g.rows)))
	}
	var right []string
	if columns > 1 || hidden {
		right = append(right, count(columns, "column"))
	}
	if hidden {
		right = append(right, fmt.Sprintf("(%d shown)", visible))
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
// but not below enoughWidth. If that is not enough, columns in the middle are left out, and -1 in
// shown marks their place. A width of 0 means no limit.
func fit(natural []int, width int) (widths, shown []int) {
	for i := range natural {
		shown = append(shown, i)
	}
	if width == 0 {
		return natural, shown
	}
	for {
		room := width - 1 - 3*len(shown)
		var asked []int
		least := 0
		for _, i := range shown {
			if i < 0 {
				room--
				continue
			}
			asked = append(asked, natural[i])
			least += min(natural[i], enoughWidth)
		}
		if least <= room || len(asked) == 1 {
			limit := widest(asked, room)
			widths = slices.Clone(natural)
			for i := range widths {
				widths[i] = min(widths[i], limit)
			}
			return widths, shown
		}
		shown = leaveOut(shown)
	}
}

// leaveOut leaves out one more column. Beside the gap (-1 in shown), it removes a column on the side
// with more columns. Without a gap, it replaces the middle column by one.
func leaveOut(shown []int) []int {
	gap := slices.Index(shown, -1)
	if gap < 0 {
		gap = (len(shown) + 1) / 2
		return slices.Concat(shown[:gap], []int{-1}, shown[min(gap+1, len(shown)):])
	}
	if gap > len(shown)-1-gap {
		return slices.Delete(shown, gap-1, gap)
	}
	return slices.Delete(shown, gap+1, gap+2)
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
	if len(sorted) == 0 {
		return 1
	}
	return max(1, sorted[len(sorted)-1])
}

// turn transposes a result: each column becomes a row, with the first MaxRows values beside each
// other.
func turn(rows Rows, o Options) (Rows, error) {
	columns := rows.Columns()
	out := &transposedRows{columns: []Column{{Name: "column", Type: "varchar"}, {Name: "type", Type: "varchar"}}, rows: make([][]Cell, len(columns))}
	for i, c := range columns {
		out.rows[i] = []Cell{{Text: c.Name}, {Text: c.Type}}
	}
	n := 0
	for chunk, err := range rows.Chunks() {
		if err != nil {
			return nil, err
		}
		for row := 0; row < chunk.Len() && (o.MaxRows == 0 || n < o.MaxRows); row++ {
			n++
			out.columns = append(out.columns, Column{Name: "row " + strconv.Itoa(n), Type: "varchar"})
			for i, c := range columns {
				v := chunk.Cell(row, i)
				if !v.Null {
					v.Text = plain(c, v, o)
				}
				out.rows[i] = append(out.rows[i], v)
			}
		}
		if n == o.MaxRows && n > 0 {
			break
		}
	}
	return out, nil
}

// transposedRows is a transposed result in memory: rows has one row for each column of the original
// result. It is a single chunk.
type transposedRows struct {
	columns []Column
	rows    [][]Cell
}

func (t *transposedRows) Columns() []Column { return t.columns }

func (t *transposedRows) Chunks() iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) { yield(t, nil) }
}

func (t *transposedRows) Len() int               { return len(t.rows) }
func (t *transposedRows) Cell(row, col int) Cell { return t.rows[row][col] }
