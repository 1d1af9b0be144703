package render

import (
	"bufio"
	"cmp"
	"html"
	"io"
	"strings"

	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/jedib0t/go-pretty/v6/text"
)

// lineFormat describes a mode that writes rows as they arrive. It has the texts around the whole
// result, the names and each row, and between rows. It says how names and values are written.
type lineFormat struct {
	open, between, end string
	head, row          around
	name               func(name string) string // encodes a column name; nil: the mode has no line of names
	value              func(c Column, v Cell, o Options) string
}

// around is the text before, between and after the values of a line.
type around struct{ before, between, behind string }

func (l *lineFormat) write(w io.Writer, rows Rows, o Options) error {
	return buffered(w, func(w *bufio.Writer) error {
		columns := rows.Columns()
		write := func(a around, value func(col int) string) error {
			w.WriteString(a.before)
			for i := range columns {
				if i > 0 {
					w.WriteString(a.between)
				}
				w.WriteString(value(i))
			}
			_, err := w.WriteString(a.behind)
			return err
		}
		w.WriteString(l.open)
		if o.Header && l.name != nil {
			if err := write(l.head, func(col int) string { return l.name(columns[col].Name) }); err != nil {
				return err
			}
		}
		between := ""
		err := each(rows, func(chunk Chunk, row int) error {
			w.WriteString(between)
			between = l.between
			return write(l.row, func(col int) string { return l.value(columns[col], chunk.Cell(row, col), o) })
		})
		end := l.end
		if err != nil && end != "" {
			end = "\n" // the output ends with a whole line
		}
		_, endErr := w.WriteString(end)
		return cmp.Or(err, endErr)
	})
}

// escaped writes names and rows in the same format, with the same escapes.
func escaped(w io.Writer, rows Rows, o Options, a around, escape func(text string) string) error {
	l := lineFormat{head: a, row: a, name: escape, value: func(c Column, v Cell, o Options) string { return escape(plain(c, v, o)) }}
	return l.write(w, rows, o)
}

func asIs(text string) string { return text }

// csv writes CSV as DuckDB's COPY does. Fields are quoted only if they must be. NULL is an empty
// field and empty text a quoted one, so that they can be told apart.
func csv(w io.Writer, rows Rows, o Options) error {
	a := around{"", cmp.Or(o.Separator, ","), "\n"}
	field := func(text string) string {
		if text == o.Null || strings.Contains(text, a.between) || strings.ContainsAny(text, "\"\r\n") {
			return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		}
		return text
	}
	l := lineFormat{head: a, row: a, name: field, value: func(c Column, v Cell, o Options) string {
		if v.Null {
			return o.Null
		}
		return field(plain(c, v, o))
	}}
	return l.write(w, rows, o)
}

// list writes values unchanged, with the separator between them.
func list(w io.Writer, rows Rows, o Options) error {
	return escaped(w, rows, o, around{"", cmp.Or(o.Separator, "|"), "\n"}, asIs)
}

// tabs writes values unchanged, with tabs between them.
func tabs(w io.Writer, rows Rows, o Options) error {
	return escaped(w, rows, o, around{"", "\t", "\n"}, asIs)
}

// ascii writes values with ASCII's unit and record separators.
func ascii(w io.Writer, rows Rows, o Options) error {
	return escaped(w, rows, o, around{"", "\x1f", "\x1e"}, asIs)
}

var tclEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, `[`, `\[`, `]`, `\]`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// tcl writes each row as a list of quoted Tcl words.
func tcl(w io.Writer, rows Rows, o Options) error {
	return escaped(w, rows, o, around{`"`, `"` + cmp.Or(o.Separator, " ") + `"`, "\"\n"}, tclEscapes.Replace)
}

// htmlTable writes an HTML table.
func htmlTable(w io.Writer, rows Rows, o Options) error {
	escape := func(text string) string { return strings.ReplaceAll(html.EscapeString(text), "\n", "<br>") }
	l := lineFormat{
		open: "<table>\n", end: "</table>\n",
		head: around{"<tr><th>", "</th><th>", "</th></tr>\n"}, row: around{"<tr><td>", "</td><td>", "</td></tr>\n"},
		name: escape, value: func(c Column, v Cell, o Options) string { return escape(plain(c, v, o)) },
	}
	return l.write(w, rows, o)
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, "\n", " ")

// latex writes a LaTeX tabular environment. Numbers are aligned right.
func latex(w io.Writer, rows Rows, o Options) error {
	aligns := "|"
	for _, c := range rows.Columns() {
		if c.Right {
			aligns += "r|"
		} else {
			aligns += "l|"
		}
	}
	l := lineFormat{
		open: `\begin{tabular}{` + aligns + "}\n\\hline\n", end: "\\hline\n\\end{tabular}\n",
		head: around{"", " & ", " \\\\\n\\hline\n"}, row: around{"", " & ", " \\\\\n"},
		name: latexEscapes.Replace, value: func(c Column, v Cell, o Options) string { return latexEscapes.Replace(plain(c, v, o)) },
	}
	return l.write(w, rows, o)
}

// insert writes one INSERT statement per row.
func insert(w io.Writer, rows Rows, o Options) error {
	into := cmp.Or(o.Table, `"table"`)
	if o.Header {
		var names []string
		for _, c := range rows.Columns() {
			names = append(names, lexer.QuoteName(c.Name))
		}
		into += "(" + strings.Join(names, ", ") + ")"
	}
	l := lineFormat{row: around{"INSERT INTO " + into + " VALUES (", ", ", ");\n"}, value: literal}
	return l.write(w, rows, o)
}

// quoted writes values as SQL literals.
func quoted(w io.Writer, rows Rows, o Options) error {
	a := around{"", ",", "\n"}
	l := lineFormat{head: a, row: a, name: lexer.QuoteText, value: literal}
	return l.write(w, rows, o)
}

// literal returns a value as a SQL literal. Values that are neither numbers, booleans nor BLOBs are
// text, which DuckDB casts to the column's type at the insertion.
func literal(c Column, v Cell, o Options) string {
	switch {
	case v.Null:
		return "NULL"
	case o.Short && c.holdsBlobs():
		// A shortened BLOB is a wrong value. So the statement inserts NULL, and the text is a comment.
		return "NULL /* " + strings.ReplaceAll(oneLine(short(c, v, o)), "*/", "* /") + " */"
	case c.Kind == Blob:
		return lexer.QuoteText(BlobText(v.Text)) + "::BLOB"
	case c.Kind == Bool, c.Kind == Number && isJSONNumber(v.Text):
		return v.Text
	}
	return lexer.QuoteText(v.Text)
}

// line writes "name = value" for each value, and an empty line between rows.
func line(w io.Writer, rows Rows, o Options) error {
	width := 0
	for _, c := range rows.Columns() {
		width = max(width, text.StringWidth(oneLine(c.Name)))
	}
	l := lineFormat{between: "\n", value: func(c Column, v Cell, o Options) string {
		return text.AlignRight.Apply(oneLine(c.Name), width) + " = " + plain(c, v, o) + "\n"
	}}
	return l.write(w, rows, o)
}

// trash reads all rows and writes nothing.
func trash(_ io.Writer, rows Rows, _ Options) error {
	return EachChunk(rows, func(Chunk) bool { return true })
}
