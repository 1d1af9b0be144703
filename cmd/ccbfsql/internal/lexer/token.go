package lexer

// Kind says what a token is.
type Kind int

// The kinds of tokens. Space is not told apart from operators.
const (
	Other      Kind = iota // operators, brackets, commas, space
	Word                   // a keyword or a name without quotes
	Number                 // also a word that begins with a digit
	String                 // '...', E'...', $tag$...$tag$
	Identifier             // "..."
	Comment
)

// Token is a piece of a text: text[Start:End].
type Token struct {
	Kind       Kind
	Start, End int
	// Open is true for a quote or comment that the text does not close.
	Open bool
}

// Tokens cuts a text into tokens that follow each other without a gap.
func Tokens(text string) []Token {
	s := Splitter{buf: []byte(text)}
	var out []Token
	for s.pos < len(s.buf) {
		t := Token{Start: s.pos}
		s.outside()
		t.Kind = s.kind()
		for s.state != top && s.pos < len(s.buf) {
			s.inside()
			if s.state == inEscape { // the E of E'...' looked like a word
				t.Kind = String
			}
		}
		t.End = s.pos
		t.Open = s.state != top && s.state != inIdentifier && s.state != inLine
		out = append(out, t)
	}
	return out
}

// kind is that of the token whose first character has been read.
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
