// Package lexer splits SQL text into statements and tokens.
//
// It implements the part of DuckDB's lexical rules that finds the semicolons between statements.
// These rules are about quotes, E-strings, dollar quotes, nested comments, and identifiers and
// parameters with a dollar sign. It does not check the text: the database reports wrong SQL.
package lexer

import (
	"bytes"
	"regexp"
	"strings"
)

// Kind is the kind of a token.
type Kind int

// Kinds of tokens.
const (
	Other      Kind = iota // One character of an operator, a bracket or a comma.
	Space                  // Blanks, line breaks and byte order marks.
	Word                   // A keyword or a name without quotes.
	Number                 // A word that begins with a digit.
	String                 // '...', E'...', $tag$...$tag$
	Identifier             // "..."
	Comment
)

// Token is text[Start:End].
type Token struct {
	Kind       Kind
	Start, End int
	// Open is true for a quote or comment that has no end in the text.
	Open bool
}

// Tokens splits a text into tokens without gaps between them.
func Tokens(text string) (out []Token) {
	for rest, start := []byte(text), 0; len(rest) > 0; {
		kind, n, mark := scan(rest)
		out = append(out, Token{kind, start, start + n, mark != ""})
		rest, start = rest[n:], start+n
	}
	return out
}

const (
	blanks    = " \t\n\r\f\v"
	orderMark = "\uFEFF" // byte order mark
)

// scan returns the kind and the length of the first token. If the text ends within the token, mark
// is the mark at the token's end, and n is the length of the text.
func scan(text []byte) (kind Kind, n int, mark string) {
	switch c := text[0]; {
	case strings.IndexByte(blanks, c) >= 0:
		return Space, 1, ""
	case hasPrefix(text, orderMark):
		return Space, len(orderMark), ""
	case hasPrefix(text, "--"):
		if n = bytes.IndexAny(text, "\n\r"); n < 0 {
			n = len(text)
		}
		return Comment, n, ""
	case hasPrefix(text, "/*"):
		n, mark = block(text)
		return Comment, n, mark
	case c == '\'':
		n, mark = until(text, "'")
		return String, n, mark
	case hasPrefix(text, "E'"), hasPrefix(text, "e'"):
		n, mark = escape(text)
		return String, n, mark
	case c == '"':
		n, mark = until(text, `"`)
		return Identifier, n, mark
	case c == '$': // otherwise the start of a parameter: $1 or $name
		if tag := string(dollarTag.Find(text)); tag != "" {
			n, mark = until(text, tag)
			return String, n, mark
		}
	case isWord(c):
		for n = 1; n < len(text) && (isWord(text[n]) || text[n] == '$'); {
			n++
		}
		if c >= '0' && c <= '9' {
			return Number, n, ""
		}
		return Word, n, ""
	}
	return Other, 1, ""
}

// until returns the length of a token that begins and ends with a mark. A doubled quote ends one
// token and begins the next, which has the same effect.
func until(text []byte, mark string) (int, string) {
	if n := bytes.Index(text[len(mark):], []byte(mark)); n >= 0 {
		return n + 2*len(mark), ""
	}
	return len(text), mark
}

// escape returns the length of an E-string. A doubled quote does not end it.
func escape(text []byte) (int, string) {
	for i := len("E'"); i < len(text); i++ {
		switch {
		case text[i] == '\\', hasPrefix(text[i:], "''"):
			i++
		case text[i] == '\'':
			return i + 1, ""
		}
	}
	return len(text), "'"
}

// block returns the length of a comment that can contain others.
func block(text []byte) (int, string) {
	const begin, end = "/*", "*/"
	depth := 0
	for i := 0; i < len(text); i++ {
		switch {
		case hasPrefix(text[i:], begin):
			depth++
			i++
		case hasPrefix(text[i:], end):
			i++
			if depth--; depth == 0 {
				return i + 1, ""
			}
		}
	}
	return len(text), end
}

// dollarTag matches the opening $$ or $tag$ of a text.
var dollarTag = regexp.MustCompile(`^\$(?:[A-Za-z_[:^ascii:]][0-9A-Za-z_[:^ascii:]]*)?\$`)

func hasPrefix(text []byte, mark string) bool {
	return len(text) >= len(mark) && string(text[:len(mark)]) == mark
}

func isWord(c byte) bool {
	return c == '_' || c >= 0x80 ||
		c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Statement is one statement of the input, unchanged.
type Statement struct {
	// Text includes the space and the comments before the statement, and its semicolon. The Texts of
	// all statements, one after another, are the input.
	Text string
	// Line is the line of the first word, from 1. It is 0 if the statement has only space, comments and
	// perhaps a semicolon.
	Line int
}

// SQL returns the statement without the space around it.
func (s Statement) SQL() string {
	return strings.TrimSpace(s.Text)
}

// Splitter splits text that arrives line by line, so that only quotes and comments are divided. The zero
// value is ready for use.
type Splitter struct {
	buf   []byte // Input from the start of the current statement.
	pos   int    // Start of the first token in buf that has not been scanned to its end.
	mark  string // Mark at the end of the token at pos, if Feed has not added it yet.
	line  int    // Number of lines so far.
	first int    // Line of the statement's first word; 0: it has no word yet.
}

// Feed adds a line with its line break, and returns the statements that end in it with a semicolon. ""
// stands for a line that is no SQL, such as a dot command.
func (s *Splitter) Feed(text string) (ended []Statement) {
	s.line++
	s.buf = append(s.buf, text...)
	if strings.Contains(text, s.mark) {
		s.mark = ""
	}
	for s.mark == "" && s.pos < len(s.buf) {
		kind, n, mark := scan(s.buf[s.pos:])
		ends := kind == Other && s.buf[s.pos] == ';'
		if s.first == 0 && !ends && kind != Space && kind != Comment {
			s.first = s.line
		}
		if s.mark = mark; mark == "" {
			s.pos += n
		}
		if ends {
			ended = append(ended, s.cut(s.pos))
		}
	}
	return ended
}

// Rest returns the rest of the input after its end, even without a semicolon, and empties the
// splitter.
func (s *Splitter) Rest() []Statement {
	if len(s.buf) == 0 {
		return nil
	}
	if s.mark != "" && s.first == 0 { // a comment without an end, which is an error
		s.first = s.line - bytes.Count(s.buf[s.pos:], []byte("\n"))
	}
	return []Statement{s.cut(len(s.buf))}
}

// Idle reports whether no statement has begun: there are only space and complete comments since the
// last semicolon.
func (s *Splitter) Idle() bool { return s.first == 0 && s.mark == "" }

// cut returns the first n bytes of the buffer as a statement, and removes them.
func (s *Splitter) cut(n int) Statement {
	st := Statement{Text: string(s.buf[:n]), Line: s.first}
	*s = Splitter{buf: s.buf[n:], line: s.line}
	return st
}

// Complete reports whether the text ends between statements: nothing is open after its last
// semicolon.
func Complete(text string) bool {
	var s Splitter
	s.Feed(text + "\n")
	return s.Idle()
}

// QuoteName returns a name as a quoted SQL identifier.
func QuoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// QuoteText returns a text in SQL: a string literal. DuckDB ends a literal at a character 0, which chr(0)
// replaces.
func QuoteText(text string) string {
	quoted := "'" + strings.ReplaceAll(text, "'", "''") + "'"
	if !strings.Contains(text, "\x00") {
		return quoted
	}
	return "(" + strings.ReplaceAll(quoted, "\x00", "' || chr(0) || '") + ")"
}

// Digits up to which DuckDB converts a decimal literal to the nearest number of a type. It reads the literal as
// DECIMAL first.
const (
	DoubleDigits = 15
	FloatDigits  = 7
)

// Float returns the text of a number of a type with these digits as a literal that DuckDB reads as the same number.
func Float(text string, digits int) string {
	if len(text) > digits && !strings.Contains(text, "e") {
		text += "e0" // SQL reads a number with an exponent as DOUBLE, not as DECIMAL
	}
	return text
}
