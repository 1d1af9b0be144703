package udf

import (
	"bytes"
	"unicode/utf8"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

var ccbfCategoriesType = duck.ListOf(duck.StructOf(
	duck.Field{Name: "category", Type: duck.Varchar}, duck.Field{Name: "total", Type: duck.UBigInt}, duck.Field{Name: "cells", Type: duck.UBigInt}))

// categoryRow is what an element of the list takes in DuckDB's memory: a string and two
// numbers, in a vector that grows to twice its size.
const categoryRow = 2 * (16 + 8 + 8)

// ccbfCategories lists the categories of sketches.
func ccbfCategories(rows *duck.Rows, out *duck.Result) error {
	return ccbfAsk(rows, 0, func(r *ccbfReader) error {
		var list []ccbf.Category
		var text []byte
		held := int64(0) // by list
		return eachValid(rows, out, func(i int) error {
			if blob := rows.Col(0).Bytes(i); !r.view.Is(blob) {
				if err := r.openAny(blob); err != nil {
					return err
				}
				if err := r.view.CheckCategory(true); err != nil {
					return err
				}
				out.Discharge(held)
				held = 0
				n := r.view.CategoryBytes()
				err := out.Charge(n)
				if err != nil {
					return err
				}
				held = n
				if list, err = r.view.ByCategory(); err != nil {
					return err
				}
			}
			size := categoryRow * int64(len(list))
			for _, c := range list {
				size += 32 + 4*int64(len(c.Key)) // of a BLOB four for each
			}
			if err := out.Charge(size); err != nil {
				return err
			}
			_, known := r.view.Total()
			tree := r.view.Form() == ccbf.Tree
			elements := out.List(i, len(list))
			for j, c := range list {
				text = key.AppendText(text[:0], r.view.Class(), c.Key)
				if !utf8.Valid(text) { // nobody's text: DuckDB's functions rely on it
					text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
				}
				f := fields{out: elements, row: j}
				f.next().SetBytes(j, text)
				f.known(c.Total, known)
				f.known(c.Cells, !tree)
			}
			return nil
		})
	})
}
