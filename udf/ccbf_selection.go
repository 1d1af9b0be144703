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
)

// categoryAdvice ends the summaries of functions that take several categories.
const categoryAdvice = "category can be a value or a list such as ['home', 'shop']. For exact sketches and trees, it can be a range {lo: 12, hi: 20} with both ends. If categories are STRUCTs, some of their fields are enough: {kind: 'theft'}. docs/CHOOSING.md has examples."

// selection is a column of categories that rows ask for. A row has a category, a list of them, or a
// range. If categories are STRUCTs, it can have some of their fields instead, or a list of such
// STRUCTs.
type selection struct {
	column *duck.Vector // nil if there is none
	whole  choice       // whole categories; not used if parts.must
	parts  parts        // some fields of categories

	set ccbf.Categories // the categories of the row that was read last
	// The arguments from which set was made. If the next row has the same ones, set is used again.
	class     key.Class // of the sketch
	of        []byte    // the sketch's BLOB, if its categories were listed
	row, next []byte    // the value of column, and memory for that of the next row.
	offset, n int       // of the list in column, if it has lists
}

// reset sets s to a column.
func (s *selection) reset(column *duck.Vector) error {
	*s = selection{column: column, n: -1}
	elements := column
	_, _, isRange := rangeFields(column.Type())
	if column.Type().ID() == duck.ListID {
		elements = column.Elem()
	}
	if elements.Type().ID() == duck.StructID && !isRange {
		if err := s.parts.reset(elements); err != nil || s.parts.must {
			return err
		}
	}
	return s.whole.reset(column)
}

// several reports whether rows have more than a single category, whatever the class of categories is.
func (s *selection) several() bool { return s.parts.must || s.whole.several() }

// severalOf reports whether rows have more than a single category of a sketch whose categories have this
// class.
func (s *selection) severalOf(class key.Class) bool { return s.several() || s.parts.selects(class) }

// lists reports whether read has to list the categories of a sketch whose categories have this class.
func (s *selection) lists(class key.Class) bool { return s.whole.ranged || s.parts.selects(class) }

// valid reports whether row i selects categories. A range without an end is NULL.
func (s *selection) valid(i int) bool {
	if s.parts.must {
		return s.parts.column != s.column || s.parts.valid(i) // in a list, read skips what is not valid
	}
	return s.whole.valid(i)
}

// read returns the categories that row i selects in the view of blob.
func (s *selection) read(v *ccbf.View, blob []byte, out *duck.Result, i int) (ccbf.Categories, error) {
	class := v.Class()
	if !s.lists(class) {
		return s.readValues(class, out, i)
	}
	if v.Form() == ccbf.Dense {
		if s.whole.ranged {
			return s.set, fmt.Errorf("a range of categories: %w of categories (give a list, for example range(12, 21))", ccbf.ErrNotListed)
		}
		return s.set, fmt.Errorf("parts of a category: %w of categories (give whole ones, or a list of them)", ccbf.ErrNotListed)
	}
	if class == key.None { // the sketch has no points
		return ccbf.AnyOf(), nil
	}
	if s.isKnown(class, blob, i) {
		return s.set, nil
	}
	anyOf, err := s.conditions(class, i)
	if err != nil {
		return s.set, err
	}
	size := bridge.CategoryBytes(v)
	for _, tests := range anyOf {
		for i := range tests {
			size += tests[i].bytes()
		}
	}
	if err := out.Grow(size); err != nil {
		return s.set, err
	}
	fields := class.Fields()
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
	s.set = ccbf.AnyOf(keys...)
	return s.set, nil
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

// readValues returns the category or the list of categories in row i, as keys of this class.
func (s *selection) readValues(class key.Class, out *duck.Result, i int) (ccbf.Categories, error) {
	if s.whole.list == nil {
		category, err := s.whole.keys.Bytes(i, class)
		return ccbf.Of(category), err
	}
	if s.isKnown(class, nil, i) {
		return s.set, nil
	}
	var t test
	if err := s.whole.read(&t, class, i); err != nil {
		return s.set, err
	}
	if err := out.Grow(t.bytes()); err != nil {
		return s.set, err
	}
	s.set = ccbf.AnyOf(t.values...)
	return s.set, nil
}

// conditions returns lists of tests for categories of this class. Row i selects the categories that pass
// all tests of a list.
func (s *selection) conditions(class key.Class, i int) ([][]test, error) {
	if s.whole.ranged {
		t := test{field: wholeCategory}
		err := s.whole.read(&t, class, i)
		return [][]test{{t}}, err
	}
	from, n := i, 1
	if s.parts.column != s.column {
		from, n = s.column.ListRange(i)
	}
	var anyOf [][]test
	for j := from; j < from+n; j++ {
		if !s.parts.column.Valid(j) || s.parts.must && !s.parts.valid(j) {
			continue
		}
		tests, err := s.parts.read(class, j)
		if err != nil {
			return nil, err
		}
		anyOf = append(anyOf, tests)
	}
	return anyOf, nil
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
	if lo, hi, isRange := rangeFields(column.Type()); isRange {
		c.ranged = true
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
	rest := category
	for i, f := range fields {
		var ok bool
		if room[i], rest, ok = key.CutField(f, rest); !ok {
			return false
		}
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

// parts is a column of STRUCTs that select categories by some of their fields; categories are STRUCTs
// too.
//
// Keys do not have the names of their fields. If a STRUCT has all fields, they are in the order of
// the key's fields. Otherwise a part belongs to the only field of the key with its type. A part
// named _1 belongs to the first field, and so on. Everything else is an error.
type parts struct {
	column *duck.Vector // nil if there is none
	parts  []part
	must   bool // the STRUCT is no single category: a part has several values, or a number as name

	// The class of the categories that were read last. Consecutive sketches mostly have the same class.
	class  key.Class
	fields []key.Class // classes of the fields of class
	placed bool        // whether part.field is known for class
}

// part is one field of such a STRUCT.
type part struct {
	choice
	name   string
	number int // 1 if the name is _1, and so on; 0 for other names.
	field  int // index of the field of the categories that the part selects by.
}

// reset sets p to a column of STRUCTs.
func (p *parts) reset(column *duck.Vector) error {
	*p = parts{column: column, parts: make([]part, column.NumFields())}
	for j := range p.parts {
		part := &p.parts[j]
		part.name = column.FieldName(j)
		if n, err := strconv.Atoi(strings.TrimPrefix(part.name, "_")); err == nil && part.name == "_"+strconv.Itoa(n) && n > 0 {
			part.number = n
		}
		if err := part.reset(column.Field(j)); err != nil {
			return fmt.Errorf("part %q: %w", part.name, err)
		}
		p.must = p.must || part.number > 0 || part.several()
	}
	return nil
}

// selects reports whether the column has parts of categories of a class, and no whole categories.
func (p *parts) selects(class key.Class) bool {
	return p.column != nil && (p.must || len(p.parts) < len(p.fieldsOf(class)))
}

// fieldsOf returns the classes of the fields of a class.
func (p *parts) fieldsOf(class key.Class) []key.Class {
	if class != p.class {
		p.class, p.placed, p.fields = class, false, class.Fields()
	}
	return p.fields
}

// valid reports whether all parts of row i select something.
func (p *parts) valid(i int) bool {
	return !slices.ContainsFunc(p.parts, func(part part) bool { return !part.valid(i) })
}

// place finds the field of each part in keys of a class.
func (p *parts) place(class key.Class) error {
	fields := p.fieldsOf(class)
	if p.placed {
		return nil
	}
	if fields == nil {
		return fmt.Errorf("parts of a category are asked for, but categories are %v and have none", class)
	}
	inOrder := len(p.parts) == len(fields) && !slices.ContainsFunc(p.parts, func(part part) bool { return part.number > 0 })
	taken := make([]string, len(fields))
	for j := range p.parts {
		part := &p.parts[j]
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
	p.placed = true
	return nil
}

// read returns the conditions that the parts of row i set for categories of this class.
func (p *parts) read(class key.Class, i int) ([]test, error) {
	if err := p.place(class); err != nil {
		return nil, err
	}
	tests := make([]test, len(p.parts))
	for j := range p.parts {
		part := &p.parts[j]
		tests[j].field = part.field
		if err := part.read(&tests[j], p.fields[part.field], i); err != nil {
			return nil, fmt.Errorf("part %q of the category: %w", part.name, err)
		}
	}
	return tests, nil
}
