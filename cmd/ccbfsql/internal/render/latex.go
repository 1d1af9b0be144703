package render

import (
	"bufio"
	"io"
	"strings"
)

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`, "\n", " ")

// latex writes a tabular environment, numbers to the right.
func latex(w io.Writer, rows Rows, o Options) error {
	return buffered(w, func(w *bufio.Writer) error {
		columns := rows.Columns()
		line := func(value func(col int) string) error {
			for i := range columns {
				if i > 0 {
					w.WriteString(" & ")
				}
				w.WriteString(latexEscapes.Replace(value(i)))
			}
			_, err := w.WriteString(" \\\\\n")
			return err
		}
		w.WriteString(`\begin{tabular}{|`)
		for _, c := range columns {
			if c.Right {
				w.WriteString("r|")
			} else {
				w.WriteString("l|")
			}
		}
		w.WriteString("}\n\\hline\n")
		if o.Header {
			if err := line(func(col int) string { return columns[col].Name }); err != nil {
				return err
			}
			w.WriteString("\\hline\n")
		}
		err := each(rows, func(chunk Chunk, i int) error {
			return line(func(col int) string { return plain(columns[col], chunk.Cell(i, col), o) })
		})
		if err != nil {
			return err
		}
		_, err = w.WriteString("\\hline\n\\end{tabular}\n")
		return err
	})
}

var tclEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, `[`, `\[`, `]`, `\]`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// tcl writes each row as a list of quoted words of Tcl.
func tcl(w io.Writer, rows Rows, o Options) error {
	return buffered(w, func(w *bufio.Writer) error {
		columns := rows.Columns()
		separator := o.Separator
		if separator == "" {
			separator = " "
		}
		line := func(value func(col int) string) error {
			for i := range columns {
				if i > 0 {
					w.WriteString(separator)
				}
				w.WriteString(`"` + tclEscapes.Replace(value(i)) + `"`)
			}
			return w.WriteByte('\n')
		}
		if o.Header {
			if err := line(func(col int) string { return columns[col].Name }); err != nil {
				return err
			}
		}
		return each(rows, func(chunk Chunk, i int) error {
			return line(func(col int) string { return plain(columns[col], chunk.Cell(i, col), o) })
		})
	})
}
