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

// tabs writes values as they are, with tabs between them.
func tabs(w io.Writer, rows Rows, o Options) error {
	o.Separator = "\t"
	return list(w, rows, o)
}

// ascii writes values with the separators that ASCII has for this.
func ascii(w io.Writer, rows Rows, o Options) error {
	o.lineEnd = '\x1e'
	return separated(w, rows, o, "\x1f", func(text string) string { return text })
}

// trash reads the rows.
func trash(_ io.Writer, rows Rows, _ Options) error {
	return EachChunk(rows, func(Chunk) bool { return true })
}

func separated(w io.Writer, rows Rows, o Options, sep string, field func(string) string) error {
	end := o.lineEnd
	if end == 0 {
		end = '\n'
	}
	return buffered(w, func(w *bufio.Writer) error {
		columns := rows.Columns()
		if o.Header {
			for i, c := range columns {
				if i > 0 {
					w.WriteString(sep)
				}
				w.WriteString(field(c.Name))
			}
			w.WriteByte(end)
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
			return w.WriteByte(end)
		})
	})
}
