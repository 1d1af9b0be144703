package render

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
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

// jsonValue encodes one cell. Infinity, NaN and all else that JSON cannot express as a number
// become strings.
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
	if text == "" || text[len(text)-1] > '9' { // "inf", "nan" and "infinity" are not numbers in JSON
		return false
	}
	return json.Valid([]byte(text))
}

// quoteJSON returns a text as a JSON string, without escapes for HTML.
func quoteJSON(text string) string {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // no error is possible: a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}
