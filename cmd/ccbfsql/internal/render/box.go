package render

import (
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

const (
	shortBlob   = 64 // bytes of a long BLOB that a box shows
	enoughWidth = 20 // a column is not made narrower before others are left out
	fewRows     = 10 // from here on, the number of rows is printed
)

var style = table.StyleBoxLight

// duckbox draws DuckDB's own kind of table: types under the names, the middle
// of long results and of wide tables left out, and the counts below.
func duckbox(w io.Writer, rows Rows, o Options) error {
	g, err := collect(rows, o)
	if err != nil {
		return err
	}
	columns := rows.Columns()
	widths, shown := fit(g.naturalWidths(columns, o), o.Width)

	t := newTable(columns, shown, widths)
	if o.Header {
		t.AppendHeader(g.row(shown, func(i int) string { return oneLine(columns[i].Name) }))
		t.AppendHeader(g.row(shown, func(i int) string { return o.dim(oneLine(columns[i].Type)) }))
	}
	for n, row := range g.rows {
		if n == g.gap {
			for range 3 {
				t.AppendRow(g.row(shown, func(int) string { return "·" }))
			}
		}
		t.AppendRow(g.row(shown, func(i int) string { return row[i] }))
	}
	if counts := g.footer(len(columns), shown, widths); counts != "" {
		footer := make(table.Row, len(shown))
		for i := range footer {
			footer[i] = counts
		}
		t.AppendFooter(footer, table.RowConfig{AutoMerge: true, AutoMergeAlign: text.AlignJustify})
	}
	drawn := t.Render()
	counts := strings.LastIndex(drawn, style.LeftSeparator)
	return writeLine(w, drawn[:counts]+strings.ReplaceAll(drawn[counts:], joint, " "))
}

// box draws every row, without types and counts.
func box(w io.Writer, rows Rows, o Options) error {
	o.MaxRows, o.Width = 0, 0
	g, err := collect(rows, o)
	if err != nil {
		return err
	}
	columns := rows.Columns()
	_, shown := fit(make([]int, len(columns)), 0)
	t := newTable(columns, shown, nil)
	if o.Header {
		t.AppendHeader(g.row(shown, func(i int) string { return oneLine(columns[i].Name) }))
	}
	for _, row := range g.rows {
		t.AppendRow(g.row(shown, func(i int) string { return row[i] }))
	}
	return writeLine(w, t.Render())
}

// newTable sets up a table of the shown columns; -1 stands for those left out.
func newTable(columns []Column, shown, widths []int) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.Style{Box: style, Options: table.OptionsDefault})
	configs := make([]table.ColumnConfig, len(shown))
	for n, i := range shown {
		configs[n] = table.ColumnConfig{Number: n + 1, AlignHeader: text.AlignCenter, Align: text.AlignLeft}
		if i < 0 {
			continue
		}
		configs[n].Align = textAlign(columns[i].Right)
		if widths != nil {
			width := widths[i]
			cut := func(v any) string { return cutTo(v.(string), width) }
			configs[n].Transformer, configs[n].TransformerHeader = cut, cut
		}
	}
	t.SetColumnConfigs(configs)
	return t
}

func textAlign(right bool) text.Align {
	if right {
		return text.AlignRight
	}
	return text.AlignLeft
}

func cutTo(value string, width int) string {
	return text.Snip(value, width, "…")
}

func writeLine(w io.Writer, text string) error {
	_, err := io.WriteString(w, text+"\n")
	return err
}
