package render

import (
	"bufio"
	"io"

	"github.com/jedib0t/go-pretty/v6/text"
)

// line writes "name = value", one value per line, and an empty line between
// rows.
func line(w io.Writer, rows Rows, o Options) error {
	return buffered(w, func(w *bufio.Writer) error {
		columns := rows.Columns()
		width := 0
		for _, c := range columns {
			width = max(width, text.StringWidth(oneLine(c.Name)))
		}
		first := true
		return each(rows, func(chunk Chunk, row int) error {
			if !first {
				w.WriteByte('\n')
			}
			first = false
			var err error
			for i, c := range columns {
				w.WriteString(text.AlignRight.Apply(oneLine(c.Name), width))
				w.WriteString(" = ")
				w.WriteString(plain(c, chunk.Cell(row, i), o))
				err = w.WriteByte('\n')
			}
			return err
		})
	})
}
