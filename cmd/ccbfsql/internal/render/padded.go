package render

import (
	"bufio"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// paddedFormat describes a mode that aligns columns and writes rows as they arrive. The first chunk
// of rows decides on the widths; longer values in later rows exceed them.
type paddedFormat struct {
	least     int // least width of a column
	row, rule around
	text      func(text string) string           // escapes names and values
	under     func(right bool, width int) string // returns the rule below a column name; right: the column is aligned right
}

var markdownEscapes = strings.NewReplacer("|", `\|`, "\r\n", "<br>", "\n", "<br>")

// markdown writes a Markdown table.
func markdown(w io.Writer, rows Rows, o Options) error {
	o.Widths = nil
	p := paddedFormat{3, around{"| ", " | ", " |"}, around{"|", "|", "|"}, func(text string) string { return oneLine(markdownEscapes.Replace(text)) },
		func(right bool, width int) string {
			if right {
				return strings.Repeat("-", width+1) + ":"
			}
			return strings.Repeat("-", width+2)
		}}
	return p.write(w, rows, o)
}

// column writes columns two blanks apart. Values of columns with a given width are cut.
func column(w io.Writer, rows Rows, o Options) error {
	p := paddedFormat{1, around{"", "  ", ""}, around{"", "  ", ""}, oneLine, func(_ bool, width int) string { return strings.Repeat("-", width) }}
	return p.write(w, rows, o)
}

func (p *paddedFormat) write(w io.Writer, rows Rows, o Options) error {
	return buffered(w, func(w *bufio.Writer) error {
		columns := rows.Columns()
		first, err := rows.Next()
		if err != nil && err != io.EOF {
			return err
		}
		value := func(chunk Chunk, row, col int) string { return p.text(plain(columns[col], chunk.Cell(row, col), o)) }
		widths, aligns, cut := make([]int, len(columns)), make([]text.Align, len(columns)), make([]bool, len(columns))
		for i, c := range columns {
			aligns[i], widths[i] = textAlign(c.Right), p.least
			if i < len(o.Widths) && o.Widths[i] != 0 {
				aligns[i], widths[i], cut[i] = textAlign(o.Widths[i] < 0), max(o.Widths[i], -o.Widths[i]), true
				continue
			}
			if o.Header {
				widths[i] = max(widths[i], text.StringWidth(p.text(c.Name)))
			}
			for row := 0; first != nil && row < first.Len(); row++ {
				widths[i] = max(widths[i], text.StringWidth(value(first, row, i)))
			}
		}
		write := func(a around, value func(col int) string) error {
			line := a.before
			for i := range columns {
				if i > 0 {
					line += a.between
				}
				v := value(i)
				if cut[i] {
					v = cutTo(v, widths[i])
				}
				line += aligns[i].Apply(v, widths[i])
			}
			return writeLine(w, strings.TrimRight(line+a.behind, " "))
		}
		if o.Header {
			if err := write(p.row, func(col int) string { return p.text(columns[col].Name) }); err != nil {
				return err
			}
			if err := write(p.rule, func(col int) string { return p.under(columns[col].Right, widths[col]) }); err != nil {
				return err
			}
		}
		return each(&resumedRows{rows, first}, func(chunk Chunk, row int) error {
			return write(p.row, func(col int) string { return value(chunk, row, col) })
		})
	})
}

// resumedRows is a result whose first chunk was already read, and is in first. If first is nil, the
// result has no chunk.
type resumedRows struct {
	Rows
	first Chunk
}

func (r *resumedRows) Next() (Chunk, error) {
	if chunk := r.first; chunk != nil {
		r.first = nil
		return chunk, nil
	}
	return r.Rows.Next()
}
