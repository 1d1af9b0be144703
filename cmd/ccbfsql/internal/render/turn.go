package render

import (
	"io"
	"strconv"
)

// turn transposes a result: each column becomes a row, with the first MaxRows values beside each
// other.
func turn(rows Rows, o Options) (Rows, error) {
	columns := rows.Columns()
	out := &transposedRows{columns: []Column{{Name: "column", Type: "varchar"}, {Name: "type", Type: "varchar"}}, rows: make([][]Cell, len(columns))}
	for i, c := range columns {
		out.rows[i] = []Cell{{Text: c.Name}, {Text: c.Type}}
	}
	n := 0
	err := EachChunk(rows, func(chunk Chunk) bool {
		for row := 0; row < chunk.Len() && (o.MaxRows == 0 || n < o.MaxRows); row++ {
			n++
			out.columns = append(out.columns, Column{Name: "row " + strconv.Itoa(n), Type: "varchar"})
			for i, c := range columns {
				v := chunk.Cell(row, i)
				if !v.Null {
					v.Text = plain(c, v, o)
				}
				out.rows[i] = append(out.rows[i], v)
			}
		}
		return o.MaxRows == 0 || n < o.MaxRows
	})
	return out, err
}

// transposedRows is a transposed result in memory: rows has one row for each column of the original
// result. It is read as a single chunk.
type transposedRows struct {
	columns []Column
	rows    [][]Cell
}

func (t *transposedRows) Columns() []Column { return t.columns }

func (t *transposedRows) Next() (Chunk, error) {
	if len(t.rows) == 0 {
		return nil, io.EOF
	}
	chunk := t.rows
	t.rows = nil
	return turnedRows(chunk), nil
}

// turnedRows is the single chunk of a transposed result.
type turnedRows [][]Cell

func (r turnedRows) Len() int               { return len(r) }
func (r turnedRows) Cell(row, col int) Cell { return r[row][col] }
