package udf

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/filters/ccbf"
	"github.com/ccbfsql/ccbfsql/filters/ccbf/bridge"
	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
	"github.com/ccbfsql/ccbfsql/internal/notes"
)

// categoryAdvice ends the summaries of functions that take several categories.
const categoryAdvice = "category can be a value or a list such as ['home', 'shop']. For exact sketches and trees, it can be a range {lo: 12, hi: 20} with both ends. If categories are STRUCTs, some of their fields are enough: {kind: 'theft'}. docs/CHOOSING.md has examples."

// selection is a column of categories that rows ask for. A row has a category, a list of them, or a
// range. If categories are STRUCTs, it can have some of their fields instead, or a list of such
// STRUCTs.
//
// Keys do not have the names of their fields. If a STRUCT has all fields, they are in the order of
// the key's fields. Otherwise a part belongs to the only field of the key with its type. A part
// named _1 belongs to the first field, and so on. Everything else is an error.
type selection struct {
	column  *duck.Vector // nil if there is none.
	whole   choice       // whole categories; not used if parted.
	structs *duck.Vector // the STRUCTs whose parts select categories: column or its elements; nil if there are none.
	parts   []part       // their fields.
	parted  bool         // a STRUCT is no single category: a part has several values, or a number as name.
	fixed   bool         // rows have several categories each, or all have the same ones.

	set ccbf.Categories // the categories of the row that was read last
	// The arguments from which set was made. If the next row has the same ones, set is used again.
	class     key.Class // of the sketch
	of        []byte    // the sketch's BLOB, if its categories were listed
	row, next []byte    // the value of column, and memory for that of the next row.
	offset, n int       // of the list in column, if it has lists
}

// part is a field of a STRUCT that selects categories.
type part struct {
	choice
	name   string
	number int // 1 if the name is _1, and so on; 0 for other names.
	field  int // index of the field of the categories that the part selects by.
}

// reset sets s to a column.
func (s *selection) reset(column *duck.Vector) error {
	*s = selection{column: column, n: -1}
	elements := column
	if column.Type().ID() == duck.ListID {
		elements = column.Elem()
	}
	if _, _, isRange := args.RangeFields(column.Type()); elements.Type().ID() == duck.StructID && !isRange {
		s.structs, s.parts = elements, make([]part, elements.NumFields())
	}
	for j := range s.parts {
		part := &s.parts[j]
		part.name = s.structs.FieldName(j)
		if n, err := strconv.Atoi(strings.TrimPrefix(part.name, "_")); err == nil && part.name == "_"+strconv.Itoa(n) && n > 0 {
			part.number = n
		}
		if err := part.reset(s.structs.Field(j)); err != nil {
			return fmt.Errorf("part %q: %w", part.name, err)
		}
		s.parted = s.parted || part.number > 0 || part.several()
	}
	if !s.parted {
		if err := s.whole.reset(column); err != nil {
			return err
		}
	}
	s.fixed = s.several() || column.IsConstant()
	return nil
}

// several reports whether rows have more than a single category, whatever the class of categories is.
func (s *selection) several() bool { return s.parted || s.whole.several() }

// severalOf reports whether rows have more than a single category of a sketch whose categories have this
// class.
func (s *selection) severalOf(class key.Class) bool { return s.several() || s.selects(class.Fields()) }

// selects reports whether rows have parts of categories with these fields, and no whole categories.
func (s *selection) selects(fields []key.Class) bool {
	return s.structs != nil && (s.parted || len(s.parts) < len(fields))
}

// valid reports whether row i selects categories. A range without an end is NULL.
func (s *selection) valid(i int) bool {
	if s.parted {
		return s.structs != s.column || s.hasParts(i) // in a list, conditions skips what is not valid
	}
	return s.whole.valid(i)
}

// hasParts reports whether all parts of STRUCT i select something.
func (s *selection) hasParts(i int) bool {
	return !slices.ContainsFunc(s.parts, func(part part) bool { return !part.valid(i) })
}

// read returns the categories that row i selects in the view of blob.
func (s *selection) read(v *ccbf.View, blob []byte, out *duck.Result, i int) (ccbf.Categories, error) {
	class := v.Class()
	fields := class.Fields()
	switch lists := s.whole.ranged || s.selects(fields); {
	case !lists && !s.whole.several():
		category, err := s.whole.keys.Bytes(i, class)
		return ccbf.Of(category), err
	case !lists:
		blob = nil // the categories do not depend on those of the sketch
	case v.Form() == ccbf.Dense && s.whole.ranged:
		return s.set, fmt.Errorf("a range of categories: %w of categories (give a list, for example range(12, 21))", ccbf.ErrNotListed)
	case v.Form() == ccbf.Dense:
		return s.set, fmt.Errorf("parts of a category: %w of categories (give whole ones, or a list of them)", ccbf.ErrNotListed)
	case class == key.None: // the sketch has no points
		return ccbf.AnyOf(), nil
	}
	if s.isKnown(class, blob, i) {
		return s.set, nil
	}
	anyOf, err := s.conditions(class, fields, i)
	if err != nil {
		return s.set, err
	}
	size := int64(0)
	for _, tests := range anyOf {
		for i := range tests {
			size += tests[i].bytes()
		}
	}
	if blob == nil {
		s.set = ccbf.AnyOf(anyOf[0][0].values...)
		return s.set, out.Grow(size)
	}
	if err := out.Grow(size + bridge.CategoryBytes(v)); err != nil {
		return s.set, err
	}
	list, err := v.ListCategories()
	if err != nil {
		return s.set, err
	}
	var keys [][]byte
	for _, c := range list {
		if slices.ContainsFunc(anyOf, func(tests []test) bool { return passes(tests, class, fields, c.Key) }) {
			keys = append(keys, c.Key)
		}
	}
	if len(keys) > 0 {
		notes.Found()
	} else if notes.WantsPart(v) {
		s.noteAbsent(anyOf, fields, list)
	}
	s.set = ccbf.AnyOf(keys...)
	return s.set, nil
}

// noteAbsent notes the first value of a part that no category in the list has. It may be meant for another field:
// {day: '2024-01-01'} is a text, as names are.
func (s *selection) noteAbsent(anyOf [][]test, fields []key.Class, list []ccbf.Category) {
	for _, tests := range anyOf {
		for j := range tests {
			t := &tests[j]
			if t.field == wholeCategory || len(t.values) == 0 {
				continue
			}
			class, some := fields[t.field], false
			var has []string
			for _, c := range list {
				var room [key.MaxParts][]byte
				if cutFields(&room, fields, c.Key) && room[t.field] != nil {
					some = some || t.passes(class, room[t.field])
					has = append(has, key.Format(class, room[t.field]))
				}
			}
			if !some {
				value := key.Format(class, t.values[0])
				notes.Part(fmt.Sprintf("a category whose field %d, a %v, is %q, as the part %q asks", t.field+1, class, value, s.parts[j].name), value, has)
				return
			}
		}
	}
}

// cutFields sets room to the fields of a category. It returns false if they are damaged.
func cutFields(room *[key.MaxParts][]byte, fields []key.Class, category []byte) (ok bool) {
	rest := category
	for i, f := range fields {
		if room[i], rest, ok = key.CutField(f, rest); !ok {
			return false
		}
	}
	return true
}

// isKnown reports whether set has the categories that row i selects. Otherwise set must be set to them. class
// comes from the sketch, and blob is nil if its categories are not listed.
func (s *selection) isKnown(class key.Class, blob []byte, i int) bool {
	isSame := class == s.class && (sameBytes(blob, s.of) || blob == nil && s.of == nil)
	if s.column.Type().ID() == duck.ListID {
		// Rows mostly share one list, which may be long.
		offset, n := s.column.ListRange(i)
		if isSame && offset == s.offset && n == s.n {
			return true
		}
		s.offset, s.n = offset, n
	}
	s.next = s.column.AppendValue(s.next[:0], i)
	if isSame && bytes.Equal(s.next, s.row) {
		return true
	}
	s.class, s.of, s.row, s.next = class, blob, s.next, s.row
	return false
}

// conditions returns lists of tests for categories of a class, which has these fields. Row i selects the
// categories that pass all tests of a list.
func (s *selection) conditions(class key.Class, fields []key.Class, i int) (anyOf [][]test, err error) {
	if err := s.sameFields(i); err != nil {
		return nil, err
	}
	if !s.selects(fields) {
		t := test{field: wholeCategory}
		err := s.whole.read(&t, class, i)
		return [][]test{{t}}, err
	}
	if err := s.place(class, fields); err != nil {
		return nil, err
	}
	from, n := i, 1
	if s.structs != s.column {
		from, n = s.column.ListRange(i)
	}
	for j := from; j < from+n; j++ {
		if !s.structs.Valid(j) || s.parted && !s.hasParts(j) {
			continue
		}
		tests := make([]test, len(s.parts))
		for k := range s.parts {
			part := &s.parts[k]
			tests[k].field = part.field
			if err := part.read(&tests[k], fields[part.field], j); err != nil {
				return nil, fmt.Errorf("part %q of the category: %w", part.name, err)
			}
		}
		anyOf = append(anyOf, tests)
	}
	return anyOf, nil
}

// sameFields returns an error if the STRUCTs of row i, a list, do not have the same fields. DuckDB gives each all
// fields, and NULL for those that were not written. So that would select whole categories with a NULL.
func (s *selection) sameFields(i int) error {
	if s.structs == nil || s.structs == s.column {
		return nil
	}
	from, n := s.column.ListRange(i)
	for k, part := range s.parts {
		field, given, lacks := s.structs.Field(k), false, -1
		for j := range n {
			switch is := s.structs.Valid(from + j); {
			case is && field.Valid(from+j):
				given = true
			case is && lacks < 0:
				lacks = j
			}
		}
		if given && lacks >= 0 {
			return fmt.Errorf("element %d of the list has no %q or NULL, and others have one: give all elements the same fields, or ask for each alone", lacks+1, part.name)
		}
	}
	return nil
}

// place finds the field of each part in keys of a class, which has these fields.
func (s *selection) place(class key.Class, fields []key.Class) error {
	if fields == nil {
		return fmt.Errorf("parts of a category are asked for, but categories are %v and have none", class)
	}
	inOrder := len(s.parts) == len(fields) && !slices.ContainsFunc(s.parts, func(part part) bool { return part.number > 0 })
	taken := make([]string, len(fields))
	for j := range s.parts {
		part := &s.parts[j]
		fits := func(f key.Class) bool { return part.keys.Class == key.None || key.Fits(part.keys.Class, f) }
		switch {
		case part.number > 0:
			part.field = part.number - 1
		case inOrder:
			part.field = j
		default:
			part.field = slices.IndexFunc(fields, fits)
			if part.field >= 0 && slices.ContainsFunc(fields[part.field+1:], fits) {
				return fmt.Errorf("part %q of the category can be more than one field of %v, which has no names: give its number, as in {_%d: ...}", part.name, class, part.field+1)
			}
		}
		if part.field < 0 || part.field >= len(fields) || !fits(fields[part.field]) {
			return fmt.Errorf("part %q of the category is %v, which fits no such field of %v", part.name, part.keys.Class, class)
		}
		if other := taken[part.field]; other != "" {
			return fmt.Errorf("parts %q and %q of the category are the same field of %v, which has no names: give their numbers, as in {_1: ..., _2: ...}", other, part.name, class)
		}
		taken[part.field] = part.name
	}
	return nil
}

// choice is a column that selects values. A row has a value, a list of values, or a range, which is a
// STRUCT with the fields lo and hi, both included.
type choice struct {
	list   *duck.Vector // the lists, or nil.
	ranged bool         // rows have ranges, from keys to to.
	keys   args.Keys    // values, elements of lists, or starts of ranges.
	to     args.Keys    // ends of ranges.
}

// reset sets c to a column.
func (c *choice) reset(column *duck.Vector) error {
	*c = choice{}
	if lo, hi, isRange := args.RangeFields(column.Type()); isRange {
		c.ranged = true
		for _, end := range []int{lo, hi} {
			if column.Field(end).Type().ID() == duck.EnumID {
				return fmt.Errorf("a range of an ENUM, whose texts have another order in sketches: give a list, such as enum_range_boundary(lo, hi)")
			}
		}
		if err := c.to.Reset(column.Field(hi)); err != nil {
			return err
		}
		return c.keys.Reset(column.Field(lo))
	}
	if column.Type().ID() == duck.ListID {
		c.list, column = column, column.Elem()
	}
	return c.keys.Reset(column)
}

// several reports whether rows have lists or ranges.
func (c *choice) several() bool { return c.ranged || c.list != nil }

// valid reports whether row i selects something. A list that is NULL does not, nor does a range without
// an end.
func (c *choice) valid(i int) bool {
	return (c.list == nil || c.list.Valid(i)) && (!c.ranged || c.keys.Valid(i) && c.to.Valid(i))
}

// read sets t to the condition that row i sets for values of this class.
func (c *choice) read(t *test, class key.Class, i int) error {
	own := func(keys *args.Keys, i int) ([]byte, error) {
		b, err := keys.Bytes(i, class)
		return append([]byte{}, b...), err
	}
	if c.ranged {
		t.ranged = true
		var err error
		if t.low, err = own(&c.keys, i); err != nil {
			return err
		}
		if t.high, err = own(&c.to, i); err != nil {
			return err
		}
		if !class.Ordered() {
			return fmt.Errorf("a range of %v, which has no order: give a list", class)
		}
		if order, ordered := key.Compare(class, t.low, t.high); ordered && order > 0 {
			text := func(b []byte) []byte { return key.AppendText(nil, class, b) }
			return fmt.Errorf("the range of categories is reversed: lo %s is above hi %s (give a list for what is around an end, such as [22, 23, 0, 1])", text(t.low), text(t.high))
		}
		return nil
	}
	from, n := i, 1
	if c.list != nil {
		from, n = c.list.ListRange(i)
	} else if !c.keys.Valid(i) {
		t.null = true
		return nil
	}
	for k := from; k < from+n; k++ {
		if !c.keys.Valid(k) {
			continue // skip NULL in a list: no point has it as category
		}
		b, err := own(&c.keys, k)
		if err != nil {
			return err
		}
		t.values = append(t.values, b)
	}
	slices.SortFunc(t.values, bytes.Compare)
	return nil
}

// test is a condition for a category or one of its fields: it is NULL, one of several values, or in a
// range.
type test struct {
	field     int      // index of the field in the category, or wholeCategory.
	null      bool     // the value must be NULL.
	ranged    bool     // the value must be from low to high.
	values    [][]byte // otherwise the value must be one of these; sorted by their bytes.
	low, high []byte
}

// wholeCategory is the field of a test for the category itself.
const wholeCategory = -1

// passes reports whether a category passes all tests. class is its class, and fields are the classes of
// its fields.
func passes(tests []test, class key.Class, fields []key.Class, category []byte) bool {
	var room [key.MaxParts][]byte
	if !cutFields(&room, fields, category) {
		return false
	}
	for _, t := range tests {
		of, value := class, category
		if t.field != wholeCategory {
			of, value = fields[t.field], room[t.field]
		}
		if !t.passes(of, value) {
			return false
		}
	}
	return true
}

// passes reports whether a value of this class passes the test.
func (t *test) passes(class key.Class, value []byte) bool {
	switch {
	case t.null || value == nil:
		return t.null && value == nil
	case t.ranged:
		low, ok := key.Compare(class, t.low, value)
		high, known := key.Compare(class, value, t.high)
		return ok && known && low <= 0 && high <= 0
	}
	_, found := slices.BinarySearchFunc(t.values, value, bytes.Compare)
	return found
}

// bytes returns about the memory of the test.
func (t *test) bytes() int64 {
	n := len(t.low) + len(t.high)
	for _, v := range t.values {
		n += len(v) + 2*24
	}
	return int64(n)
}
