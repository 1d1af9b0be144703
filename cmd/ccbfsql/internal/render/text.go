package render

import (
	"strconv"
	"strings"
	"unicode"
)

// BlobText returns a BLOB as DuckDB casts it to VARCHAR: printable ASCII unchanged, and quotes,
// backslashes and all other bytes as \xAB.
func BlobText(bytes string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(bytes))
	for i := range len(bytes) {
		c := bytes[i]
		if c >= 0x20 && c <= 0x7E && c != '\\' && c != '\'' && c != '"' {
			b.WriteByte(c)
		} else {
			b.WriteString(`\x`)
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// oneLine returns text for a table cell: line breaks, tabs and control characters, which could
// steer the terminal, become escapes.
func oneLine(text string) string {
	if strings.IndexFunc(text, unfit) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unfit(r):
			b.WriteString(`\u{` + strconv.FormatInt(int64(r), 16) + `}`)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unfit reports whether a character would damage a table: control characters, and marks that change
// the writing direction.
func unfit(r rune) bool {
	return unicode.IsControl(r) || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}
