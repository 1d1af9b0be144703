package render

import (
	"bufio"
	"io"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
)

// insert writes a statement for every row.
func insert(w io.Writer, rows Rows, o Options) error {
	into := o.Table
	if into == "" {
		into = "\"table\""
	}
	columns := rows.Columns()
	if o.Header {
		var names []string
		for _, c := range columns {
			names = append(names, lexer.QuoteName(c.Name))
		}
		into += "(" + strings.Join(names, ", ") + ")"
	}
	return literals(w, rows, o, "INSERT INTO "+into+" VALUES (", ", ", ");")
}

// quoted writes values as SQL has them.
func quoted(w io.Writer, rows Rows, o Options) error {
	if o.Header {
		var names []string
		for _, c := range rows.Columns() {
			names = append(names, lexer.QuoteText(c.Name))
		}
		if err := writeLine(w, strings.Join(names, ",")); err != nil {
			return err
		}
	}
	return literals(w, rows, o, "", ",", "")
}

func literals(w io.Writer, rows Rows, o Options, begin, between, end string) error {
	return buffered(w, func(w *bufio.Writer) error {
		columns := rows.Columns()
		return each(rows, func(chunk Chunk, row int) error {
			w.WriteString(begin)
			for i, c := range columns {
				if i > 0 {
					w.WriteString(between)
				}
				w.WriteString(literal(c, chunk.Cell(row, i), o))
			}
			w.WriteString(end)
			return w.WriteByte('\n')
		})
	})
}

// literal is a value as SQL writes it. What is neither a number nor a BLOB is text,
// which DuckDB makes a date, a list and so on where it is inserted.
func literal(c Column, v Cell, o Options) string {
	switch {
	case v.Null:
		return "NULL"
	case o.Short && c.holdsBlobs():
		// Nobody shall insert what is not the value.
		return "NULL /* " + strings.ReplaceAll(oneLine(short(c, v, o)), "*/", "* /") + " */"
	case c.Kind == Blob:
		return lexer.QuoteText(BlobText(v.Text)) + "::BLOB"
	case c.Kind == Bool, c.Kind == Number && isJSONNumber(v.Text):
		return v.Text
	}
	return lexer.QuoteText(v.Text)
}
