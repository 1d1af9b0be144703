package render

import (
	"bufio"
	escaping "html"
	"io"
	"strings"
)

// html writes a table.
func html(w io.Writer, rows Rows, o Options) error {
	return buffered(w, func(w *bufio.Writer) error {
		columns := rows.Columns()
		row := func(tag string, value func(col int) string) error {
			w.WriteString("<tr>")
			for i := range columns {
				text := strings.ReplaceAll(escaping.EscapeString(value(i)), "\n", "<br>")
				w.WriteString("<" + tag + ">" + text + "</" + tag + ">")
			}
			_, err := w.WriteString("</tr>\n")
			return err
		}
		w.WriteString("<table>\n")
		if o.Header {
			if err := row("th", func(col int) string { return columns[col].Name }); err != nil {
				return err
			}
		}
		err := each(rows, func(chunk Chunk, i int) error {
			return row("td", func(col int) string { return plain(columns[col], chunk.Cell(i, col), o) })
		})
		if err != nil {
			return err
		}
		_, err = w.WriteString("</table>\n")
		return err
	})
}
