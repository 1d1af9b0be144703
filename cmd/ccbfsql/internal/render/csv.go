package render

import (
	"bufio"
	"io"
	"strings"
)

// csv writes what DuckDB's COPY writes: fields are quoted where they must be,
// NULL is an empty field and empty text a quoted one, so that both survive.
func csv(w io.Writer, rows Rows, o Options) error {
	sep := o.Separator
	if sep == "" {
		sep = ","
	}
	field := func(text string) string {
		if text == o.Null || strings.Contains(text, sep) || strings.ContainsAny(text, "\"\r\n") {
			return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		}
		return text
	}
	return separated(w, rows, o, sep, field)
}

// list writes values as they are, with the separator between them.
func list(w io.Writer, rows Rows, o Options) error {
	sep := o.Separator
	if sep == "" {
		sep = "|"
	}
	return separated(w, rows, o, sep, func(text string) string { return text })
}

func separated(w io.Writer, rows Rows, o Options, sep string, field func(string) string) error {
	return buffered(w, func(w *bufio.Writer) error {
		columns := rows.Columns()
		if o.Header {
			for i, c := range columns {
				if i > 0 {
					w.WriteString(sep)
				}
				w.WriteString(field(c.Name))
			}
			w.WriteByte('\n')
		}
		return each(rows, func(chunk Chunk, row int) error {
			for i, c := range columns {
				if i > 0 {
					w.WriteString(sep)
				}
				if v := chunk.Cell(row, i); v.Null {
					w.WriteString(o.Null)
				} else {
					w.WriteString(field(plain(c, v, o)))
				}
			}
			return w.WriteByte('\n')
		})
	})
}
