package udf

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ccbfsql/ccbfsql/filters/key"
	"github.com/ccbfsql/ccbfsql/internal/args"
	"github.com/ccbfsql/ccbfsql/internal/duck"
)

// categoryParts is a column of STRUCTs that select categories by some of their fields; categories are
// STRUCTs too. A part is a value, a list of values or a range.
//
// Keys do not have the names of their fields. If a STRUCT has all fields, they are in the order of
// the key's fields. Otherwise a part belongs to the only field of the key with its type. A part
// named _1 belongs to the first field, and so on. Everything else is an error.
type categoryParts struct {
	column *duck.Vector // nil if there is none
	parts  []categoryPart
	must   bool // the STRUCT is no single category: a part has several values, or a number as name

	class  key.Class   // class of the categories of the sketch that was read last
	fields []key.Class // classes of the fields of class
	placed bool        // true if categoryPart.field is known for class
}

// categoryPart is one field of such a STRUCT: a value, a list of values or a range.
type categoryPart struct {
	name   string
	number int          // 1 if the name is _1, and so on; 0 for other names.
	list   *duck.Vector // the lists of values, or nil.
	ranged bool         // the part is a range from keys to to.
	keys   args.Keys    // values, elements of lists, or starts of ranges.
	to     args.Keys    // ends of ranges.
	field  int          // index of the field of the categories that the part selects by.
}

// reset sets p to a column of STRUCTs.
func (p *categoryParts) reset(column *duck.Vector) error {
	*p = categoryParts{column: column, parts: make([]categoryPart, column.NumFields())}
	for j := range p.parts {
		part, v := &p.parts[j], column.Field(j)
		part.name = column.FieldName(j)
		if n, err := strconv.Atoi(strings.TrimPrefix(part.name, "_")); err == nil && part.name == "_"+strconv.Itoa(n) && n > 0 {
			part.number = n
		}
		values := v
		if lo, hi, isRange := rangeFields(v.Type()); isRange {
			part.ranged, values = true, v.Field(lo)
			if err := part.to.Reset(v.Field(hi)); err != nil {
				return fmt.Errorf("part %q: %w", part.name, err)
			}
		} else if v.Type().ID() == duck.ListID {
			part.list, values = v, v.Elem()
		}
		p.must = p.must || part.number > 0 || part.ranged || part.list != nil
		if err := part.keys.Reset(values); err != nil {
			return fmt.Errorf("part %q: %w", part.name, err)
		}
	}
	return nil
}

// selects reports whether the column has parts of categories of a class, and no whole categories.
func (p *categoryParts) selects(class key.Class) bool {
	if p.column == nil || p.must {
		return p.column != nil
	}
	return len(p.parts) < len(p.fieldsOf(class))
}

// fieldsOf returns the classes of the fields of a class.
func (p *categoryParts) fieldsOf(class key.Class) []key.Class {
	if class != p.class {
		p.class, p.placed, p.fields = class, false, class.Fields()
	}
	return p.fields
}

// valid reports whether all parts of row i select something. A list that is NULL does not, nor does a
// range without an end.
func (p *categoryParts) valid(i int) bool {
	for j := range p.parts {
		part := &p.parts[j]
		if part.list != nil && !part.list.Valid(i) || part.ranged && !(part.keys.Valid(i) && part.to.Valid(i)) {
			return false
		}
	}
	return true
}

// place finds the field of each part in keys of a class.
func (p *categoryParts) place(class key.Class) error {
	fields := p.fieldsOf(class)
	if p.placed {
		return nil
	}
	if fields == nil {
		return fmt.Errorf("parts of a category are asked for, but categories are %v and have none", class)
	}
	inOrder := len(p.parts) == len(fields) && !slices.ContainsFunc(p.parts, func(part categoryPart) bool { return part.number > 0 })
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

// partTest is a condition for a field of a category: it is NULL, one of several values, or in a range.
type partTest struct {
	field     int      // index of the field in the category.
	null      bool     // the field must be NULL.
	ranged    bool     // the field must be from low to high.
	values    [][]byte // otherwise the field must be one of these; sorted by their bytes.
	low, high []byte
}

// read returns the conditions that the parts of row i set for categories of this class.
func (p *categoryParts) read(class key.Class, i int) ([]partTest, error) {
	if err := p.place(class); err != nil {
		return nil, err
	}
	tests := make([]partTest, len(p.parts))
	for j := range p.parts {
		if err := p.parts[j].read(&tests[j], p.fields[p.parts[j].field], i); err != nil {
			return nil, fmt.Errorf("part %q of the category: %w", p.parts[j].name, err)
		}
	}
	return tests, nil
}

// read sets t to the condition that the part sets in row i. class is the class of the tested field.
func (part *categoryPart) read(t *partTest, class key.Class, i int) error {
	t.field, t.ranged = part.field, part.ranged
	own := func(keys *args.Keys, i int) ([]byte, error) {
		b, err := keys.Bytes(i, class)
		return append([]byte{}, b...), err
	}
	if part.ranged {
		if !class.Ordered() {
			return fmt.Errorf("a range of %v, which has no order: give a list", class)
		}
		var err error
		if t.low, err = own(&part.keys, i); err != nil {
			return err
		}
		if t.high, err = own(&part.to, i); err != nil {
			return err
		}
		return checkRange(class, t.low, t.high)
	}
	from, n := i, 1
	if part.list != nil {
		from, n = part.list.ListRange(i)
	} else if !part.keys.Valid(i) {
		t.null = true
		return nil
	}
	for k := from; k < from+n; k++ {
		if !part.keys.Valid(k) {
			continue // skip NULL, as in lists of categories
		}
		b, err := own(&part.keys, k)
		if err != nil {
			return err
		}
		t.values = append(t.values, b)
	}
	slices.SortFunc(t.values, bytes.Compare)
	return nil
}

// passes reports whether a category, with fields of these classes, passes all tests.
func passes(tests []partTest, fields []key.Class, category []byte) bool {
	var room [key.MaxParts][]byte
	for i, f := range fields {
		var ok bool
		if room[i], category, ok = key.CutField(f, category); !ok {
			return false
		}
	}
	for _, t := range tests {
		if !t.passes(fields[t.field], room[t.field]) {
			return false
		}
	}
	return true
}

// passes reports whether a field of a category passes the test.
func (t *partTest) passes(class key.Class, value []byte) bool {
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

// appendTests appends bytes that are equal for equal tests only.
func appendTests(dst []byte, tests []partTest) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(tests)))
	for _, t := range tests {
		dst = binary.AppendUvarint(dst, uint64(t.field))
		if t.null {
			dst = key.AppendNullField(dst)
			continue
		}
		dst = binary.AppendUvarint(dst, 1+uint64(len(t.values)))
		for _, v := range append(t.values, t.low, t.high) {
			dst = key.AppendField(dst, v)
		}
	}
	return dst
}
