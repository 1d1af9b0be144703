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

// place is where the end of a text stands in a STRUCT of options.
type place struct {
	function ccbfsql.Function
	given    []string // the options that are named before
	option   string   // the one whose value is being typed; empty where a name is
	start    int      // of the half-typed name or value; -1 where it is neither alone
}

// openBracket is an open bracket before the cursor.
type openBracket struct {
	kind byte
	word string // before it
	// Of a brace: the options so far, that of the value that has begun, and the
	// tokens since the brace, a comma or the colon behind a name.
	given  []string
	option string
	tokens int
}

// placeOf finds the options that the end of a text is in: of a brace right inside
// the brackets of a function that takes options.
func placeOf(text string, tokens []lexer.Token, db Database) (p place, ok bool) {
	open := []openBracket{{}}
	word := ""
	half := len(text) // where a word begins that nothing has followed
	for _, t := range tokens {
		piece := text[t.Start:t.End]
		if t.Kind == lexer.Comment || strings.TrimSpace(piece) == "" {
			half = len(text)
			continue
		}
		top := &open[len(open)-1]
		top.tokens++
		if t.Kind != lexer.Other {
			word, half = piece, t.Start
			continue
		}
		switch {
		case piece == "(" || piece == "[" || piece == "{":
			open = append(open, openBracket{kind: piece[0], word: word})
		case (piece == ")" || piece == "]" || piece == "}") && len(open) > 1:
			open = open[:len(open)-1]
		case piece == ":" && top.kind == '{' && top.option == "":
			top.option, top.tokens = word, 0
			top.given = append(top.given, word)
		case piece == "," && top.kind == '{':
			top.option, top.tokens = "", 0
		case piece == ";":
			open = []openBracket{{}}
		}
		word, half = "", len(text)
	}
	n := len(open)
	if n < 3 || open[n-1].kind != '{' || open[n-2].kind != '(' {
		return p, false
	}
	brace := &open[n-1]
	p.function, ok = db.Function(open[n-2].word)
	p.given, p.option, p.start = brace.given, brace.option, half
	if alone := brace.tokens == 0 || brace.tokens == 1 && half < len(text); !alone {
		p.start = -1
	}
	return p, ok && len(p.function.Options) > 0
}

// find is the option of that name.
func (p *place) find(name string) (*sketch.Option, bool) {
	i := slices.IndexFunc(p.function.Options, func(o sketch.Option) bool { return strings.EqualFold(o.Name, name) })
	if i < 0 {
		return nil, false
	}
	return &p.function.Options[i], true
}

// candidates are the options that are not yet given, or the values of one. Where
// any value may follow there are none.
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

// Hint is a line about what is being typed at the end of text: the option, or else
// the function in whose brackets it is.
func Hint(text string, db Database) string {
	tokens := lexer.Tokens(text)
	if p, ok := placeOf(text, tokens, db); ok && p.option != "" {
		if o, known := p.find(p.option); known {
			return strings.TrimSpace(fmt.Sprintf("%s: %s  %s", o.Name, help.Values(o), o.Summary))
		}
	}
	f, ok := db.Function(call(text, tokens))
	if !ok || len(f.Signatures) == 0 {
		return ""
	}
	return strings.TrimSpace(f.Signatures[0] + "  " + f.Summary)
}
