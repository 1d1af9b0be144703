// Package lexer splits SQL text into statements and tokens.
//
// It implements the part of DuckDB's lexical rules that finds the semicolons between statements.
// These rules are about quotes, E-strings, dollar quotes, nested comments, and identifiers and
// parameters with a dollar sign. It does not check the text: the database reports wrong SQL.
package lexer

import (
	"bytes"
	"strings"
)

// Statement is one statement of the input, unchanged.
type Statement struct {
	// Text includes the space and the comments before the statement, and its semicolon. The Texts of
	// all statements, one after another, are the input.
	Text string
	// Line is the line of the first word, from 1.
	Line int
	// Blank is true if the statement has only space, comments and perhaps a semicolon.
	Blank bool
}

// SQL returns the statement without the space around it.
func (s Statement) SQL() string {
	return strings.TrimSpace(s.Text)
}

// state says what the scanned text is in: a quote, a comment, a word, or none of them (top).
type state int

const (
	top          state = iota
	inSingle           // '...'
	inEscape           // E'...', where a backslash escapes
	inDouble           // "..."
	inDollar           // $tag$...$tag$
	inLine             // -- ...
	inBlock            // /* ... */, nested
	inIdentifier       // a word, a number or a parameter, which may contain a $
)

// Splitter splits text that arrives in pieces. Each piece but the last must end with a line break,
// so that no token is divided. The zero value is ready for use.
type Splitter struct {
	buf   []byte // input from the start of the current statement
	pos   int    // bytes of buf that have been scanned
	state state
	tag   string // The closing $tag$ in state inDollar.
	depth int    // Number of block comments that are open, one in another.
	word  int    // Start of the current identifier in buf.
	line  int    // Line breaks before pos.
	start int    // Line breaks before the first word of the statement.
	seen  bool   // A word of the current statement was scanned.
}

// Feed adds input.
func (s *Splitter) Feed(text string) {
	s.buf = append(s.buf, text...)
}

// Next returns the next statement that ends with a semicolon. ok is false if more input is needed.
func (s *Splitter) Next() (Statement, bool) {
	for s.pos < len(s.buf) {
		if s.state != top {
			s.inside()
			continue
		}
		if s.outside() {
			return s.cut(), true
		}
	}
	return Statement{}, false
}

// Rest returns the rest of the input after its end, even without a semicolon, and empties the
// splitter. Call it after Next has returned false.
func (s *Splitter) Rest() (Statement, bool) {
	if len(s.buf) == 0 {
		return Statement{}, false
	}
	st := s.cut()
	s.state = top
	return st, true
}

// Idle reports whether no statement has begun: there are only space and complete comments since the
// last semicolon.
func (s *Splitter) Idle() bool {
	return !s.seen && (s.state == top || s.state == inLine)
}

// Skip counts lines that are not passed to Feed, such as dot commands.
func (s *Splitter) Skip(lines int) {
	s.line += lines
}

// cut returns the scanned text as a statement, and removes it from the buffer.
func (s *Splitter) cut() Statement {
	st := Statement{Text: string(s.buf[:s.pos]), Line: s.start + 1, Blank: !s.seen}
	if st.Blank {
		st.Line = s.line + 1
	}
	s.buf = s.buf[s.pos:]
	s.pos = 0
	s.seen = false
	return st
}

// outside scans one token outside quotes and comments, or only its beginning. It returns true for
// the semicolon that ends a statement.
func (s *Splitter) outside() bool {
	rest := s.buf[s.pos:]
	c := rest[0]
	switch {
	case c == '\n':
		s.line++
		s.pos++
		return false
	case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
		s.pos++
		return false
	case bytes.HasPrefix(rest, []byte("\uFEFF")) && !s.seen: // byte order mark
		s.pos += len("\uFEFF")
		return false
	case hasPrefix(rest, "--"):
		s.state = inLine
		s.pos += 2
		return false
	case hasPrefix(rest, "/*"):
		s.state, s.depth = inBlock, 1
		s.pos += 2
		return false
	case c == ';':
		s.pos++
		return true
	}

	if !s.seen {
		s.seen, s.start = true, s.line
	}
	switch {
	case c == '\'':
		s.state = inSingle
		s.pos++
	case c == '"':
		s.state = inDouble
		s.pos++
	case c == '$':
		if tag := dollarTag(rest); tag != "" {
			s.state, s.tag = inDollar, tag
			s.pos += len(tag)
			return false
		}
		s.pos++ // a parameter: $1 or $name
	case isWord(c):
		s.state, s.word = inIdentifier, s.pos
		s.pos++
	default:
		s.pos++
	}
	return false
}

// inside scans the rest of the current quote, comment or identifier, or the rest of the text.
func (s *Splitter) inside() {
	switch s.state {
	case inSingle:
		s.until("'")
	case inDouble:
		s.until(`"`)
	case inDollar:
		s.until(s.tag)
	case inEscape:
		s.escape()
	case inLine:
		if i := bytes.IndexAny(s.buf[s.pos:], "\n\r"); i >= 0 {
			s.pos += i // before the line break, which the method outside counts
			s.state = top
			return
		}
		s.pos = len(s.buf)
	case inBlock:
		s.block()
	case inIdentifier:
		for s.pos < len(s.buf) && (isWord(s.buf[s.pos]) || s.buf[s.pos] == '$') {
			s.pos++
		}
		if s.pos == len(s.buf) {
			return
		}
		word := string(s.buf[s.word:s.pos])
		s.state = top
		if s.buf[s.pos] == '\'' && (word == "e" || word == "E") {
			s.state = inEscape
			s.pos++
		}
	}
}

// until moves past the closing mark. A doubled quote ends one quote and begins the next, which has
// the same effect.
func (s *Splitter) until(mark string) {
	rest := s.buf[s.pos:]
	n := bytes.Index(rest, []byte(mark))
	if n < 0 {
		n = len(rest)
	} else {
		s.state = top
		n += len(mark)
	}
	s.line += bytes.Count(rest[:n], []byte{'\n'})
	s.pos += n
}

func (s *Splitter) escape() {
	for s.pos < len(s.buf) {
		c := s.buf[s.pos]
		s.pos++
		switch c {
		case '\n':
			s.line++
		case '\\':
			if s.pos < len(s.buf) {
				if s.buf[s.pos] == '\n' {
					s.line++
				}
				s.pos++
			}
		case '\'':
			// A doubled quote does not end the string.
			if s.pos < len(s.buf) && s.buf[s.pos] == '\'' {
				s.pos++
				continue
			}
			s.state = top
			return
		}
	}
}

func (s *Splitter) block() {
	for s.pos < len(s.buf) {
		rest := s.buf[s.pos:]
		switch {
		case hasPrefix(rest, "*/"):
			s.pos += 2
			if s.depth--; s.depth == 0 {
				s.state = top
				return
			}
		case hasPrefix(rest, "/*"):
			s.pos += 2
			s.depth++
		default:
			if rest[0] == '\n' {
				s.line++
			}
			s.pos++
		}
	}
}

// dollarTag returns the opening $$ or $tag$ at the start of text, or "".
func dollarTag(text []byte) string {
	for i := 1; i < len(text); i++ {
		c := text[i]
		if c == '$' {
			return string(text[:i+1])
		}
		if !isWord(c) || (i == 1 && c >= '0' && c <= '9') {
			return ""
		}
	}
	return ""
}

func hasPrefix(text []byte, mark string) bool {
	return len(text) >= len(mark) && string(text[:len(mark)]) == mark
}

func isWord(c byte) bool {
	return c == '_' || c >= 0x80 ||
		c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Complete reports whether the text ends between statements: nothing is open after its last
// semicolon.
func Complete(text string) bool {
	var s Splitter
	s.Feed(text + "\n")
	for {
		if _, ok := s.Next(); !ok {
			return s.Idle()
		}
	}
}
