package udf

import (
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
func ccbfCategories(c *call) error {
	var v ccbf.View
	var text []byte
	return eachBlob(c, func(blob []byte) (list []ccbf.Category, err error) {
		if err = v.Reset(blob); err == nil {
			err = v.CheckCategory(true)
		}
		if err == nil {
			err = c.out.Grow(bridge.CategoryBytes(&v))
		}
		if err != nil {
			return nil, err
		}
		return v.ListCategories()
	}, func(list *[]ccbf.Category, i int) error {
		if err := c.out.Charge(listBytes(*list, 0, func(c ccbf.Category) []byte { return c.Key })); err != nil {
			return err
		}
		_, known := v.Total()
		tree := v.Form() == ccbf.Tree
		elements := c.out.List(i, len(*list))
		for j, category := range *list {
			text = key.AppendText(text[:0], v.Class(), category.Key)
			f := fields{out: elements, row: j}
			f.next().SetBytes(j, text)
			f.known(category.Total, known)
			f.known(category.Cells, !tree)
		}
		return nil
	})
}

// listBytes returns the memory of a list of categories in DuckDB, for elements with more bytes than
// categoryRow.
func listBytes[C any](list []C, more int, keyOf func(c C) []byte) int64 {
	size := (categoryRow + more) * len(list)
	for _, c := range list {
		size += 32 + 4*len(keyOf(c)) // as text, a byte of a BLOB key can take four bytes
	}
	return int64(size)
}

var ccbfCategorySumsType = duck.ListOf(duck.StructOf(
	duck.Field{Name: "category", Type: duck.Varchar}, duck.Field{Name: "total", Type: duck.UBigInt},
	duck.Field{Name: "estimate", Type: duck.Double}, duck.Field{Name: "low", Type: duck.UBigInt}, duck.Field{Name: "high", Type: duck.UBigInt}))

// ccbfCategorySums computes ccbf_categories of an area.
func ccbfCategorySums(q *question) error {
	var text []byte
	v := &q.view
	q.listing = true
	return q.each(func(i int, of ccbf.Categories) error {
		area, met, err := q.at(&v.Head, i)
		if err != nil {
			return err
		}
		if met {
			decodedSketches.useNoise(v, q.Col(0).Bytes(i))
		}
		_, walked := bridge.Listed(v, of)
		if err := q.out.Grow(bridge.CategoryBytes(v) + walked); err != nil {
			return err
		}
		list, err := v.ByCategory(area, of)
		if err != nil {
			return err
		}
		if err := q.out.Charge(listBytes(list, 2*8+2*8, func(c ccbf.CategorySum) []byte { return c.Key })); err != nil {
			return err
		}
		elements := q.out.List(i, len(list))
		for j, c := range list {
			text = key.AppendText(text[:0], v.Class(), c.Key)
			f := fields{out: elements, row: j}
			f.next().SetBytes(j, text)
			f.count(c.High)
			f.float(c.Value)
			f.count(c.Low)
			f.count(c.High)
		}
		return nil
	})
}
