package render

import (
	"bufio"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// markdown writes a pipe table. Columns are as wide as the first chunk of
// rows needs; a longer value further down sticks out, which Markdown allows.
func markdown(w io.Writer, rows Rows, o Options) error {
	return buffered(w, func(w *bufio.Writer) error {
		columns := rows.Columns()
		cell := func(chunk Chunk, row, col int) string {
			return markdownText(plain(columns[col], chunk.Cell(row, col), o))
		}

		first, err := rows.Next()
		if err != nil && err != io.EOF {
			return err
		}
		widths := make([]int, len(columns))
		for i, c := range columns {
			widths[i] = 3
			if o.Header {
				widths[i] = max(3, text.StringWidth(markdownText(c.Name)))
			}
			if first == nil {
				continue
			}
			for row := range first.Len() {
				widths[i] = max(widths[i], text.StringWidth(cell(first, row, i)))
			}
		}
		writeRow := func(value func(col int) string) error {
			for i, c := range columns {
				align := text.AlignLeft
				if c.Right {
					align = text.AlignRight
				}
				w.WriteString("| " + align.Apply(value(i), widths[i]) + " ")
			}
			_, err := w.WriteString("|\n")
			return err
		}

		if o.Header {
			if err := writeRow(func(col int) string { return markdownText(columns[col].Name) }); err != nil {
				return err
			}
			for i, c := range columns {
				if c.Right {
					w.WriteString("|" + strings.Repeat("-", widths[i]+1) + ":")
				} else {
					w.WriteString("|" + strings.Repeat("-", widths[i]+2))
				}
			}
			w.WriteString("|\n")
		}
		write := func(chunk Chunk, row int) error {
			return writeRow(func(col int) string { return cell(chunk, row, col) })
		}
		return eachFrom(first, rows, write)
	})
}

var markdownEscapes = strings.NewReplacer("|", `\|`, "\r\n", "<br>", "\n", "<br>")

func markdownText(value string) string {
	return oneLine(markdownEscapes.Replace(value))
}
