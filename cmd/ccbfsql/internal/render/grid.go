package render

import (
	"fmt"
	"iter"
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
	columns := rows.Columns()
	g := &grid{gap: -1}
	bottom := o.MaxRows / 2
	var tail [][]string // the last rows of the result that are not in g.rows
	for chunk, err := range rows.Chunks() {
		if err != nil {
			return nil, err
		}
		from := 0
		for from < chunk.Len() && (o.MaxRows == 0 || len(g.rows) < o.MaxRows) {
			g.rows = append(g.rows, cellTexts(columns, chunk, from, o, oneLine))
			from++
		}
		for row := max(from, chunk.Len()-bottom); row < chunk.Len(); row++ {
			tail = append(tail, cellTexts(columns, chunk, row, o, oneLine))
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

// names returns the texts of the columns' names.
func names(columns []Column, escape func(text string) string) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = escape(c.Name)
	}
	return out
}

// cellTexts returns the texts of a row's table cells.
func cellTexts(columns []Column, chunk Chunk, row int, o Options, escape func(text string) string) []string {
	out := make([]string, len(columns))
	for i, c := range columns {
		v := chunk.Cell(row, i)
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
