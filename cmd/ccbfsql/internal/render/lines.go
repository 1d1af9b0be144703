package render

import (
	"bufio"
	"cmp"
	"encoding/json"
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
	value              func(c Column, v Cell) string
}

// around is the text before, between and after the values of a line.
type around struct{ before, between, behind string }

// lines returns the function Render of a mode. format returns the format of a result with these columns.
func lines(format func(columns []Column, o Options) lineFormat) func(w io.Writer, rows Rows, o Options) error {
	return func(to io.Writer, rows Rows, o Options) error {
		l := format(rows.Columns, o)
		w := bufio.NewWriterSize(to, 1<<16)
		write := func(a around, value func(col int) string) error {
			w.WriteString(a.before)
			for i := range rows.Columns {
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
			if err := write(l.head, func(col int) string { return l.name(rows.Columns[col].Name) }); err != nil {
				return err
			}
		}
		between := ""
		for row, err := range rows.All {
			if err == nil {
				w.WriteString(between)
				between = l.between
				err = write(l.row, func(col int) string { return l.value(rows.Columns[col], row.Cell(col)) })
			}
			if err != nil {
				if l.end != "" {
					w.WriteString("\n") // the output ends with a whole line
				}
				return cmp.Or(err, w.Flush())
			}
		}
		w.WriteString(l.end)
		return w.Flush()
	}
}

// plainLines returns the format of a mode that writes names and values in the same way, with the same
// escapes.
func plainLines(o Options, a around, escape func(text string) string) lineFormat {
	return lineFormat{head: a, row: a, name: escape, value: func(c Column, v Cell) string { return escape(plain(c, v, o)) }}
}

func asIs(text string) string { return text }

// csvQuoted are the characters that a reader may take for a quote, a separator or the end of a line.
const csvQuoted = "\"'|;\t\r\n"

// csv writes CSV. Fields are quoted if a reader may misread them otherwise. NULL is an empty field and empty
// text a quoted one, so that they can be told apart.
func csv(_ []Column, o Options) lineFormat {
	separator := cmp.Or(o.Separator, ",")
	l := plainLines(o, around{"", separator, "\n"}, func(text string) string {
		if text == o.Null || strings.Contains(text, separator) || strings.ContainsAny(text, csvQuoted) || strings.HasPrefix(text, "#") {
			return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
		}
		return text
	})
	value := l.value
	l.value = func(c Column, v Cell) string {
		if v.Null {
			return o.Null
		}
		return value(c, v)
	}
	return l
}

// list writes values unchanged, with the separator between them.
func list(_ []Column, o Options) lineFormat {
	return plainLines(o, around{"", cmp.Or(o.Separator, "|"), "\n"}, asIs)
}

// tabs writes values unchanged, with tabs between them.
func tabs(_ []Column, o Options) lineFormat { return plainLines(o, around{"", "\t", "\n"}, asIs) }

// ascii writes values with ASCII's unit and record separators.
func ascii(_ []Column, o Options) lineFormat { return plainLines(o, around{"", "\x1f", "\x1e"}, asIs) }

var tclEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, `[`, `\[`, `]`, `\]`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// tcl writes each row as a list of quoted Tcl words.
func tcl(_ []Column, o Options) lineFormat {
	return plainLines(o, around{`"`, `"` + cmp.Or(o.Separator, " ") + `"`, "\"\n"}, tclEscapes.Replace)
}

// htmlTable writes an HTML table.
func htmlTable(_ []Column, o Options) lineFormat {
	l := plainLines(o, around{"<tr><td>", "</td><td>", "</td></tr>\n"}, func(text string) string {
		return strings.ReplaceAll(html.EscapeString(text), "\n", "<br>")
	})
	l.open, l.end, l.head = "<table>\n", "</table>\n", around{"<tr><th>", "</th><th>", "</th></tr>\n"}
	return l
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, "\n", " ")

// latex writes a LaTeX tabular environment. Numbers are aligned right.
func latex(columns []Column, o Options) lineFormat {
	aligns := "|"
	for _, c := range columns {
		if c.Kind == Number {
			aligns += "r|"
		} else {
			aligns += "l|"
		}
	}
	l := plainLines(o, around{"", " & ", " \\\\\n"}, latexEscapes.Replace)
	l.open, l.end = `\begin{tabular}{`+aligns+"}\n\\hline\n", "\\hline\n\\end{tabular}\n"
	l.head.behind += "\\hline\n"
	return l
}

// insert writes one INSERT statement per row.
func insert(columns []Column, o Options) lineFormat {
	into := cmp.Or(o.Table, `"table"`)
	if o.Header {
		var names []string
		for _, c := range columns {
			names = append(names, lexer.QuoteName(c.Name))
		}
		into += "(" + strings.Join(names, ", ") + ")"
	}
	return lineFormat{row: around{"INSERT INTO " + into + " VALUES (", ", ", ");\n"}, value: literals(o)}
}

// quoted writes values as SQL literals.
func quoted(_ []Column, o Options) lineFormat {
	a := around{"", ",", "\n"}
	return lineFormat{head: a, row: a, name: lexer.QuoteText, value: literals(o)}
}

// commentEscapes keeps a text from ending a comment, and from beginning another one in it.
var commentEscapes = strings.NewReplacer("/*", "/ *", "*/", "* /")

// literals returns a function that writes a value as a SQL literal. Values that are neither numbers,
// booleans nor BLOBs are text, which DuckDB casts to the column's type at the insertion. Values of BIGNUM
// are text too, because a literal has at most 39 digits.
func literals(o Options) func(c Column, v Cell) string {
	return func(c Column, v Cell) string {
		switch {
		case v.Null:
			return "NULL"
		case o.Short && c.holdsBlobs():
			// A shortened BLOB is a wrong value. So the statement inserts NULL, and the text is a comment.
			return "NULL /* " + commentEscapes.Replace(oneLine(short(c, v, o))) + " */"
		case c.Kind == Blob:
			return lexer.QuoteText(blobText(v.Text)) + "::BLOB"
		case c.Kind == Bool:
			return v.Text
		case c.Kind != Number, c.Type == "bignum", !isJSONNumber(v.Text):
			return lexer.QuoteText(v.Text)
		case c.Type == "double":
			return lexer.Float(v.Text, lexer.DoubleDigits)
		case c.Type == "float":
			return lexer.Float(v.Text, lexer.FloatDigits)
		}
		return v.Text
	}
}

// line writes "name = value" for each value, and an empty line between rows.
func line(columns []Column, o Options) lineFormat {
	width := 0
	for _, c := range columns {
		width = max(width, text.StringWidth(oneLine(c.Name)))
	}
	return lineFormat{between: "\n", value: func(c Column, v Cell) string {
		return text.AlignRight.Apply(oneLine(c.Name), width) + " = " + plain(c, v, o) + "\n"
	}}
}

// trash reads all rows and writes nothing.
func trash(_ io.Writer, rows Rows, _ Options) error {
	for _, err := range rows.All {
		if err != nil {
			return err
		}
	}
	return nil
}

// jsonArray writes one JSON array of objects.
func jsonArray(columns []Column, o Options) lineFormat {
	return lineFormat{open: "[", between: ",\n", row: around{"{", ",", "}"}, end: "]\n", value: fields(columns, o)}
}

// jsonLines writes each row as a JSON object.
func jsonLines(columns []Column, o Options) lineFormat {
	return lineFormat{row: around{"{", ",", "}\n"}, value: fields(columns, o)}
}

// fields returns a function that writes a value as a field of a JSON object.
func fields(columns []Column, o Options) func(c Column, v Cell) string {
	keys := map[string]string{}
	for _, c := range columns {
		keys[c.Name] = quoteJSON(c.Name) + ":"
	}
	return func(c Column, v Cell) string { return keys[c.Name] + jsonValue(c, v, o) }
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
		return quoteJSON(blobText(v.Text))
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
