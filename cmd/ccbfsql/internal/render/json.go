package render

import (
	"bufio"
	"encoding/json"
	"io"
	"unicode/utf8"
)

func jsonArray(w io.Writer, rows Rows, o Options) error {
	return buffered(w, func(w *bufio.Writer) error {
		w.WriteByte('[')
		first := true
		err := jsonObjects(w, rows, o, func() {
			if !first {
				w.WriteString(",\n")
			}
			first = false
		})
		if err != nil {
			w.WriteByte('\n')
			return err
		}
		_, err = w.WriteString("]\n")
		return err
	})
}

func jsonLines(w io.Writer, rows Rows, o Options) error {
	return buffered(w, func(w *bufio.Writer) error {
		first := true
		err := jsonObjects(w, rows, o, func() {
			if !first {
				w.WriteByte('\n')
			}
			first = false
		})
		if !first {
			w.WriteByte('\n')
		}
		return err
	})
}

func jsonObjects(w *bufio.Writer, rows Rows, o Options, before func()) error {
	columns := rows.Columns()
	keys := make([]string, len(columns))
	for i, c := range columns {
		keys[i] = quoteJSON(c.Name) + ":"
	}
	return each(rows, func(chunk Chunk, row int) error {
		before()
		w.WriteByte('{')
		for i, c := range columns {
			if i > 0 {
				w.WriteByte(',')
			}
			w.WriteString(keys[i])
			w.WriteString(jsonValue(c, chunk.Cell(row, i), o))
		}
		return w.WriteByte('}')
	})
}

// jsonValue encodes one cell. JSON knows no infinity and no NaN: they, like
// anything that would not be valid JSON, become strings.
func jsonValue(c Column, v Cell, o Options) string {
	switch {
	case v.Null:
		return "null"
	case o.Short && c.holdsBlobs():
		return quoteJSON(short(c, v, o))
	case c.Kind == Number && isJSONNumber(v.Text), c.Kind == Bool:
		return v.Text
	case c.Kind == JSON && json.Valid([]byte(v.Text)):
		return v.Text
	case c.Kind == Blob:
		return quoteJSON(BlobText(v.Text))
	default:
		return quoteJSON(v.Text)
	}
}

func isJSONNumber(text string) bool {
	if text == "" || text[len(text)-1] > '9' { // inf, nan, infinity
		return false
	}
	return json.Valid([]byte(text))
}

func quoteJSON(text string) string {
	const hex = "0123456789abcdef"
	b := make([]byte, 0, len(text)+2)
	b = append(b, '"')
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError && size == 1 {
				b = utf8.AppendRune(b, utf8.RuneError)
			} else {
				b = append(b, text[i:i+size]...)
			}
			i += size
			continue
		}
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c < 0x20 || c == 0x7F:
			b = append(b, `\u00`...)
			b = append(b, hex[c>>4], hex[c&15])
		default:
			b = append(b, c)
		}
		i++
	}
	return string(append(b, '"'))
}
