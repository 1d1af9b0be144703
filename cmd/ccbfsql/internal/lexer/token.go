package lexer

// Kind is the kind of a token.
type Kind int

// Kinds of tokens.
const (
	Other      Kind = iota // operators, brackets, commas and space
	Word                   // a keyword or a name without quotes
	Number                 // a word that begins with a digit
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
func Tokens(text string) []Token {
	s := Splitter{buf: []byte(text)}
	var out []Token
	for s.pos < len(s.buf) {
		t := Token{Start: s.pos}
		s.outside()
		t.Kind = s.kind()
		for s.state != top && s.pos < len(s.buf) {
			s.inside()
			if s.state == inEscape { // the E of E'...' was scanned as a word
				t.Kind = String
			}
		}
		t.End = s.pos
		t.Open = s.state != top && s.state != inIdentifier && s.state != inLine
		out = append(out, t)
	}
	return out
}

// kind returns the kind of the token whose first character has been scanned.
func (s *Splitter) kind() Kind {
	switch s.state {
	case inSingle, inDollar:
		return String
	case inDouble:
		return Identifier
	case inLine, inBlock:
		return Comment
	case inIdentifier:
		if c := s.buf[s.word]; c >= '0' && c <= '9' {
			return Number
		}
		return Word
	}
	return Other
}
