package complete

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
	"github.com/ccbfsql/ccbfsql/filters/sketch"
	"github.com/ccbfsql/ccbfsql/internal/help"
)

// place is the position of the cursor in a STRUCT of options.
type place struct {
	function ccbfsql.Function
	given    []string // Names of the options that already have a value before the cursor.
	option   string   // Option whose value is being typed; "": a name is being typed.
	start    int      // Start of the half-typed name or value; -1: the cursor is elsewhere in an expression.
}

// openBracket is a bracket that is open at the cursor.
type openBracket struct {
	kind byte   // '(', '[' or '{'
	word string // the token before the bracket, or "" after another bracket or an operator
	// These fields are set only for a brace. given has the names of the options so far, and option
	// the name of the option whose value has begun. tokens is the number of tokens since the brace,
	// the last comma, or the colon after a name.
	given  []string
	option string
	tokens int
}

// brackets is the state of a text at its end: the open brackets, outermost first, and the start of
// the half-typed word. half is the length of the text if there is no half-typed word.
type brackets struct {
	open []openBracket
	half int
}

// bracketsOf scans the tokens of a text.
func bracketsOf(text string, tokens []lexer.Token) brackets {
	b := brackets{half: len(text)}
	word := ""
	for _, t := range tokens {
		piece := text[t.Start:t.End]
		if t.Kind == lexer.Comment || t.Kind == lexer.Space {
			b.half = len(text)
			continue
		}
		top := &openBracket{}
		if n := len(b.open); n > 0 {
			top = &b.open[n-1]
		}
		top.tokens++
		if t.Kind != lexer.Other {
			word, b.half = piece, t.Start
			continue
		}
		switch {
		case piece == "(" || piece == "[" || piece == "{":
			b.open = append(b.open, openBracket{kind: piece[0], word: word})
		case (piece == ")" || piece == "]" || piece == "}") && len(b.open) > 0:
			b.open = b.open[:len(b.open)-1]
		case piece == ":" && top.kind == '{' && top.option == "":
			top.option, top.tokens = word, 0
			top.given = append(top.given, word)
		case piece == "," && top.kind == '{':
			top.option, top.tokens = "", 0
		case piece == ";":
			b.open = nil
		}
		word, b.half = "", len(text)
	}
	return b
}

// enclosing returns the word before the innermost bracket that follows a word: the function whose
// arguments are being typed. Square brackets and braces inside an argument are skipped.
func enclosing(open []openBracket) string {
	for _, b := range slices.Backward(open) {
		if b.kind == '(' && b.word != "" {
			return b.word
		}
	}
	return ""
}

// placeOf returns the place of the cursor in a STRUCT of options. ok is true if the cursor is in a
// brace that is an argument of a function with options.
func placeOf(text string, b brackets, db *Database) (p place, ok bool) {
	n := len(b.open)
	if n < 2 || b.open[n-1].kind != '{' || b.open[n-2].kind != '(' {
		return p, false
	}
	brace := &b.open[n-1]
	p.function, ok = db.Function(b.open[n-2].word)
	p.given, p.option, p.start = brace.given, brace.option, b.half
	if alone := brace.tokens == 0 || brace.tokens == 1 && b.half < len(text); !alone {
		p.start = -1
	}
	return p, ok && len(p.function.Options) > 0
}

// find returns the option of that name.
func (p *place) find(name string) (*sketch.Option, bool) {
	i := slices.IndexFunc(p.function.Options, func(o sketch.Option) bool { return strings.EqualFold(o.Name, name) })
	if i < 0 {
		return nil, false
	}
	return &p.function.Options[i], true
}

// candidates returns the options that have no value yet, or the values of the present option. ok is
// false if any value is possible.
func (p *place) candidates(text string) (out []Candidate, ok bool) {
	if p.start < 0 {
		return nil, false
	}
	typed := text[p.start:]
	if p.option == "" {
		for i := range p.function.Options {
			o := &p.function.Options[i]
			if hasPrefix(o.Name, typed) && !slices.ContainsFunc(p.given, func(g string) bool { return strings.EqualFold(g, o.Name) }) {
				out = append(out, Candidate{Text: o.Name + ": ", Show: o.Name, Help: strings.TrimSpace(help.Values(o) + "  " + o.Summary), Group: Options})
			}
		}
		return out, true
	}
	o, known := p.find(p.option)
	if !known {
		return nil, false
	}
	var values []string
	if o.Kind == sketch.FlagKind {
		values = []string{"true", "false"}
	}
	for _, c := range o.Choices {
		values = append(values, "'"+c+"'")
	}
	for _, v := range values {
		if hasPrefix(v, typed) {
			out = append(out, Candidate{Text: v, Show: v, Group: o.Name})
		}
	}
	return out, len(values) > 0
}

// Hint returns a line about the option whose value is being typed, or about the function whose
// arguments are being typed.
func Hint(text string, db *Database) string {
	b := bracketsOf(text, lexer.Tokens(text))
	if p, ok := placeOf(text, b, db); ok && p.option != "" {
		if o, known := p.find(p.option); known {
			return strings.TrimSpace(fmt.Sprintf("%s: %s  %s", o.Name, help.Values(o), o.Summary))
		}
	}
	f, ok := db.Function(enclosing(b.open))
	if !ok || len(f.Signatures) == 0 {
		return ""
	}
	return strings.TrimSpace(f.Signatures[0] + "  " + f.Summary)
}
