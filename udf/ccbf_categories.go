package udf

import (
	"bytes"
	"unicode/utf8"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

var ccbfCategoriesType = duck.ListOf(duck.StructOf(
	duck.Field{Name: "category", Type: duck.Varchar}, duck.Field{Name: "total", Type: duck.UBigInt}, duck.Field{Name: "cells", Type: duck.UBigInt}))

// categoryRow is the bytes of an element of the list in DuckDB's memory: a string and two numbers.
// The vector grows to twice its size.
const categoryRow = 2 * (16 + 8 + 8)

// ccbfCategories computes ccbf_categories of whole sketches.
func ccbfCategories(rows *duck.Rows, out *duck.Result) error {
	return withReader(rows, 0, func(r *ccbfReader) error {
		var list []ccbf.Category
		var text []byte
		held := int64(0) // bytes charged for list so far
		return eachValid(rows, out, func(i int) error {
			if blob := rows.Col(0).Bytes(i); !bridge.IsOf(&r.view, blob) {
				if err := r.openAny(blob); err != nil {
					return err
				}
				if err := r.view.CheckCategory(true); err != nil {
					return err
				}
				out.Discharge(held)
				held = 0
				n := bridge.CategoryBytes(&r.view)
				err := out.Charge(n)
				if err != nil {
					return err
				}
				held = n
				if list, err = r.view.ListCategories(); err != nil {
					return err
				}
			}
			size := categoryRow * int64(len(list))
			for _, c := range list {
				size += 32 + 4*int64(len(c.Key)) // as text, a byte of a BLOB key can take four bytes
			}
			if err := out.Charge(size); err != nil {
				return err
			}
			_, known := r.view.Total()
			tree := r.view.Form() == ccbf.Tree
			elements := out.List(i, len(list))
			for j, c := range list {
				text = appendCategory(text[:0], r.view.Class(), c.Key)
				f := fields{out: elements, row: j}
				f.next().SetBytes(j, text)
				f.known(c.Total, known)
				f.known(c.Cells, !tree)
			}
			return nil
		})
	})
}

// appendCategory appends a category as text. It replaces bytes that are not UTF-8, as DuckDB's
// functions need UTF-8.
func appendCategory(dst []byte, class key.Class, category []byte) []byte {
	dst = key.AppendText(dst, class, category)
	if !utf8.Valid(dst) {
		dst = bytes.ToValidUTF8(dst, []byte("\uFFFD"))
	}
	return dst
}

var ccbfCategorySumsType = duck.ListOf(duck.StructOf(
	duck.Field{Name: "category", Type: duck.Varchar}, duck.Field{Name: "total", Type: duck.UBigInt},
	duck.Field{Name: "estimate", Type: duck.Double}, duck.Field{Name: "low", Type: duck.UBigInt}, duck.Field{Name: "high", Type: duck.UBigInt}))

// categoryOverloads adds the signatures of ccbf_categories for a polygon and for a box.
func categoryOverloads(fn duck.Function) duck.Function {
	area := duck.Function{Overloads: []duck.Overload{{Returns: ccbfCategorySumsType, Scalar: ccbfCategorySums}}}
	area = withSignatures(area, params(paramSketch, paramPolygon), params(paramSketch, paramPolygon, paramCategory),
		inBox(), inBox(paramCategory))
	fn.Overloads = append(fn.Overloads, area.Overloads...)
	return fn
}

// ccbfCategorySums computes ccbf_categories of an area.
func ccbfCategorySums(rows *duck.Rows, out *duck.Result) error {
	after := 0 // number of arguments after the area
	if n := rows.NumCols(); n == 3 || n == 6 {
		after = 1 // one argument: the categories
	}
	areas, err := areasOf(rows, after)
	if err != nil {
		return err
	}
	defer areas.record()
	return withReader(rows, areas.next, func(r *ccbfReader) error {
		var text []byte
		return eachValid(rows, out, func(i int) error {
			if !r.selects(i) {
				out.SetNull(i)
				return nil
			}
			if err := r.openAny(rows.Col(0).Bytes(i)); err != nil {
				return err
			}
			if err := r.view.CheckCategory(true); err != nil {
				return err
			}
			area, err := areas.at(&r.view.Head, rows, i)
			if err != nil {
				return err
			}
			var of ccbf.Categories
			if r.has {
				if of, err = r.categories(rows.Col(0).Bytes(i), out, i); err != nil {
					return err
				}
			}
			_, walked := bridge.Listed(&r.view, area, of)
			held := bridge.CategoryBytes(&r.view) + walked
			if err := out.Charge(held); err != nil {
				return err
			}
			list, err := r.view.ByCategory(area, of)
			if err != nil {
				return err
			}
			size := (categoryRow + 2*8 + 2*8) * int64(len(list))
			for _, c := range list {
				size += 32 + 4*int64(len(c.Key)) // as text, a byte of a BLOB key can take four bytes
			}
			if err := out.Charge(size); err != nil {
				return err
			}
			elements := out.List(i, len(list))
			for j, c := range list {
				text = appendCategory(text[:0], r.view.Class(), c.Key)
				f := fields{out: elements, row: j}
				f.next().SetBytes(j, text)
				f.count(c.High)
				f.float(c.Value)
				f.count(c.Low)
				f.count(c.High)
			}
			out.Discharge(held)
			return nil
		})
	})
}
