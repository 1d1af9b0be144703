// Package render prints query results, one file per output mode. It knows
// nothing of the database: values arrive as text, as DuckDB writes them.
package render

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Kind is what a renderer must know of a column's type.
type Kind int

// The kinds of columns.
const (
	Text   Kind = iota
	Number      // written as DuckDB writes it; may be inf or nan
	Bool        // true or false
	Blob        // the bytes themselves
	JSON        // a JSON value, already encoded
)

// Column heads a column.
type Column struct {
	Name string
	Type string // as DuckDB shows it: int32, varchar, decimal(4,2), ...
	Kind Kind
	// Right aligns the column right. It is set for all numeric types, also if Kind is not Number.
	Right bool
}

// Cell is one value. A Blob's text is its bytes.
type Cell struct {
	Text string
	Null bool
}

// Chunk is a run of rows. Its cells are made when asked for, so that a
// renderer that shows few rows of many pays for few. It is valid until the
// next one is fetched.
type Chunk interface {
	Len() int
	Cell(row, col int) Cell
}

// Rows is a result, read once from front to back.
type Rows interface {
	Columns() []Column
	// Next returns the next chunk, never an empty one, or io.EOF.
	Next() (Chunk, error)
}

// Options are the settings that the modes share.
type Options struct {
	Header    bool
	Null      string // text for NULL; JSON always writes null
	Separator string // list and csv; empty means the mode's own
	MaxRows   int    // duckbox; 0 means all
	Width     int    // duckbox: the terminal's width; 0 means unlimited
	Page      Page   // duckbox
	Turned    bool   // duckbox: a line for every column of the result
	Widths    []int  // column: of its columns, as far as they are given; below 0 to the right
	Table     string // insert: into which
	// Short cuts BLOBs, for the screen; Describe says what they are.
	Short bool
	// Describe says what a BLOB is, for the modes that people read; nil shows
	// the bytes.
	Describe func(bytes string) (words string, ok bool)
	// Dim makes text step back, NULL and the types of a duckbox; nil leaves it.
	Dim func(text string) string
}

// Page is what a duckbox knows of a pager: a result that, shortened to MaxRows, has
// more lines than the screen goes there whole, up to pageRows.
type Page struct {
	Lines int  // of the screen; 0 where there is no pager
	Wide  bool // it scrolls to the right
}

func (o Options) dim(text string) string {
	if o.Dim == nil {
		return text
	}
	return o.Dim(text)
}

// blobWords are what people read in place of a BLOB's bytes.
func (o Options) blobWords(bytes string) (string, bool) {
	if o.Describe == nil {
		return "", false
	}
	return o.Describe(bytes)
}

// Mode is an output mode.
type Mode struct {
	Name string
	Help string
	// Null is the mode's own text for NULL.
	Null string
	// JSON asks for values encoded as JSON where their type has no plain form.
	JSON bool
	// Plans asks for query plans as they are, not in a table.
	Plans bool
	// Short modes are for people: BLOBs are cut wherever they are written.
	Short  bool
	Render func(w io.Writer, rows Rows, o Options) error
}

// Modes lists every mode, the default one first.
var Modes = []Mode{
	{Name: "duckbox", Help: "box with column types, long results shortened", Null: "NULL", Plans: true, Short: true, Render: duckbox},
	{Name: "ascii", Help: "values between ASCII separators, \\x1f and \\x1e", Render: ascii},
	{Name: "box", Help: "box with every row", Null: "NULL", Plans: true, Short: true, Render: boxed(style)},
	{Name: "column", Help: "aligned columns; .width sets their widths", Null: "NULL", Plans: true, Short: true, Render: column},
	{Name: "csv", Help: "comma-separated values; NULL is an empty field, empty text is \"\"", Render: csv},
	{Name: "html", Help: "HTML table", Null: "NULL", Short: true, Render: htmlTable},
	{Name: "insert", Help: "INSERT statements, for the table that .mode insert TABLE names", Null: "NULL", Render: insert},
	{Name: "json", Help: "one JSON array of objects", JSON: true, Render: jsonArray},
	{Name: "jsonlines", Help: "one JSON object per line", JSON: true, Render: jsonLines},
	{Name: "latex", Help: "LaTeX tabular environment", Null: "NULL", Short: true, Render: latex},
	{Name: "line", Help: "one value per line", Null: "NULL", Plans: true, Short: true, Render: line},
	{Name: "list", Help: "values joined by the separator, default |", Null: "NULL", Render: list},
	{Name: "markdown", Help: "Markdown table", Null: "NULL", Short: true, Render: markdown},
	{Name: "quote", Help: "values as SQL writes them", Null: "NULL", Render: quoted},
	{Name: "table", Help: "box of ASCII characters, with every row", Null: "NULL", Plans: true, Short: true, Render: boxed(table.StyleBoxDefault)},
	{Name: "tabs", Help: "tab-separated values", Render: tabs},
	{Name: "tcl", Help: "quoted words of Tcl", Null: "NULL", Render: tcl},
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

// each calls row for every row of the result.
func each(rows Rows, row func(chunk Chunk, i int) error) error {
	var failed error
	err := EachChunk(rows, func(chunk Chunk) bool {
		for i := range chunk.Len() {
			if failed = row(chunk, i); failed != nil {
				return false
			}
		}
		return true
	})
	return cmp.Or(failed, err)
}

// EachChunk calls do for every chunk until it says no.
func EachChunk(rows Rows, do func(chunk Chunk) bool) error {
	for {
		chunk, err := rows.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if !do(chunk) {
			return nil
		}
	}
}

// buffered runs fn on a buffer in front of w. What was written before an
// error still comes out.
func buffered(w io.Writer, fn func(w *bufio.Writer) error) error {
	b := bufio.NewWriterSize(w, 1<<16)
	err := fn(b)
	if flushErr := b.Flush(); err == nil {
		err = flushErr
	}
	return err
}

// plain is the text of a cell for the modes that show values as DuckDB does.
func plain(c Column, v Cell, o Options) string {
	switch {
	case v.Null:
		return o.Null
	case o.Short && c.holdsBlobs():
		return short(c, v, o)
	case c.Kind == Blob:
		return BlobText(v.Text)
	default:
		return v.Text
	}
}

// holdsBlobs is true of BLOBs and of lists and the like in which some are.
func (c *Column) holdsBlobs() bool { return c.Kind == Blob || strings.Contains(c.Type, "blob") }

// What is shown of BLOBs.
const (
	shortBlob = 64  // bytes of one
	shortText = 200 // of what has some inside
)

// short is what people read in place of a BLOB's bytes: what it is, or its start.
func short(c Column, v Cell, o Options) string {
	if c.Kind != Blob {
		if len(v.Text) > shortText {
			return strings.ToValidUTF8(v.Text[:shortText], "") + "…"
		}
		return v.Text
	}
	if words, ok := o.blobWords(v.Text); ok {
		return words
	}
	if len(v.Text) > shortBlob {
		return BlobText(v.Text[:shortBlob]) + "…"
	}
	return BlobText(v.Text)
}
