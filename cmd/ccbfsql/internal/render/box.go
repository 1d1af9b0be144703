package render

import (
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

const (
	enoughWidth = 20     // No column is cut to less than this width: other columns are left out instead.
	fewRows     = 10     // If a result has at least this many rows, a line below its box has their number.
	frameLines  = 9      // Lines of the screen that a shortened box needs besides its rows, prompt included.
	pageRows    = 10_000 // Largest number of rows of a box in a pager: a box is held in memory.
	pageWidth   = 300    // Largest width of a column in a pager.
)

// Styles of tables.
var (
	lightBox  = &table.Style{Box: table.StyleBoxLight, Options: table.OptionsDefault}
	asciiBox  = &table.Style{Box: table.StyleBoxDefault, Options: table.OptionsDefault}
	unboxed   = &table.Style{Box: table.BoxStyle{MiddleHorizontal: "-", MiddleSeparator: "  ", MiddleVertical: "  "}, Options: table.Options{SeparateColumns: true, SeparateHeader: true}}
	pipeTable = &table.Style{Markdown: table.MarkdownOptions{PadContent: true}}
)

// duckbox draws a table as DuckDB's shell does: column types below the names, and the number of
// rows and columns below the table. It leaves out the middle of long results and of wide tables.
func duckbox(w io.Writer, rows Rows, o Options) error {
	if o.Turned {
		turned, err := turn(rows, o)
		if err != nil {
			return err
		}
		rows = turned
	}
	whole := o.Page.Lines > 0 && o.MaxRows > 0 && o.MaxRows+frameLines > o.Page.Lines
	if whole {
		o.MaxRows = pageRows
	}
	g, err := collect(rows, o)
	if err != nil {
		return err
	}
	columns := rows.Columns
	natural := g.naturalWidths(columns, o)
	if whole && o.Page.Wide && len(g.rows)+frameLines > o.Page.Lines {
		o.Width = 0
		for i := range natural {
			natural[i] = min(natural[i], pageWidth)
		}
	}
	widths, from, to := fit(natural, o.Width)
	widths = leaveOut(widths, from, to, 1)
	shown := func(values []string) table.Row { return tableRow(leaveOut(values, from, to, "…")) }

	t := newTable(lightBox, leaveOut(columns, from, to, Column{}), widths)
	if o.Header {
		t.AppendHeader(shown(names(columns, oneLine)))
		types := make([]string, len(columns))
		for i, c := range columns {
			types[i] = o.dim(oneLine(c.Type))
		}
		t.AppendHeader(shown(types))
	}
	for n, row := range g.rows {
		if n == g.gap {
			for range 3 {
				t.AppendRow(shown(slices.Repeat([]string{"·"}, len(columns))))
			}
		}
		t.AppendRow(shown(row))
	}
	counts := g.footer(len(columns), to-from, widths)
	if counts == "" {
		return writeLine(w, t.Render())
	}
	t.AppendFooter(tableRow(slices.Repeat([]string{counts}, len(widths))), table.RowConfig{AutoMerge: true, AutoMergeAlign: text.AlignJustify})
	drawn := t.Render()
	at := max(0, strings.LastIndex(drawn, lightBox.Box.LeftSeparator))
	return writeLine(w, drawn[:at]+strings.ReplaceAll(drawn[at:], joint, " "))
}

// tabular returns a function that draws a table of all rows, without types and numbers of rows.
func tabular(style *table.Style) func(w io.Writer, rows Rows, o Options) error {
	return func(w io.Writer, rows Rows, o Options) error {
		columns := rows.Columns
		t := newTable(style, columns, nil)
		escape := oneLine
		switch style {
		case unboxed:
			o.Colours = false
			t.SetColumnConfigs(ownWidths(columns, o.Widths, 1))
			t.SuppressTrailingSpaces()
		case pipeTable:
			o.Colours = false
			t.SetColumnConfigs(ownWidths(columns, nil, 3))
			escape = func(text string) string { return oneLine(lineBreaks.Replace(text)) }
		}
		if o.Header {
			t.AppendHeader(tableRow(names(columns, escape)))
		}
		for row, err := range rows.All {
			if err != nil {
				return err
			}
			t.AppendRow(tableRow(cellTexts(columns, row, o, escape)))
		}
		if style == pipeTable {
			return writeLine(w, t.RenderMarkdown())
		}
		return writeLine(w, t.Render())
	}
}

// lineBreaks replaces line breaks in cells of Markdown.
var lineBreaks = strings.NewReplacer("\r\n", "<br>", "\n", "<br>")

// ownWidths returns columns with the widths of .width, or at least least. Values of columns with a
// given width are cut.
func ownWidths(columns []Column, widths []int, least int) []table.ColumnConfig {
	configs := make([]table.ColumnConfig, len(columns))
	for i, c := range columns {
		align := textAlign(c.Kind == Number)
		configs[i].Number, configs[i].WidthMin = i+1, least
		if i < len(widths) && widths[i] != 0 {
			align = textAlign(widths[i] < 0)
			width := max(widths[i], -widths[i])
			configs[i].WidthMin, configs[i].Transformer, configs[i].TransformerHeader = width, cutTo(width), cutTo(width)
		}
		configs[i].Align, configs[i].AlignHeader = align, align
	}
	return configs
}

// newTable returns a table with the given columns. A width cuts the values of its column.
func newTable(style *table.Style, columns []Column, widths []int) table.Writer {
	t := table.NewWriter()
	t.SetStyle(*style)
	configs := make([]table.ColumnConfig, len(columns))
	for i, c := range columns {
		configs[i] = table.ColumnConfig{Number: i + 1, AlignHeader: text.AlignCenter, Align: textAlign(c.Kind == Number)}
		if widths != nil {
			configs[i].Transformer, configs[i].TransformerHeader = cutTo(widths[i]), cutTo(widths[i])
		}
	}
	t.SetColumnConfigs(configs)
	return t
}

// tableRow returns a row of a table.
func tableRow(values []string) table.Row {
	out := make(table.Row, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

func textAlign(right bool) text.Align {
	if right {
		return text.AlignRight
	}
	return text.AlignDefault
}

// cutTo returns a function that cuts a value to a width.
func cutTo(width int) text.Transformer {
	return func(v any) string { return text.Snip(v.(string), width, "…") }
}

func writeLine(w io.Writer, text string) error {
	_, err := io.WriteString(w, text+"\n")
	return err
}
