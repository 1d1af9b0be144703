// Package complete finds what a half-typed statement or dot command can go on
// with, and which function the cursor is in. It knows nothing of the terminal.
package complete

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/ccbfsql/ccbfsql"
	"github.com/ccbfsql/ccbfsql/cmd/ccbfsql/internal/lexer"
)

// Candidate is one way to go on.
type Candidate struct {
	Text  string // what replaces the half-typed word
	Show  string // what the list shows
	Help  string // beside it
	Group string // the list's heading
}

// The headings, in the order in which they are listed.
const (
	Columns   = "columns"
	Tables    = "tables"
	Files     = "files"
	Functions = "functions"
	Settings  = "settings"
	Keywords  = "keywords"
	Options   = "options"
)

var order = []string{Columns, Tables, Files, Functions, Settings, Keywords}

// Suggestion is one of DuckDB's, from sql_auto_complete.
type Suggestion struct {
	Text  string
	Type  string
	Start int // the byte at which the word begins
}

// inOneLine is a function in one line, without its name.
func inOneLine(f ccbfsql.Function) string {
	if len(f.Signatures) == 0 {
		return f.Summary
	}
	signature := strings.TrimPrefix(f.Signatures[0], f.Name)
	if f.Summary == "" {
		return signature
	}
	return signature + "  " + f.Summary
}

// Database is what must be known of the database.
type Database interface {
	Suggest(text string) []Suggestion
	Function(name string) (ccbfsql.Function, bool)
	Functions() []ccbfsql.Function
	Reserved(word string) bool // as a name it needs quotes
	Internal(name string) bool // a table that DuckDB brings
}

// Statement completes SQL at the end of text. Candidates replace text[start:].
func Statement(text string, db Database, dir string) (start int, out []Candidate) {
	tokens := lexer.Tokens(text)
	if p, ok := placeOf(text, tokens, db); ok {
		if out, ok := p.candidates(text); ok {
			return p.start, out
		}
	}
	if len(tokens) > 0 {
		switch last := tokens[len(tokens)-1]; {
		case last.Kind == lexer.Comment && (last.Open || strings.HasPrefix(text[last.Start:], "--")):
			return len(text), nil
		case last.Kind == lexer.String && last.Open:
			if !wantsFile(text, tokens[:len(tokens)-1]) {
				return len(text), nil
			}
			return last.Start + 1, paths(text[last.Start+1:], dir, "'")
		}
	}
	start = len(text)
	for _, s := range db.Suggest(text) {
		if s.Start < 0 || s.Start > len(text) {
			continue
		}
		if c, ok := candidate(s, text[s.Start:], db); ok {
			start = s.Start
			out = append(out, c)
		}
	}
	if start == len(text) {
		out = fewer(out, db)
	}
	return start, sorted(out)
}

// fewer leaves out what nobody looks for before a letter is typed.
func fewer(all []Candidate, db Database) []Candidate {
	all = slices.DeleteFunc(all, func(c Candidate) bool {
		return c.Group == Functions ||
			c.Group == Tables && (strings.HasSuffix(c.Text, ".") || db.Internal(strings.Trim(c.Text, `"`)))
	})
	names := slices.ContainsFunc(all, func(c Candidate) bool { return c.Group == Columns || c.Group == Tables })
	return slices.DeleteFunc(all, func(c Candidate) bool { return c.Group == Keywords && names })
}

func sorted(all []Candidate) []Candidate {
	slices.SortFunc(all, func(a, b Candidate) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, a.Group), slices.Index(order, b.Group)),
			strings.Compare(strings.ToLower(a.Text), strings.ToLower(b.Text)),
			strings.Compare(a.Text, b.Text))
	})
	return slices.CompactFunc(all, func(a, b Candidate) bool { return a.Text == b.Text })
}

// simple matches the names that need no quotes for their letters.
var simple = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

// candidate takes a suggestion that goes on with the word: DuckDB also
// suggests what is merely alike.
func candidate(s Suggestion, word string, db Database) (Candidate, bool) {
	name := s.Text
	if bare, ok := strings.CutPrefix(name, `"`); ok {
		bare = strings.ReplaceAll(strings.TrimSuffix(bare, `"`), `""`, `"`)
		function := strings.HasSuffix(s.Type, "function")
		if simple.MatchString(bare) && (function || !db.Reserved(bare)) {
			name = bare
		}
	}
	if !hasPrefix(name, word) {
		return Candidate{}, false
	}
	c := Candidate{Text: name, Show: strings.TrimSpace(name)}
	switch s.Type {
	case "column":
		c.Group = Columns
	case "table", "view", "schema", "catalog":
		c.Group = Tables
	case "setting":
		c.Group = Settings
	case "keyword":
		c.Group = Keywords
		return c, simple.MatchString(strings.ToLower(c.Show))
	default:
		if !simple.MatchString(strings.ToLower(name)) {
			return Candidate{}, false // operators are functions, too
		}
		return function(name, db), true
	}
	return c, true
}

func function(name string, db Database) Candidate {
	c := Candidate{Text: name + "(", Show: name, Group: Functions}
	if f, ok := db.Function(name); ok {
		c.Help = inOneLine(f)
	}
	return c
}

func hasPrefix(name, prefix string) bool {
	return len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
}

// wantsFile tells the quotes that hold the name of a file from others, by what
// stands before them.
func wantsFile(text string, before []lexer.Token) bool {
	for _, t := range slices.Backward(before) {
		if t.Kind == lexer.Comment || strings.TrimSpace(text[t.Start:t.End]) == "" {
			continue
		}
		if t.Kind == lexer.Word {
			switch strings.ToUpper(text[t.Start:t.End]) {
			case "FROM", "JOIN", "TO", "ATTACH", "DATABASE", "LOAD":
				return true
			}
			return false
		}
		break
	}
	name := strings.ToLower(call(text, before))
	return strings.HasPrefix(name, "read_") || strings.HasPrefix(name, "parquet_") ||
		name == "glob" || name == "sniff_csv"
}

// call finds the function in whose brackets the end of text stands.
func call(text string, tokens []lexer.Token) string {
	var open []string // the word before each bracket
	word := ""
	for _, t := range tokens {
		piece := text[t.Start:t.End]
		switch {
		case t.Kind == lexer.Word:
			word = piece
			continue
		case t.Kind != lexer.Other, strings.TrimSpace(piece) == "":
			continue
		case piece == "(":
			open = append(open, word)
		case piece == "[" || piece == "{":
			open = append(open, "")
		case (piece == ")" || piece == "]" || piece == "}") && len(open) > 0:
			open = open[:len(open)-1]
		case piece == ";":
			open = nil
		}
		word = ""
	}
	for _, name := range slices.Backward(open) {
		if name != "" {
			return name
		}
	}
	return ""
}
