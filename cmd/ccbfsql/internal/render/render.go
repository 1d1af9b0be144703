// Package render prints query results in many output modes. It does not access the database: values
// arrive as DuckDB's text.
package render

import (
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/charmbracelet/x/ansi"
)

// Kind is the kind of a column's type, which decides how its values are shown.
type Kind int

// The kinds of columns.
const (
	Text   Kind = iota
	Number      // DuckDB's text of a number, which can be inf or nan.
	Bool        // True or false.
	Blob        // The bytes, not a text.
	JSON        // A JSON value that is already encoded.
)

// Column is the name and type of a column.
type Column struct {
	Name string
	Type string // as DuckDB's shell prints it: int32, varchar, decimal(4,2), ...
	Kind Kind
}

// Cell is one value. The Text of a Blob is its bytes.
type Cell struct {
	Text string
	Null bool
}

// Row is one row of a result, valid until the next one is read. Cells are converted to text only if
// they are read, so a renderer that shows few rows converts few.
type Row struct {
	Cell func(col int) Cell
	Rest int // number of rows that are known to follow; there may be more
}

// Rows is a result that is read once from the first to the last row.
type Rows struct {
	Columns []Column
	All     iter.Seq2[Row, error] // An error is the last.
}

// Options are the settings of all modes.
type Options struct {
	Header    bool
	Null      string // Text for NULL; JSON always writes null.
	Separator string // Modes list and csv; "": the mode's own separator.
	MaxRows   int    // Mode duckbox: most rows; 0: all.
	Width     int    // Mode duckbox: the terminal's width in characters; 0: no limit.
	Page      Page   // Mode duckbox: the pager that the output goes to.
	Turned    bool   // Mode duckbox: one line per column of the result.
	Widths    []int  // Mode column: widths of the first columns; below 0: aligned right.
	Table     string // Mode insert: the quoted name of the table.
	// Short shortens BLOBs for the screen.
	Short bool
	// Describe describes a BLOB in words, in place of its bytes. nil: BLOBs are shown as bytes.
	Describe func(bytes string) (words string, ok bool)
	Colours  bool // NULL and the types of a duckbox have a weaker colour.
}

// Page describes a pager to mode duckbox. A result that is taller than the screen even when
// shortened to MaxRows is printed whole, up to pageRows.
type Page struct {
	Lines int  // Lines of the screen; 0: the output goes to no pager.
	Wide  bool // The pager scrolls to the right, so a box can be wider than the screen.
}

func (o Options) dim(text string) string {
	if !o.Colours {
		return text
	}
	return ansi.SGR(ansi.AttrBrightBlackForegroundColor) + text + ansi.ResetStyle
}

// Mode is an output mode.
type Mode struct {
	Name string
	Help string
	// Null is the mode's own text for NULL.
	Null string
	// JSON is true if values of nested types are encoded as JSON.
	JSON bool
	// Plans is true if the mode prints query plans unchanged, not in a table.
	Plans bool
	// Short is true if the mode shortens BLOBs, even when it writes to a file, because people read it.
	Short  bool
	Render func(w io.Writer, rows Rows, o Options) error
}

// Modes lists all modes, the default first.
var Modes = []Mode{
	{Name: "duckbox", Help: "box with column types, long results shortened", Null: "NULL", Plans: true, Short: true, Render: duckbox},
	{Name: "ascii", Help: "values between ASCII separators, \\x1f and \\x1e", Render: lines(ascii)},
	{Name: "box", Help: "box with every row", Null: "NULL", Plans: true, Short: true, Render: tabular(lightBox)},
	{Name: "column", Help: "aligned columns; .width sets their widths", Null: "NULL", Plans: true, Short: true, Render: tabular(unboxed)},
	{Name: "csv", Help: "comma-separated values; NULL is an empty field, empty text is \"\"", Render: lines(csv)},
	{Name: "html", Help: "HTML table", Null: "NULL", Short: true, Render: lines(htmlTable)},
	{Name: "insert", Help: "INSERT statements, for the table that .mode insert TABLE names", Null: "NULL", Render: lines(insert)},
	{Name: "json", Help: "one JSON array of objects", JSON: true, Render: lines(jsonArray)},
	{Name: "jsonlines", Help: "one JSON object per line", JSON: true, Render: lines(jsonLines)},
	{Name: "latex", Help: "LaTeX tabular environment", Null: "NULL", Short: true, Render: lines(latex)},
	{Name: "line", Help: "one value per line", Null: "NULL", Plans: true, Short: true, Render: lines(line)},
	{Name: "list", Help: "values joined by the separator, default |", Null: "NULL", Render: lines(list)},
	{Name: "markdown", Help: "Markdown table", Null: "NULL", Short: true, Render: tabular(pipeTable)},
	{Name: "quote", Help: "values as SQL writes them", Null: "NULL", Render: lines(quoted)},
	{Name: "table", Help: "box of ASCII characters, with every row", Null: "NULL", Plans: true, Short: true, Render: tabular(asciiBox)},
	{Name: "tabs", Help: "tab-separated values", Render: lines(tabs)},
	{Name: "tcl", Help: "quoted words of Tcl", Null: "NULL", Render: lines(tcl)},
	{Name: "trash", Help: "no output: the statement runs, and its rows are read and discarded", Null: "NULL", Render: trash},
}

// Find returns the mode of that name.
func Find(name string) (Mode, error) {
	var names []string
	for _, m := range Modes {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Mode{}, fmt.Errorf("unknown mode %q; one of %s", name, strings.Join(names, ", "))
}

// plain returns the text of a cell for modes that show DuckDB's text.
func plain(c Column, v Cell, o Options) string {
	switch {
	case v.Null:
		return o.Null
	case o.Short && c.holdsBlobs():
		return short(c, v, o)
	case c.Kind == Blob:
		return blobText(v.Text)
	default:
		return v.Text
	}
}

// holdsBlobs reports whether the column has BLOBs, or nested values with BLOBs.
func (c *Column) holdsBlobs() bool { return c.Kind == Blob || strings.Contains(c.Type, "blob") }

// Limits of shortened values.
const (
	shortBlob = 64  // most bytes of a BLOB
	shortText = 200 // most bytes of the text of a nested value with BLOBs
)

// short returns a shortened BLOB or nested value: a description or its beginning.
func short(c Column, v Cell, o Options) string {
	if c.Kind != Blob {
		if len(v.Text) > shortText {
			return strings.ToValidUTF8(v.Text[:shortText], "") + "…"
		}
		return v.Text
	}
	if o.Describe != nil {
		if words, ok := o.Describe(v.Text); ok {
			return words
		}
	}
	if len(v.Text) > shortBlob {
		return blobText(v.Text[:shortBlob]) + "…"
	}
	return blobText(v.Text)
}

// blobText returns a BLOB as DuckDB casts it to VARCHAR.
func blobText(bytes string) string { return key.Format(key.Blob, []byte(bytes)) }

// oneLine returns text for a table cell: line breaks, tabs and control characters, which could
// steer the terminal, become escapes.
func oneLine(text string) string {
	if strings.IndexFunc(text, unfit) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unfit(r):
			b.WriteString(`\u{` + strconv.FormatInt(int64(r), 16) + `}`)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unfit reports whether a character would damage a table: control characters, and marks that change
// the writing direction.
func unfit(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}
