package key

import (
	"encoding/binary"
	"strings"
)

// Fields returns the classes of the fields of a class of STRUCTs, in order. It is nil for other
// classes.
func (c Class) Fields() []Class {
	if !c.IsStruct() {
		return nil
	}
	s := shape(c >> partBits) // without its beginning
	return s.fields()
}

// fields returns the classes up to the end of the STRUCT that began.
func (s *shape) fields() []Class {
	var list []Class
	for *s != 0 {
		part := s.next()
		if part == structEnds {
			break
		}
		if part == structBegins {
			part, _ = Struct(s.fields()...)
		}
		list = append(list, part)
	}
	return list
}

// CutField splits the first field, of class c, off the bytes of a STRUCT's key. It returns the field's
// own key, nil if it is NULL, and the rest. It returns false if there is no such field.
func CutField(c Class, b []byte) (value, rest []byte, ok bool) {
	if !c.IsStruct() {
		n, size := binary.Uvarint(b)
		switch rest := b[max(size, 0):]; {
		case size <= 0 || n != nullField && n-1 > uint64(len(rest)):
			return nil, b, false
		case n == nullField:
			return nil, rest, true
		default:
			return rest[:n-1], rest[n-1:], true
		}
	}
	if len(b) == 0 || b[0] > structField {
		return nil, b, false
	}
	if b[0] == nullField {
		return nil, b[1:], true
	}
	rest = b[1:]
	for _, f := range c.Fields() {
		if _, rest, ok = CutField(f, rest); !ok {
			return nil, b, false
		}
	}
	return b[1 : len(b)-len(rest)], rest, true
}

// appendStructText is AppendText for a STRUCT, as DuckDB writes one without names: "(theft,
// 2024-01-01)". It reports false if b is no key of the class.
func appendStructText(dst []byte, c Class, b []byte) ([]byte, bool) {
	before := dst
	dst = append(dst, '(')
	for i, f := range c.Fields() {
		value, rest, ok := CutField(f, b)
		if !ok {
			return before, false
		}
		b = rest
		if i > 0 {
			dst = append(dst, ", "...)
		}
		switch {
		case value == nil:
			dst = append(dst, "NULL"...)
		case f.IsStruct():
			dst = AppendText(dst, f, value)
		default:
			dst = appendQuoted(dst, string(AppendText(nil, f, value)))
		}
	}
	return append(dst, ')'), len(b) == 0
}

// quoted holds the characters that DuckDB quotes in a field's text.
const quoted = `'"\,(){}[]:=`

// appendQuoted appends a field's text, in quotes if DuckDB would read it as something else.
func appendQuoted(dst []byte, text string) []byte {
	if text == strings.TrimSpace(text) && text != "" && !strings.ContainsAny(text, quoted) && !strings.EqualFold(text, "NULL") {
		return append(dst, text...)
	}
	dst = append(dst, '\'')
	for i := range len(text) {
		if text[i] == '\'' || text[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, text[i])
	}
	return append(dst, '\'')
}
