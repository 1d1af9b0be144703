package udf

import (
	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// unnestAdvice ends the summaries of functions that return long lists. DuckDB computes
// FROM t, unnest(f(s)) by a join on the value of s, which it hashes for every element.
const unnestAdvice = "Write SELECT unnest(f(s)) FROM t; FROM t, unnest(f(s)) joins every element to its whole BLOB, which takes a hundred times as long."

// cellRow is the bytes of an element of ccbfSpotsType in DuckDB's memory, in vectors that grow to
// twice their size.
const cellRow = 2 * 4 * 8

// ccbfCells computes ccbf_cells.
func ccbfCells(rows *duck.Rows, out *duck.Result) error {
	return withReader(rows, 1, func(r *ccbfReader) error {
		var verified []byte
		return r.each(rows, out, func(i int, of ccbf.Categories) error {
			if blob := rows.Col(0).Bytes(i); !sameBytes(blob, verified) {
				if err := sketch.Verify(blob); err != nil { // check the whole BLOB, as all of it is read anyway
					return err
				}
				verified = blob
			}
			all := ccbf.Box(r.view.Bounds)
			cells, err := r.view.Cells(all, of)
			if err != nil {
				return err
			}
			n, bytes := bridge.Listed(&r.view, all, of)
			if err := out.Charge(bytes + cellRow*int64(n)); err != nil {
				return err
			}
			list := spotColumnsOf(out.List(i, n))
			at, g := 0, r.view.Grid
			for s := range cells {
				if at == n {
					break // damaged bytes can have more cells than they announce
				}
				list.set(at, g, &s)
				at++
			}
			out.Shorten(i, at)
			out.Discharge(bytes)
			return nil
		})
	})
}
