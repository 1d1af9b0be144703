package render

import (
	"iter"
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
	for chunk, err := range rows.Chunks() {
		if err != nil {
			return nil, err
		}
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
		if n == o.MaxRows && n > 0 {
			break
		}
	}
	return out, nil
}

// transposedRows is a transposed result in memory: rows has one row for each column of the original
// result. It is a single chunk.
type transposedRows struct {
	columns []Column
	rows    [][]Cell
}

func (t *transposedRows) Columns() []Column { return t.columns }

func (t *transposedRows) Chunks() iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) { yield(t, nil) }
}

func (t *transposedRows) Len() int               { return len(t.rows) }
func (t *transposedRows) Cell(row, col int) Cell { return t.rows[row][col] }
