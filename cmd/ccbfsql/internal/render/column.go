package render

import (
	"bufio"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// column writes columns below each other, two blanks apart. They are as wide as
// Widths say, and then longer values are cut, or as the first chunk of rows needs,
// and then a longer value further down sticks out.
func column(w io.Writer, rows Rows, o Options) error {
	return buffered(w, func(w *bufio.Writer) error {
		columns := rows.Columns()
		first, err := rows.Next()
		if err != nil && err != io.EOF {
			return err
		}
		widths, aligns, cut := make([]int, len(columns)), make([]text.Align, len(columns)), make([]bool, len(columns))
		for i, c := range columns {
			aligns[i] = textAlign(c.Right)
			if i < len(o.Widths) && o.Widths[i] != 0 {
				aligns[i] = textAlign(o.Widths[i] < 0)
				widths[i], cut[i] = max(o.Widths[i], -o.Widths[i]), true
				continue
			}
			widths[i] = 1
			if o.Header {
				widths[i] = max(1, text.StringWidth(oneLine(c.Name)))
			}
			for row := 0; first != nil && row < first.Len(); row++ {
				widths[i] = max(widths[i], text.StringWidth(oneLine(plain(c, first.Cell(row, i), o))))
			}
		}
		write := func(value func(col int) string) error {
			var line strings.Builder
			for i := range columns {
				v := value(i)
				if cut[i] {
					v = cutTo(v, widths[i])
				}
				if i > 0 {
					line.WriteString("  ")
				}
				line.WriteString(aligns[i].Apply(v, widths[i]))
			}
			_, err := w.WriteString(strings.TrimRight(line.String(), " ") + "\n")
			return err
		}
		if o.Header {
			if err := write(func(col int) string { return oneLine(columns[col].Name) }); err != nil {
				return err
			}
			if err := write(func(col int) string { return strings.Repeat("-", widths[col]) }); err != nil {
				return err
			}
		}
		each := func(chunk Chunk, row int) error {
			return write(func(col int) string { return oneLine(plain(columns[col], chunk.Cell(row, col), o)) })
		}
		return eachFrom(first, rows, each)
	})
}

// eachFrom is each for a result whose first chunk was read before; nil where there
// was none.
func eachFrom(first Chunk, rows Rows, row func(chunk Chunk, i int) error) error {
	if first == nil {
		return nil
	}
	for i := range first.Len() {
		if err := row(first, i); err != nil {
			return err
		}
	}
	return each(rows, row)
}
