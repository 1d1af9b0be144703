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
	bracket  // the brace of the STRUCT
	function ccbfsql.Function
	start    int // Start of the half-typed name or value; -1: the cursor is elsewhere in an expression.
}

// bracket is a bracket that is open at the cursor. Nested brackets in it count without their content and
// their end.
type bracket struct {
	kind   byte     // '(', '[' or '{'; 0 for the whole text, which is not in a bracket.
	word   string   // Token before the bracket, or "" after another bracket or an operator.
	given  []string // Names before a colon.
	option string   // Name whose value is being typed; "": a name is being typed.
	after  int      // Number of tokens after the bracket, the last comma, or the colon after a name.
}

// bracketsOf returns the brackets that are open at the end of a text, outermost first, and the start of
// the half-typed word. half is the length of the text if there is no half-typed word.
func bracketsOf(text string, tokens []lexer.Token) (open []bracket, half int) {
	open, half = []bracket{{}}, len(text)
	word := ""
	for _, t := range tokens {
		half = len(text)
		if t.Kind == lexer.Comment || t.Kind == lexer.Space {
			continue
		}
		piece := text[t.Start:t.End]
		top := &open[len(open)-1]
		top.after++
		if t.Kind != lexer.Other {
			word, half = piece, t.Start
			continue
		}
		switch {
		case piece == ":" && top.option == "" && word != "":
			top.option, top.after = word, 0
			top.given = append(top.given, word)
		case piece == ",":
			top.option, top.after = "", 0
		case piece == "(" || piece == "[" || piece == "{":
			open = append(open, bracket{kind: piece[0], word: word})
		case (piece == ")" || piece == "]" || piece == "}") && len(open) > 1:
			open = open[:len(open)-1]
		case piece == ";":
			open = open[:1]
		}
		word = ""
	}
	return open, half
}

// placeOf returns the place of the cursor in a STRUCT of options. ok is true if the cursor is in a
// brace that is an argument of a function with options.
func placeOf(text string, tokens []lexer.Token, db *Database) (p place, ok bool) {
	open, half := bracketsOf(text, tokens)
	n := len(open)
	if n < 3 || open[n-1].kind != '{' || open[n-2].kind != '(' {
		return p, false
	}
	p = place{bracket: open[n-1], start: half}
	if p.after > 1 || p.after == 1 && half == len(text) {
		p.start = -1
	}
	p.function, ok = db.Function(open[n-2].word)
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
	tokens := lexer.Tokens(text)
	if p, ok := placeOf(text, tokens, db); ok && p.option != "" {
		if o, known := p.find(p.option); known {
			return strings.TrimSpace(fmt.Sprintf("%s: %s  %s", o.Name, help.Values(o), o.Summary))
		}
	}
	open, _ := bracketsOf(text, tokens)
	// Square brackets and braces inside an argument are skipped.
	for _, b := range slices.Backward(open) {
		if b.kind != '(' || b.word == "" {
			continue
		}
		if f, ok := db.Function(b.word); ok && len(f.Signatures) > 0 {
			return strings.TrimSpace(f.Signatures[0] + "  " + f.Summary)
		}
		break
	}
	return ""
}
