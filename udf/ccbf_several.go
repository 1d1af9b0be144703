package udf

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/grid"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// categoryAdvice ends the summaries of functions that take several categories.
const categoryAdvice = "category can be a value or a list such as ['home', 'shop']. For exact sketches and trees, it can be a range {lo: 12, hi: 20} with both ends. If categories are STRUCTs, some of their fields are enough: {kind: 'theft'}. docs/CHOOSING.md has examples."

// severalCategories is a column of lists of categories, of ranges, or of STRUCTs with parts of a
// category. A range is a STRUCT with the fields lo and hi, both included.
type severalCategories struct {
	given  bool
	column *duck.Vector
	ranges bool          // rows have ranges, from keys to to.
	keys   args.Keys     // the elements of lists, or the starts of ranges.
	to     args.Keys     // the ends of ranges.
	parts  categoryParts // the parts of STRUCTs, in the column or in its lists.

	set ccbf.Categories // the categories of the row that was read last
	// The arguments from which set was made. If the next row has the same ones, set is used again.
	offset, n int       // of a list
	class     key.Class // of the sketch
	of        []byte    // the sketch's BLOB, for ranges and parts
	low, high []byte    // of a range
	tests     []byte    // the tests of STRUCTs, as appendTests writes them
}

// reset sets s to a column. It reports false if values are single categories.
func (s *severalCategories) reset(column *duck.Vector) (bool, error) {
	*s = severalCategories{column: column, n: -1}
	switch t := column.Type(); t.ID() {
	case duck.ListID:
		s.given = true
		element := column.Elem()
		if element.Type().ID() == duck.StructID {
			if err := s.parts.reset(element); err != nil || s.parts.must {
				return true, err
			}
		}
		return true, s.keys.Reset(element)
	case duck.StructID:
		lo, hi, isRange := rangeFields(t)
		if !isRange {
			err := s.parts.reset(column)
			s.given = s.parts.must
			return s.given, err // if false, the STRUCT may be a single category
		}
		s.given, s.ranges = true, true
		if err := s.keys.Reset(column.Field(lo)); err != nil {
			return true, err
		}
		return true, s.to.Reset(column.Field(hi))
	}
	return false, nil
}

// rangeFields returns the fields lo and hi of a type; ok is false if it is no range.
func rangeFields(t duck.Type) (lo, hi int, ok bool) {
	if t.ID() != duck.StructID {
		return 0, 0, false
	}
	fields := t.Fields()
	field := func(name string) int {
		return slices.IndexFunc(fields, func(f duck.Field) bool { return strings.EqualFold(f.Name, name) })
	}
	lo, hi = field("lo"), field("hi")
	return lo, hi, len(fields) == 2 && lo >= 0 && hi >= 0
}

// valid reports whether row i selects categories. A range without an end is NULL.
func (s *severalCategories) valid(i int) bool {
	switch {
	case s.ranges:
		return s.keys.Valid(i) && s.to.Valid(i)
	case s.parts.must && s.column.Type().ID() == duck.StructID:
		return s.parts.valid(i)
	}
	return true
}

// takes reports whether values are several categories of a sketch with this class of categories.
func (s *severalCategories) takes(class key.Class) bool { return s.given || s.parts.selects(class) }

// lists reports whether read has to list the categories of a sketch whose categories have this class.
func (s *severalCategories) lists(class key.Class) bool { return s.ranges || s.parts.selects(class) }

// read sets s.set to the categories that row i selects in the view of blob.
func (s *severalCategories) read(v *ccbf.View, blob []byte, out *duck.Result, i int) error {
	switch {
	case s.ranges:
		return s.readRange(v, blob, out, i)
	case s.parts.selects(v.Class()):
		return s.readParts(v, blob, out, i)
	}
	return s.readList(v.Class(), out, i)
}

// readList sets s.set to the list of categories in row i, as keys of this class.
func (s *severalCategories) readList(class key.Class, out *duck.Result, i int) error {
	offset, n := s.column.ListRange(i)
	if offset == s.offset && n == s.n && class == s.class {
		return nil
	}
	var keys [][]byte
	for j := offset; j < offset+n; j++ {
		if !s.keys.Valid(j) {
			continue // skip NULL: no point has it as category
		}
		b, err := s.keys.Bytes(j, class)
		if err != nil {
			return err
		}
		if err := out.Charge(int64(len(b)) + 2*24); err != nil {
			return err
		}
		keys = append(keys, append([]byte{}, b...))
	}
	s.set, s.offset, s.n, s.class = ccbf.AnyOf(keys...), offset, n, class
	return nil
}

// readRange sets s.set to the categories of the sketch that are in the range of row i.
func (s *severalCategories) readRange(v *ccbf.View, blob []byte, out *duck.Result, i int) error {
	if v.Form() == ccbf.Dense {
		return fmt.Errorf("a range of categories: %w of categories (give a list, for example range(12, 21))", ccbf.ErrNotListed)
	}
	low, err := s.keys.Bytes(i, v.Class())
	if err != nil {
		return err
	}
	high, err := s.to.Bytes(i, v.Class())
	if err != nil {
		return err
	}
	if v.Class() == key.None { // the sketch has no points
		s.set, s.of = ccbf.AnyOf(), nil
		return nil
	}
	if sameBytes(blob, s.of) && string(low) == string(s.low) && string(high) == string(s.high) {
		return nil
	}
	if err := checkRange(v.Class(), low, high); err != nil {
		return err
	}
	if err := s.find(v, out, func() ([][]byte, error) { return bridge.Between(v, low, high) }); err != nil {
		return err
	}
	s.of, s.low, s.high = blob, append(s.low[:0], low...), append(s.high[:0], high...)
	return nil
}

// find sets s.set to the categories that list returns.
func (s *severalCategories) find(v *ccbf.View, out *duck.Result, list func() ([][]byte, error)) error {
	bytes := bridge.CategoryBytes(v)
	if err := out.Charge(bytes); err != nil {
		return err
	}
	keys, err := list()
	if err != nil {
		return err
	}
	s.set = ccbf.AnyOf(keys...)
	out.Discharge(bytes / 2) // keep the charge for the keys, which set holds
	return nil
}

// checkRange returns an error for a range whose start is above its end.
func checkRange(class key.Class, low, high []byte) error {
	if order, ordered := key.Compare(class, low, high); ordered && order > 0 {
		text := func(b []byte) []byte { return key.AppendText(nil, class, b) }
		return fmt.Errorf("the range of categories is reversed: lo %s is above hi %s (give a list for what is around an end, such as [22, 23, 0, 1])", text(low), text(high))
	}
	return nil
}

// readParts sets s.set to the categories of the sketch that have the parts given in row i.
func (s *severalCategories) readParts(v *ccbf.View, blob []byte, out *duck.Result, i int) error {
	if v.Form() == ccbf.Dense {
		return fmt.Errorf("parts of a category: %w of categories (give whole ones, or a list of them)", ccbf.ErrNotListed)
	}
	if v.Class() == key.None { // the sketch has no points
		s.set, s.of = ccbf.AnyOf(), nil
		return nil
	}
	from, n := i, 1
	if s.column.Type().ID() == duck.ListID {
		from, n = s.column.ListRange(i)
	}
	var anyOf [][]partTest
	var all []byte
	for j := from; j < from+n; j++ {
		if !s.parts.column.Valid(j) || s.parts.must && !s.parts.valid(j) {
			continue
		}
		tests, err := s.parts.read(v.Class(), j)
		if err != nil {
			return err
		}
		anyOf, all = append(anyOf, tests), appendTests(all, tests)
	}
	if sameBytes(blob, s.of) && string(all) == string(s.tests) {
		return nil
	}
	if err := out.Charge(2 * int64(len(all))); err != nil {
		return err
	}
	fields := v.Class().Fields()
	if err := s.find(v, out, func() ([][]byte, error) {
		return bridge.CategoriesWhere(v, func(c []byte) bool {
			return slices.ContainsFunc(anyOf, func(tests []partTest) bool { return passes(tests, fields, c) })
		})
	}); err != nil {
		return err
	}
	s.of, s.tests = blob, all
	return nil
}

// ccbfGetSeveral looks up places with several categories. It counts rows with the same sketch and
// the same categories at once.
func ccbfGetSeveral(r *ccbfReader, at coordinates, rows *duck.Rows, out *duck.Result, put func(out *duck.Result, rows []uint32, counts []uint64)) error {
	var of []uint32
	var cells []grid.Cell
	var last ccbf.Categories
	var blob []byte
	counts := make([]uint64, rows.Len())
	count := func() {
		if len(of) > 0 {
			r.view.Counts(counts[:len(of)], cells, last)
			put(out, of, counts[:len(of)])
			of, cells = of[:0], cells[:0]
		}
	}
	err := eachValid(rows, out, func(i int) error {
		if !r.several.valid(i) || at.isEmpty(i) {
			out.SetNull(i)
			return nil
		}
		if b := rows.Col(0).Bytes(i); !sameBytes(b, blob) {
			count() // count in the old sketch, before r.view changes
			blob = b
			if err := r.open(b); err != nil {
				return err
			}
		}
		categories, err := r.categories(blob, out, i)
		if err != nil {
			return err
		}
		if one, ok := categories.One(); ok { // copy: the category is in r's memory, which the next row overwrites
			categories = ccbf.Of(slices.Clone(one))
		}
		if !categories.Same(&last) {
			count()
			last = categories
		}
		c, err := r.view.Grid.Cell(at.xs[i], at.ys[i])
		if err != nil {
			return err
		}
		of, cells = append(of, uint32(i)), append(cells, c)
		return nil
	})
	if err != nil {
		return err
	}
	count()
	return nil
}
